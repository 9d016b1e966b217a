"""The pods of every budget, counted as they change."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers import pods
from kubestage.controllers.ownership import controller_of, labels_of
from kubestage.objects.selector_index import SelectorIndex
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector
    from kubestage.store.log import Change


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

    def __iter__(self) -> Iterator[str]:
        return iter(self._states)

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


class _NamespaceBudgets:
    """The budgets of one namespace: their pods, their selectors, and which of them hold a pod."""

    __slots__ = ("budgets", "held_by", "selectors")

    def __init__(self) -> None:
        self.budgets: dict[str, BudgetPods] = {}
        self.selectors: SelectorIndex[str] = SelectorIndex()
        self.held_by: dict[str, tuple[str, ...]] = {}

    def drop(self, key: str) -> None:
        """Forget a budget, if it is known."""
        budget_pods = self.budgets.pop(key, None)
        if budget_pods is not None:
            self.selectors.drop(key)
            for pod in budget_pods:
                self._hold(pod, [each for each in self.held_by[pod] if each != key])

    def add(self, key: str, budget_pods: BudgetPods) -> None:
        """Take in a budget with the pods that it has."""
        self.budgets[key] = budget_pods
        self.selectors.put(key, budget_pods.selector)
        for pod in budget_pods:
            self._hold(pod, [*self.held_by.get(pod, ()), key])

    def on_pod(self, change: Change) -> list[tuple[str, bool]]:
        """Count a pod's change: the budgets that select it, and whether they need a sync."""
        pod, old, key = change.new, change.old, change.key
        before = selected = self.held_by.get(key, ())
        if change.is_reworded:
            return [(budget, self.budgets[budget].is_noisy) for budget in before]
        if old is None or labels_of(old) != labels_of(pod):
            selected = self.matching(labels_of(pod))
        for budget in before:
            if budget not in selected:
                self.budgets[budget].leave(key)
        if change.type == DELETED:
            self._hold(key, ())
            return [(budget, True) for budget in selected if self.budgets[budget].leave(key)]
        if selected != before:
            self._hold(key, selected)
        found = []
        for budget in selected:
            budget_pods = self.budgets[budget]
            found.append((budget, budget_pods.enter(key, pod) or budget_pods.is_noisy))
        return found

    def matching(self, labels: Mapping[str, str]) -> tuple[str, ...]:
        """The budgets that select these labels, by key."""
        return tuple(sorted(self.selectors.matching(labels)))

    def _hold(self, pod: str, budgets: Collection[str]) -> None:
        if budgets:
            self.held_by[pod] = tuple(sorted(budgets))
        else:
            self.held_by.pop(pod, None)


class BudgetPodsIndex:
    """The counted pods of all budgets, by namespace.

    NOTE: a pod's change concerns the few budgets that hold or select it. To try all hundred of a
    namespace took a quarter of the time of a drain (benchmarks/rehearse.py).
    """

    def __init__(self) -> None:
        self._namespaces: dict[str, _NamespaceBudgets] = {}

    def get(self, namespace: str, key: str) -> BudgetPods | None:
        """The counted pods of a budget."""
        here = self._namespaces.get(namespace)
        return None if here is None else here.budgets.get(key)

    def open(
        self, namespace: str, key: str, selector: Selector, found: Iterable[tuple[str, Json]]
    ) -> BudgetPods:
        """Start to count for a budget, with the pods that exist."""
        budget_pods = BudgetPods(selector)
        for pod_key, pod in found:
            budget_pods.enter(pod_key, pod)
        here = self._namespaces.setdefault(namespace, _NamespaceBudgets())
        here.drop(key)
        here.add(key, budget_pods)
        return budget_pods

    def close(self, namespace: str, key: str) -> None:
        """A budget is gone."""
        here = self._namespaces.get(namespace)
        if here is not None:
            here.drop(key)
            if not here.budgets:
                del self._namespaces[namespace]

    def is_quiet(self, namespace: str, pod: str) -> bool:
        """Whether one budget at most holds a pod, and writes no Event at every change."""
        here = self._namespaces.get(namespace)
        held = () if here is None else here.held_by.get(pod, ())
        return not held or (
            here is not None and len(held) == 1 and not here.budgets[held[0]].is_noisy
        )

    def noisy(self, namespace: str, change: Change) -> list[str]:
        """The budgets that write an Event at every change, and hold or select this pod, by key."""
        here = self._namespaces.get(namespace)
        if here is None:
            return []
        concerned = here.held_by.get(change.key, ())
        old, labels = change.old, labels_of(change.new)
        if old is None or change.type == DELETED or labels_of(old) != labels:
            concerned = tuple(sorted({*concerned, *here.matching(labels)}))
        return [each for each in concerned if here.budgets[each].is_noisy]

    def on_change(self, change: Change) -> list[tuple[str, bool]]:
        """Count a pod's change: the budgets that select it by key, and if they need a sync."""
        here = self._namespaces.get(change.new["metadata"]["namespace"])
        return [] if here is None else here.on_pod(change)
