"""The pods of every budget, counted as they change."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers import pods
from kubestage.controllers.ownership import controller_of, labels_of
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector
    from kubestage.store.log import Change


_NONE: Final[dict[str, BudgetPods]] = {}


@dataclasses.dataclass(slots=True)
class PodOwner:
    """A controller of pods: how they refer to it, and which they are."""

    reference: Json
    pods: dict[str, None]


class _State(NamedTuple):
    is_terminating: bool
    is_healthy: bool
    owner: str | None


class BudgetPods:
    """What counts of the pods that a budget selects, whatever their order and number.

    `is_noisy` marks budgets that write an Event at every change of a pod.
    """

    __slots__ = ("_states", "healthy", "is_noisy", "owners", "selector", "unmanaged")

    def __init__(self, selector: Selector) -> None:
        self.selector = selector
        self.healthy = 0
        self.unmanaged = 0
        self.owners: dict[str, PodOwner] = {}
        self.is_noisy = False
        self._states: dict[str, _State] = {}

    def __len__(self) -> int:
        return len(self._states)

    def __contains__(self, key: str) -> bool:
        return key in self._states

    def is_terminating(self, key: str) -> bool:
        """Whether a pod of the budget is terminating already."""
        return self._states[key].is_terminating

    def is_healthy(self, key: str) -> bool:
        """Whether a pod of the budget is ready and may stay."""
        return self._states[key].is_healthy

    def enter(self, key: str, pod: Json) -> bool:
        """Count a pod as it is now; whether that differs from before."""
        reference = controller_of(pod)
        is_terminating = "deletionTimestamp" in pod["metadata"]
        state = _State(
            is_terminating,
            not is_terminating and pods.is_ready(pod),
            None if reference is None else reference["uid"],
        )
        old = self._states.get(key)
        if old == state:
            return False
        if old is not None:
            self.leave(key)
        self._states[key] = state
        self.healthy += state.is_healthy
        if reference is None:
            self.unmanaged += 1
        else:
            self.owners.setdefault(reference["uid"], PodOwner(reference, {})).pods[key] = None
        return True

    def leave(self, key: str) -> bool:
        """A pod does not count any more; whether it did."""
        state = self._states.pop(key, None)
        if state is None:
            return False
        self.healthy -= state.is_healthy
        if state.owner is None:
            self.unmanaged -= 1
            return True
        owner = self.owners[state.owner]
        del owner.pods[key]
        if not owner.pods:
            del self.owners[state.owner]
        return True


class BudgetPodsIndex:
    """The counted pods of all budgets, by namespace and then by key in order."""

    def __init__(self) -> None:
        self._namespaces: dict[str, dict[str, BudgetPods]] = {}

    def get(self, namespace: str, key: str) -> BudgetPods | None:
        """The counted pods of a budget."""
        return self._namespaces.get(namespace, _NONE).get(key)

    def open(
        self, namespace: str, key: str, selector: Selector, found: Iterable[tuple[str, Json]]
    ) -> BudgetPods:
        """Start to count for a budget, with the pods that exist."""
        budget_pods = BudgetPods(selector)
        for pod_key, pod in found:
            budget_pods.enter(pod_key, pod)
        here = {**self._namespaces.get(namespace, _NONE), key: budget_pods}
        self._namespaces[namespace] = dict(sorted(here.items()))
        return budget_pods

    def close(self, namespace: str, key: str) -> None:
        """A budget is gone."""
        here = self._namespaces.get(namespace)
        if here is not None and here.pop(key, None) is not None and not here:
            del self._namespaces[namespace]

    def noisy(self, namespace: str, change: Change) -> list[str]:
        """The budgets that write an Event at every change, and select this pod."""
        here = self._namespaces.get(namespace, _NONE)
        return [
            budget
            for budget, budget_pods in here.items()
            if budget_pods.is_noisy
            and (change.key in budget_pods or budget_pods.selector.matches(labels_of(change.new)))
        ]

    def on_change(self, change: Change) -> list[tuple[str, bool]]:
        """Count a pod's change: the budgets that select the pod, and whether they need a sync."""
        here = self._namespaces.get(change.new["metadata"]["namespace"])
        if here is None:
            return []
        return list(_on_pod(here, change))


def _on_pod(here: Mapping[str, BudgetPods], change: Change) -> Iterable[tuple[str, bool]]:
    pod, old, key = change.new, change.old, change.key
    held = labels_of(pod)
    same_labels = old is not None and labels_of(old) == held
    for budget, budget_pods in here.items():
        selected = key in budget_pods if same_labels else budget_pods.selector.matches(held)
        if selected and change.type != DELETED:
            yield budget, budget_pods.enter(key, pod) or budget_pods.is_noisy
        elif budget_pods.leave(key) and selected:
            yield budget, True
