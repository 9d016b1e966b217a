"""Who of the pods that were taken off is spared: they are put back one by one.

Those that a disruption budget protects come first, and the most important first among equals.
Whoever does not fit beside the preemptor is a victim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kubestage.scheduler.preemption import budgets, importance
from kubestage.scheduler.preemption.dry_runs import DryRun
from kubestage.scheduler.status import SUCCESS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.pod import PodView


class Ground(Protocol):
    """Nodes, by numbers of its own choice, on which pods are tried on and off."""

    def put(self, pods: Mapping[int, PodView]) -> None:
        """Put a pod on each of some nodes."""
        ...

    def take_off(self, pods: Mapping[int, PodView]) -> None:
        """Take a pod off each of some nodes."""
        ...

    def fits(self, places: list[int]) -> list[bool]:
        """Whether the preemptor fits on each of some nodes as they are now."""
        ...


def outcomes(
    ground: Ground, weaker: Mapping[int, Sequence[PodView]], pdbs: Sequence[BudgetView]
) -> dict[int, DryRun]:
    """What becomes of the weaker pods of nodes, on all of which the preemptor fits without."""
    queues = {at: _Queue(pods, pdbs) for at, pods in weaker.items()}
    waiting = list(queues)
    while waiting:
        tried = {at: queues[at].next for at in waiting}
        ground.put(tried)
        for at, fits in zip(waiting, ground.fits(waiting), strict=True):
            queues[at].settle(spared=fits)
            if fits:
                del tried[at]
        ground.take_off(tried)
        waiting = [at for at in waiting if queues[at].is_open]
    return {at: queue.outcome() for at, queue in queues.items()}


class _Queue:
    """The order in which the pods of one node are put back, and what became of them so far."""

    __slots__ = ("_at", "_order", "_protected", "_victims", "_violations")

    def __init__(self, weaker: Sequence[PodView], pdbs: Sequence[BudgetView]) -> None:
        violating, harmless = budgets.split(importance.most_important_first(weaker), pdbs)
        self._order = violating + harmless
        self._protected = len(violating)
        self._at = 0
        self._violations = 0
        self._victims: list[PodView] = []

    @property
    def is_open(self) -> bool:
        return self._at < len(self._order)

    @property
    def next(self) -> PodView:
        return self._order[self._at]

    def settle(self, *, spared: bool) -> None:
        if not spared:
            self._victims.append(self.next)
            self._violations += self._at < self._protected
        self._at += 1

    def outcome(self) -> DryRun:
        victims = self._victims
        if 0 < self._protected < len(self._order):
            victims = importance.most_important_first(victims)
        return DryRun(SUCCESS, tuple(victims), self._violations)
