"""Which of the pods that were taken off a node may stay: they are put back one by one.

Pods that a disruption budget protects come first, and among them the most important ones. A pod
that does not fit besides the preemptor is a victim.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from kubestage.golang import sort
from kubestage.scheduler.preemption.dry_runs import DryRun
from kubestage.scheduler.status import SUCCESS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.pod import PodView

_Rank = tuple[int, int | None]


def most_important_first(pods: Sequence[PodView]) -> list[PodView]:
    """The pods by descending priority, then by start time; ties fall as in the real scheduler."""
    ranks = [(pod.priority, pod.start_ns) for pod in pods]
    ranked = list(zip(ranks, pods, strict=True))
    if len(set(ranks)) == len(ranks):
        return [pod for _, pod in sorted(ranked, key=_key)]
    return [pod for _, pod in sort.in_order(ranked, lambda one, two: _above(one[0], two[0]))]


def _key(ranked: tuple[_Rank, PodView]) -> tuple[int, bool, int]:
    priority, start = ranked[0]
    return -priority, start is None, start or 0


def _above(one: _Rank, other: _Rank) -> bool:
    """Whether the first is more important.

    A pod that has not started counts as starting now, and now is later at each comparison: of two
    such pods each is above the other.
    """
    if one[0] != other[0]:
        return one[0] > other[0]
    if other[1] is None:
        return True
    return one[1] is not None and one[1] < other[1]


def split(
    pods: Sequence[PodView], budgets: Sequence[BudgetView]
) -> tuple[list[PodView], list[PodView]]:
    """Pods whose eviction breaks a budget, and the others; both in their order.

    Every pod uses up the budgets that cover it, so the less important ones find them spent.
    """
    left = [budget.disruptions_allowed for budget in budgets]
    violating: list[PodView] = []
    harmless: list[PodView] = []
    for pod in pods:
        breaks = False
        for number, budget in enumerate(budgets):
            if pod.name in budget.disrupted or not budget.covers(pod.namespace, pod.labels):
                continue
            left[number] -= 1
            breaks |= left[number] < 0
        (violating if breaks else harmless).append(pod)
    return violating, harmless


class TrialNodes(Protocol):
    """Nodes, by any numbers, on which pods are put and from which they are taken."""

    def put(self, pods: Mapping[int, PodView]) -> None:
        """Put a pod on each of some nodes."""
        ...

    def take_off(self, pods: Mapping[int, PodView]) -> None:
        """Take a pod off each of some nodes."""
        ...

    def fits(self, places: list[int]) -> list[bool]:
        """Whether the preemptor fits on each of some nodes as they are now."""
        ...


class PutBackOrder:
    """The order in which the pods of lower priority of one node are put back."""

    __slots__ = ("_protected", "pods")

    def __init__(self, lower_priority: Sequence[PodView], pdbs: Sequence[BudgetView]) -> None:
        ranked = most_important_first(lower_priority)
        self._protected = 0
        if pdbs:
            violating, harmless = split(ranked, pdbs)
            self._protected = len(violating)
            ranked = violating + harmless
        self.pods = ranked

    def dry_run(self, spared: Sequence[bool]) -> DryRun:
        """The dry run whose victims are the pods that were not `spared`, in this order."""
        victims = [pod for pod, stays in zip(self.pods, spared, strict=True) if not stays]
        protected = self._protected
        if 0 < protected < len(self.pods):
            victims = most_important_first(victims)
        return DryRun(SUCCESS, tuple(victims), protected - sum(spared[:protected]))


def dry_runs(
    nodes: TrialNodes, lower_priority: Mapping[int, Sequence[PodView]], pdbs: Sequence[BudgetView]
) -> dict[int, DryRun]:
    """The dry runs on nodes on which the preemptor fits without pods of lower priority."""
    orders = {at: PutBackOrder(pods, pdbs) for at, pods in lower_priority.items()}
    spared: dict[int, list[bool]] = {at: [] for at in orders}
    for turn in range(max(map(len, lower_priority.values()), default=0)):
        waiting = [at for at in orders if turn < len(orders[at].pods)]
        tried = {at: orders[at].pods[turn] for at in waiting}
        nodes.put(tried)
        for at, fits in zip(waiting, nodes.fits(waiting), strict=True):
            spared[at].append(fits)
            if fits:
                del tried[at]
        nodes.take_off(tried)
    return {at: each.dry_run(spared[at]) for at, each in orders.items()}
