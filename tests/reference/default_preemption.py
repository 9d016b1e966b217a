"""Preemption told slowly: one node at a time, lists of pods, everything counted anew."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.status import SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.pod import PodView

Outcome = tuple[Status, list["PodView"], int]
"""The status of the dry run, the victims and how many budgets they break."""


def more_important(one: PodView, other: PodView) -> bool:
    """A pod that has not started starts now, which is later than when it was last asked."""
    if one.priority != other.priority:
        return one.priority > other.priority
    if one.start_ns is None:
        return other.start_ns is None
    return other.start_ns is None or one.start_ns < other.start_ns


def by_importance(pods: Sequence[PodView]) -> list[PodView]:
    """Insertion sort, as Go does it for up to twelve items."""
    found: list[PodView] = []
    for pod in pods:
        at = len(found)
        while at > 0 and more_important(pod, found[at - 1]):
            at -= 1
        found.insert(at, pod)
    return found


def breaks_budget(pod: PodView, earlier: Sequence[PodView], budgets: Sequence[BudgetView]) -> bool:
    """Whether a budget is spent once all earlier pods and this one are gone."""
    for budget in budgets:
        covered = [
            each
            for each in [*earlier, pod]
            if budget.covers(each.namespace, each.labels) and each.name not in budget.disrupted
        ]
        if pod in covered and len(covered) > budget.disruptions_allowed:
            return True
    return False


def dry_run(
    pod: PodView,
    on_node: Sequence[PodView],
    nominated: Sequence[PodView],
    budgets: Sequence[BudgetView],
    fits: Callable[[Sequence[PodView]], Status],
) -> Outcome:
    """What it takes to fit a pod on a node; `fits` judges the node with the given pods on it."""
    yielded_to = [each for each in nominated if each.priority >= pod.priority and each is not pod]

    def verdict(present: Sequence[PodView]) -> Status:
        beside = fits([*present, *yielded_to])
        return fits(present) if beside.is_success else beside

    lower_priority = [each for each in on_node if each.priority < pod.priority]
    present = [each for each in on_node if each.priority >= pod.priority]
    if not lower_priority:
        return unresolvable("No preemption victims found for incoming pod"), [], 0
    status = verdict(present)
    if not status.is_success:
        return status, [], 0
    ranked = by_importance(lower_priority)
    protected = [
        each for at, each in enumerate(ranked) if breaks_budget(each, ranked[:at], budgets)
    ]
    victims = []
    for each in protected + [other for other in ranked if other not in protected]:
        if verdict([*present, each]).is_success:
            present.append(each)
        else:
            victims.append(each)
    violations = len([each for each in victims if each in protected])
    if 0 < len(protected) < len(ranked):
        victims = by_importance(victims)
    return SUCCESS, victims, violations


def best_nodes(outcomes: dict[str, Outcome]) -> list[str]:
    """Nodes that are equally good after each rule has struck the worse ones off."""
    left = {name: found for name, found in outcomes.items() if found[0].is_success}
    for harm in (_violations, _highest, _sum, _count, _recency):
        least = min((harm(found) for found in left.values()), default=0)
        left = {name: found for name, found in left.items() if harm(found) == least}
    return sorted(left)


def _violations(outcome: Outcome) -> float:
    return outcome[2]


def _highest(outcome: Outcome) -> float:
    return outcome[1][0].priority


def _sum(outcome: Outcome) -> float:
    return sum(victim.priority + 2**31 for victim in outcome[1])


def _count(outcome: Outcome) -> float:
    return len(outcome[1])


def _recency(outcome: Outcome) -> float:
    top = max(victim.priority for victim in outcome[1])
    starts = [victim.start_ns for victim in outcome[1] if victim.priority == top]
    started = [start for start in starts if start is not None]
    return -min(started) if started else float("-inf")
