"""Nodes for which nothing could be done, and why: nothing can for others that come to the same.

What a node is replaced by depends on the pods that no other node has room for, and on its price.

NOTE: rounds look at the same nodes every ten seconds, and most of them come to what others came to
before (`benchmarks/karpenter_day.py`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter.disruption import simulation
from kubestage.controllers.karpenter.scheduling.results import Results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.scheduling.first_fit import Fitted
    from kubestage.controllers.karpenter.scheduling.results import PodError

_MOST: Final = 1 << 13


class Fruitless(NamedTuple):
    """Why nothing could be done, and how many names of new nodes were used up to see that.

    The reason is empty where it is up to pods and not to the new nodes.
    """

    problem: str
    placeholders: int


class Look:
    """A look at some nodes; what is found out about one with plain pods serves for others, too.

    `fitted` is where such pods would go.
    """

    def __init__(self, context: Context, candidates: Sequence[Candidate]) -> None:
        self._context = context
        self._last = context.placeholders.last
        self._candidates = candidates
        self._known: dict[object, Fruitless] = {}
        self._key: object | None = None
        self._blocked: list[PodError] = []
        self.fitted: Fitted | None = None
        snapshot = context.snapshot
        if len(candidates) == 1 and candidates[0].name not in snapshot.leaving_names:
            self._known = snapshot.fruitless
            found = snapshot.fit(candidates[0])
            if found is not None:
                self._recognise(candidates[0], *found)

    def _recognise(self, alone: Candidate, fitted: Fitted, need: object) -> None:
        self.fitted = fitted
        self._blocked = simulation.premature(self._context.snapshot, fitted.placed)
        if not self._blocked:
            self._key = need, alone.price, alone.capacity_type
        elif not Results(pod_errors=self._blocked).all_non_pending_pods_scheduled:
            self._key = need

    def recall(self) -> str:
        """Why nothing can be done, if an equal look came to that; empty if none did."""
        found = None if self._key is None else self._known.get(self._key)
        if found is None:
            return ""
        self._context.snapshot.publish_about(self._candidates, self._context.publish)
        self._context.placeholders.last += found.placeholders
        return found.problem or simulation.blocking_text(Results(pod_errors=self._blocked))

    def keep(self, found: Results, problem: str) -> None:
        """Remember that nothing can be done, unless that has to do with these very pods.

        Where they have to wait for nodes, new nodes must be no problem.
        """
        if self._key is None or len(found.pod_errors) != len(self._blocked):
            return
        if len(self._known) >= _MOST:
            self._known.clear()
        used = self._context.placeholders.last - self._last
        self._known[self._key] = Fruitless("" if self._blocked else problem, used)
