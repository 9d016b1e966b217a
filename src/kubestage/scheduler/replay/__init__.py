"""Replays recorded decisions of the real scheduler and compares every field.

A case holds a cluster, pods to schedule and what the real scheduler decided. `runner` runs the
case on a tiny cluster of its own, by the rules under which cases are recorded; `comparison`
reports where the two differ.
"""
