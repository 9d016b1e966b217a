"""The pods of budgets, by trying every budget at every change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.disruption.budget_pods import BudgetPods
from kubestage.controllers.ownership import labels_of
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector
    from kubestage.store.log import Change


class PlainBudgetPods:
    """As `BudgetPodsIndex`, of one namespace."""

    def __init__(self) -> None:
        self.budgets: dict[str, BudgetPods] = {}

    def open(self, key: str, selector: Selector, found: Iterable[tuple[str, Json]]) -> None:
        """Start to count for a budget."""
        self.budgets[key] = BudgetPods(selector)
        for pod_key, pod in found:
            self.budgets[key].enter(pod_key, pod)

    def close(self, key: str) -> None:
        """A budget is gone."""
        self.budgets.pop(key, None)

    def noisy(self, change: Change) -> list[str]:
        """The budgets that write an Event at every change, and hold or select this pod."""
        return [
            key
            for key, budget_pods in sorted(self.budgets.items())
            if budget_pods.is_noisy
            and (change.key in budget_pods or budget_pods.selector.matches(labels_of(change.new)))
        ]

    def on_change(self, change: Change) -> Iterator[tuple[str, bool]]:
        """Count a pod's change: the budgets that select it, and whether they need a sync."""
        for key, budget_pods in sorted(self.budgets.items()):
            if change.type != DELETED and budget_pods.selector.matches(labels_of(change.new)):
                yield key, budget_pods.enter(change.key, change.new) or budget_pods.is_noisy
            elif budget_pods.leave(change.key) and change.type == DELETED:
                yield key, True
