"""Worst cases: the scenario in which a configuration does worst, or loses most against another.

A search mutates a scenario within bounds (`mutations`, `bounds`), runs every mutant (`evaluation`),
and keeps those with the highest score (`evolution`). The score is a measure, the difference of a
measure between two configurations, or how clearly an invariant is broken (`objectives`,
`invariants`). What was found is made as small as it can be (`shrinking`), explained and written
(`explanation`, `writing`). What a single run does belongs to `runs`, what computes many of them to
`engines`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.sweep.worst.options import WorstOptions
    from kubestage.sweep.worst.result import WorstCase
    from kubestage.sweep.worst.searching import search

__all__ = ["WorstCase", "WorstOptions", "search"]

__getattr__ = lazy.exports(__name__)
