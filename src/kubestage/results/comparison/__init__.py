"""Runs side by side: their figures, where pods went instead, and the first decision that differs.

Everything is computed from the statuses of Scenarios alone. Belongs here: pure functions over two
runs or more. Not here: how runs are made, explained or printed.

>>> from kubestage.results import comparison
>>> comparison.compare([comparison.Named("a", {"scenarioResult": {"timeline": {}}})]).names
('a',)
"""

from __future__ import annotations

from kubestage.results.comparison.attempts import Tried, tried
from kubestage.results.comparison.divergence import Divergence, diverge, first_divergence
from kubestage.results.comparison.inputs import differing_inputs
from kubestage.results.comparison.measures import DEFAULT_CHECKS, LESS, MORE, Measure, Worse
from kubestage.results.comparison.placements import Changes, PodChange, changes
from kubestage.results.comparison.side_by_side import Comparison, Named, compare

__all__ = [
    "DEFAULT_CHECKS",
    "LESS",
    "MORE",
    "Changes",
    "Comparison",
    "Divergence",
    "Measure",
    "Named",
    "PodChange",
    "Tried",
    "Worse",
    "changes",
    "compare",
    "differing_inputs",
    "diverge",
    "first_divergence",
    "tried",
]
