"""Which victims their disruption budgets would rather keep."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.pod import PodView


def split(
    pods: Sequence[PodView], budgets: Sequence[BudgetView]
) -> tuple[list[PodView], list[PodView]]:
    """Pods whose eviction breaks a budget, and the others; both in the given order.

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
