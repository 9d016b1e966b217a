"""Which pods their PodDisruptionBudgets keep where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter import events
from kubestage.controllers.karpenter.state import pod_state
from kubestage.objects import labels

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.objects.labels import Selector

    Labels = tuple[tuple[str, str], ...]


_SEVERAL: Final = -1
"""Stands for several budgets that are about one pod: the API does not evict it."""


class EvictablePod(NamedTuple):
    """A pod, and its namespace and labels, by which budgets are found."""

    pod: Json
    key: tuple[str, Labels]

    @classmethod
    def of(cls, pod: Json) -> EvictablePod:
        """A pod with its key."""
        metadata = pod["metadata"]
        stated = tuple((metadata.get("labels") or {}).items())
        return cls(pod, (metadata.get("namespace") or "", stated))


class EvictablePods:
    """The pods of a node that are evicted when it is disrupted."""

    def __init__(self, pods: Iterable[Json]) -> None:
        self._pods = list(map(EvictablePod.of, pods))
        self._selected_by: object = None
        self._matched: frozenset[int] = frozenset()

    def __iter__(self) -> Iterator[EvictablePod]:
        return iter(self._pods)

    def matched_by(self, limits: DisruptionLimits) -> frozenset[int]:
        """The positions of the budgets that are about any of the pods."""
        if self._selected_by is not limits.selected:
            self._selected_by = limits.selected
            self._matched = frozenset(
                position
                for matching in map(limits.matching, self._pods)
                for position in (matching if len(matching) < 2 else (_SEVERAL,))
            )
        return self._matched


class _Budget(NamedTuple):
    namespace: str
    name: str
    selector: Selector
    allowed: int
    is_fully_blocking: bool
    lets_unhealthy_go: bool

    @property
    def key(self) -> str:
        return f"{self.namespace}/{self.name}"


def _budget(budget: Json) -> _Budget:
    spec, metadata = budget["spec"], budget["metadata"]
    most, least = spec.get("maxUnavailable"), spec.get("minAvailable")
    return _Budget(
        metadata.get("namespace") or "",
        metadata["name"],
        labels.from_label_selector(spec.get("selector")),
        (budget.get("status") or {}).get("disruptionsAllowed") or 0,
        (most is not None and most in (0, "0%")) or least == "100%",
        spec.get("unhealthyPodEvictionPolicy") == "AlwaysAllow",
    )


class DisruptionLimits:
    """The budgets of a cluster, as they are at one moment.

    `before` are those of an earlier moment: which pods are meant is looked up there if it is the
    same now.
    """

    def __init__(self, budgets: Iterable[Json], before: DisruptionLimits | None = None) -> None:
        self._budgets = list(map(_budget, budgets))
        self._by_namespace: dict[str, list[int]] = {}
        for position, each in enumerate(self._budgets):
            self._by_namespace.setdefault(each.namespace, []).append(position)
        self._exhausted = self._positions(lambda each: each.allowed == 0)
        self._unyielding = self._positions(lambda each: each.is_fully_blocking)
        self.selected: dict[tuple[str, Labels], list[int]] = {}
        """Which budgets are about which pods; the same as long as no selector is another."""
        if before is not None and before.selectors == self.selectors:
            self.selected = before.selected

    def _positions(self, holds: Callable[[_Budget], bool]) -> frozenset[int]:
        """The budgets that a pod may be blocked by; a pod with several is blocked in any case."""
        found = (position for position, each in enumerate(self._budgets) if holds(each))
        return frozenset((_SEVERAL, *found))

    @property
    def selectors(self) -> list[tuple[str, Selector]]:
        """Which pods budgets are about."""
        return [(each.namespace, each.selector) for each in self._budgets]

    def blockers(self, pods: Iterable[Json], now_ns: int, publish: Publish) -> list[str]:
        """The budgets (``namespace/name``) that keep the first pod that may not be evicted now."""
        for pod in pods:
            found = self._blockers(pod, now_ns, publish, fully=False)
            if found:
                return found
        return []

    def is_currently_reschedulable(
        self, pod: Json, now_ns: int, publish: Publish = events.ignore
    ) -> bool:
        """Whether a pod will come again elsewhere, with nothing that keeps it where it is."""
        blockers = self._blockers(pod, now_ns, publish, fully=True)
        return (
            pod_state.is_reschedulable(pod)
            and pod_state.is_disruptable(pod, now_ns, publish)
            and not blockers
        )

    def first_blockers(self, pods: EvictablePods) -> list[str]:
        """`blockers` of pods that are known to be evictable."""
        if self._exhausted.isdisjoint(pods.matched_by(self)):
            return []
        found = (self._blockers_of(each, fully=False) for each in pods)
        return next(filter(None, found), [])

    def kept(self, pods: EvictablePods) -> set[int]:
        """The identities of the evictable pods that budgets will never let go."""
        if self._unyielding.isdisjoint(pods.matched_by(self)):
            return set()
        return {id(each.pod) for each in pods if self._blockers_of(each, fully=True)}

    def matching(self, pod: EvictablePod) -> list[int]:
        """The positions of the budgets that are about a pod."""
        found = self.selected.get(pod.key)
        if found is None:
            found = self.selected[pod.key] = self._matching_of(pod)
        return found

    def _blockers(self, pod: Json, now_ns: int, publish: Publish, fully: bool) -> list[str]:
        if not pod_state.is_evictable(pod, now_ns, publish):
            return []
        return self._blockers_of(EvictablePod.of(pod), fully=fully)

    def _blockers_of(self, pod: EvictablePod, *, fully: bool) -> list[str]:
        matching = self.matching(pod)
        if not matching:
            return []
        if len(matching) > 1:
            return [self._budgets[position].key for position in matching]
        budget = self._budgets[matching[0]]
        if budget.lets_unhealthy_go and _is_unready(pod.pod):
            return []
        is_blocked = budget.is_fully_blocking if fully else budget.allowed == 0
        return [budget.key] if is_blocked else []

    def _matching_of(self, pod: EvictablePod) -> list[int]:
        namespace, stated = pod.key
        pod_labels = dict(stated)
        return [
            position
            for position in self._by_namespace.get(namespace, ())
            if self._budgets[position].selector.matches(pod_labels)
        ]


def _is_unready(pod: Json) -> bool:
    return any(
        condition.get("type") == "Ready" and condition.get("status") == "False"
        for condition in (pod.get("status") or {}).get("conditions") or ()
    )
