"""Invariants: what should hold in every run, each a small class that looks at a run.

Here belongs one class for each invariant and the table of them (`registry`). An invariant scores
how clearly it is broken; a run in which it holds has a score of 0 or less, higher if it was close.
"""
