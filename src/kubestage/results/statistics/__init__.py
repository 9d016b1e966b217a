"""What numbers of several runs say: means with intervals, paired differences, verdicts on them.

Belongs here: pure functions of numbers, for whatever runs are compared. Not here: the tables of a
sweep, and how their settings are compared (`kubestage.sweep.statistics`).
``docs/sweep-statistics.md`` states every procedure in words.
"""
