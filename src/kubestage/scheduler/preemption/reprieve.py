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


class Turns:
    """The order in which the weaker pods of one node are put back."""

    __slots__ = ("_protected", "pods")

    def __init__(self, weaker: Sequence[PodView], pdbs: Sequence[BudgetView]) -> None:
        ranked = importance.most_important_first(weaker)
        self._protected = 0
        if pdbs:
            violating, harmless = budgets.split(ranked, pdbs)
            self._protected = len(violating)
            ranked = violating + harmless
        self.pods = ranked

    def outcome(self, spared: Sequence[bool]) -> DryRun:
        """What it comes to when so many of them, from the first on, were spared or not."""
        victims = [pod for pod, stays in zip(self.pods, spared, strict=True) if not stays]
        protected = self._protected
        if 0 < protected < len(self.pods):
            victims = importance.most_important_first(victims)
        return DryRun(SUCCESS, tuple(victims), protected - sum(spared[:protected]))


def outcomes(
    ground: Ground, weaker: Mapping[int, Sequence[PodView]], pdbs: Sequence[BudgetView]
) -> dict[int, DryRun]:
    """What becomes of the weaker pods of nodes, on all of which the preemptor fits without."""
    turns = {at: Turns(pods, pdbs) for at, pods in weaker.items()}
    spared: dict[int, list[bool]] = {at: [] for at in turns}
    for turn in range(max(map(len, weaker.values()), default=0)):
        waiting = [at for at in turns if turn < len(turns[at].pods)]
        tried = {at: turns[at].pods[turn] for at in waiting}
        ground.put(tried)
        for at, fits in zip(waiting, ground.fits(waiting), strict=True):
            spared[at].append(fits)
            if fits:
                del tried[at]
        ground.take_off(tried)
    return {at: each.outcome(spared[at]) for at, each in turns.items()}
