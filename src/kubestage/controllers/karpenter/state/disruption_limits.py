"""Which pods their PodDisruptionBudgets keep where they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.controllers.karpenter import events
from kubestage.controllers.karpenter.state import pod_state
from kubestage.objects import labels

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.objects.labels import Selector


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
    """The budgets of a cluster, as they are at one moment."""

    def __init__(self, budgets: Iterable[Json]) -> None:
        self._budgets: dict[str, list[_Budget]] = {}
        for each in map(_budget, budgets):
            self._budgets.setdefault(each.namespace, []).append(each)

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

    def _blockers(self, pod: Json, now_ns: int, publish: Publish, fully: bool) -> list[str]:
        if not pod_state.is_evictable(pod, now_ns, publish):
            return []
        metadata = pod["metadata"]
        pod_labels = metadata.get("labels") or {}
        matching = [
            each
            for each in self._budgets.get(metadata.get("namespace") or "", ())
            if each.selector.matches(pod_labels)
        ]
        if len(matching) > 1:
            return [each.key for each in matching]
        for each in matching:
            if each.lets_unhealthy_go and _is_unready(pod):
                return []
            if each.is_fully_blocking if fully else each.allowed == 0:
                return [each.key]
        return []


def _is_unready(pod: Json) -> bool:
    return any(
        condition.get("type") == "Ready" and condition.get("status") == "False"
        for condition in (pod.get("status") or {}).get("conditions") or ()
    )
