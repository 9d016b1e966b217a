"""A PodDisruptionBudget as preemption and eviction read it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.objects import labels

if TYPE_CHECKING:
    from collections.abc import Mapping

_EMPTY: Final[dict[str, Any]] = {}


class BudgetView(msgspec.Struct, frozen=True, eq=False, gc=False):
    """One version of a PodDisruptionBudget; pods in ``disrupted`` are counted already."""

    raw: dict[str, Any]
    name: str
    namespace: str
    selector: labels.Selector
    disruptions_allowed: int
    disrupted: frozenset[str]

    def covers(self, namespace: str, pod_labels: Mapping[str, str]) -> bool:
        """Whether preemption must respect the budget for a pod.

        An empty selector covers nothing, and a pod without labels is covered by nothing.
        """
        return (
            namespace == self.namespace
            and bool(pod_labels)
            and not self.selector.empty
            and self.selector.matches(pod_labels)
        )


def of(budget: dict[str, Any]) -> BudgetView:
    """The view of a PodDisruptionBudget object; a malformed selector covers nothing."""
    metadata = budget.get("metadata") or _EMPTY
    status = budget.get("status") or _EMPTY
    try:
        selector = labels.from_label_selector((budget.get("spec") or _EMPTY).get("selector"))
    except labels.SelectorError:
        selector = labels.NOTHING
    return BudgetView(
        budget,
        metadata.get("name") or "",
        metadata.get("namespace") or "",
        selector,
        status.get("disruptionsAllowed") or 0,
        frozenset(status.get("disruptedPods") or ()),
    )
