"""Which disruption budgets select which pods, kept as budgets come, change and go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import labels
from kubestage.objects.labels import SelectorError
from kubestage.objects.selector_index import SelectorIndex

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json


class BudgetSelectors:
    """The selectors of all budgets, by namespace; one that is malformed selects nothing.

    NOTE: every eviction looks for the budgets of its pod. To try all of a hundred budgets took 3 %
    of the time of a drain of all nodes (benchmarks/rehearse.py).
    """

    __slots__ = ("_by_namespace",)

    def __init__(self) -> None:
        self._by_namespace: dict[str, SelectorIndex[str]] = {}

    def put(self, key: str, budget: Json) -> None:
        """Take up the selector of a budget, instead of an earlier one."""
        self.drop(key)
        try:
            selector = labels.from_label_selector((budget.get("spec") or {}).get("selector"))
        except SelectorError:
            return
        namespace = key.partition("/")[0]
        self._by_namespace.setdefault(namespace, SelectorIndex()).put(key, selector)

    def drop(self, key: str) -> None:
        """Forget the selector of a budget, if it has one."""
        namespace = key.partition("/")[0]
        index = self._by_namespace.get(namespace)
        if index is None or key not in index.selectors:
            return
        index.drop(key)
        if not index.selectors:
            del self._by_namespace[namespace]

    def matching(self, namespace: str, pod_labels: Mapping[str, str]) -> list[str]:
        """The keys of the budgets that select a pod."""
        index = self._by_namespace.get(namespace)
        return [] if index is None else index.matching(pod_labels)
