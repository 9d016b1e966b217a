"""The search for the best setting: what is tried, with how many seeds, and what is best.

Belongs here: objectives, constraints, the space that axes span, the search in batches, what ends
the evaluation of a setting early, and the final comparison. Runs are computed by the engines of
`kubestage.sweep`, figures by its statistics. Optuna proposes settings; it is an extra. ::

    from kubestage.sweep.optimise import optimise

    found = optimise("run shop/ --for 30m", {"nodes": "5..50"}, minimise="cost",
                     subject_to="pending<1")
    found.best
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy

if TYPE_CHECKING:
    from kubestage.sweep.optimise.optimising import optimise
    from kubestage.sweep.optimise.result import OptimiseResult

__all__ = ["OptimiseResult", "optimise"]

__getattr__ = lazy.exports(__name__)
