"""The state of the recommender: pods, the usage of their containers, and the autoscalers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.vpa import policies
from kubestage.controllers.vpa.aggregate_state import AggregateContainerState
from kubestage.controllers.vpa.container_state import ContainerState
from kubestage.controllers.vpa.vpa_state import (
    RECOMMENDATION_PROVIDED,
    AggregateKey,
    Labels,
    VpaState,
)
from kubestage.objects.selector_index import SelectorIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.objects.labels import Selector

PodId = tuple[str, str]

GC_INTERVAL_NS: Final = 3600 * 1_000_000_000
_ENDED: Final = ("Succeeded", "Failed")


class PodState:
    """A pod: its labels, its phase and its containers."""

    def __init__(self, namespace: str, labels: dict[str, str]) -> None:
        self.namespace = namespace
        self.labels = labels
        self.sorted_labels = _sorted(labels)
        self.phase = ""
        self.containers: dict[str, ContainerState] = {}

    def key(self, container: str) -> AggregateKey:
        """Whose samples are counted together with those of a container."""
        return AggregateKey(self.namespace, container, self.sorted_labels)


class ClusterState:
    """Feed it pods and samples, and ask it per VerticalPodAutoscaler what was seen.

    `now_ns` is to be set to the time before anything new is added: aggregates remember when they
    were made.
    """

    def __init__(self, settings: VpaSettings) -> None:
        self._settings = settings
        self.now_ns = 0
        self.pods: dict[PodId, PodState] = {}
        self.vpas: dict[PodId, VpaState] = {}
        self.aggregates: dict[AggregateKey, AggregateContainerState] = {}
        self._selectors: dict[str, SelectorIndex[str]] = {}
        self._alike: dict[tuple[str, Labels], int] = {}
        self._collected_ns: int | None = None

    def add_or_update_pod(
        self, pod_id: PodId, labels: dict[str, str], phase: str = "Running"
    ) -> PodState:
        """A pod is there, or has other labels, or is in another phase."""
        pod = self.pods.get(pod_id)
        if pod is None:
            pod = self.pods[pod_id] = PodState(pod_id[0], labels)
            self._count(pod, 1)
        elif pod.labels != labels:
            self._count(pod, -1)
            pod.labels, pod.sorted_labels = labels, _sorted(labels)
            self._count(pod, 1)
            for container in pod.containers:
                self._aggregate(pod.key(container))
        pod.phase = phase
        return pod

    def delete_pod(self, pod_id: PodId) -> None:
        """A pod is gone; what was seen of it stays."""
        pod = self.pods.pop(pod_id, None)
        if pod is not None:
            self._count(pod, -1)

    def add_container(self, pod: PodState, container: str) -> None:
        """A pod has a container of this name."""
        if container not in pod.containers:
            self._aggregate(pod.key(container))
            pod.containers[container] = ContainerState()

    def add_cpu(self, pod_id: PodId, container: str, millicores: int, at_ns: int) -> bool:
        """A sample; False if the container is unknown, or if it is not new."""
        found = self._find(pod_id, container)
        return found is not None and found[0].add_cpu(found[1], millicores, at_ns)

    def add_memory(self, pod_id: PodId, container: str, bytes_: int, at_ns: int) -> bool:
        """A sample; False if the container is unknown, or if it is old."""
        found = self._find(pod_id, container)
        return found is not None and found[0].add_memory(found[1], bytes_, at_ns)

    def record_oom(self, pod_id: PodId, container: str, requested: int, at_ns: int) -> bool:
        """A container was killed; False if it is unknown, or if it was long ago."""
        found = self._find(pod_id, container)
        return found is not None and found[0].record_oom(found[1], requested, at_ns)

    def add_or_update_vpa(self, obj: Json, selector: Selector) -> VpaState:
        """A VerticalPodAutoscaler was added or changed, and selects these pods."""
        metadata, status = obj["metadata"], obj.get("status") or {}
        vpa_id = (metadata["namespace"], metadata["name"])
        vpa = self.vpas.get(vpa_id)
        if vpa is None or vpa.selector != selector:
            vpa = self.vpas[vpa_id] = VpaState(*vpa_id, selector)
            self._selectors.setdefault(vpa.namespace, SelectorIndex()).put(vpa.name, selector)
            for key, aggregate in self.aggregates.items():
                vpa.link(key, aggregate)
            vpa.pod_count = sum(
                count
                for (namespace, labels), count in self._alike.items()
                if vpa.selects(namespace, dict(labels))
            )
        vpa.conditions = {each["type"]: each for each in status.get("conditions") or ()}
        provided = vpa.conditions.get(RECOMMENDATION_PROVIDED, {}).get("status") == "True"
        vpa.recommendation = status.get("recommendation") if provided else None
        vpa.target_ref = obj["spec"].get("targetRef")
        vpa.annotations = metadata.get("annotations") or {}
        vpa.set_policy(policies.resource_policy(obj))
        vpa.generation = metadata.get("generation") or 0
        return vpa

    def is_selected(self, namespace: str, labels: dict[str, str]) -> bool:
        """Whether any VerticalPodAutoscaler means pods with such labels."""
        return bool(self._selecting(namespace, labels))

    def keep_vpas(self, vpa_ids: Iterable[PodId]) -> None:
        """Forget all others."""
        for vpa_id in self.vpas.keys() - set(vpa_ids):
            del self.vpas[vpa_id]
            self._selectors[vpa_id[0]].drop(vpa_id[1])

    def collect_garbage(self, is_controlled: Callable[[VpaState], bool]) -> None:
        """Forget, once an hour, what is too old, or was of pods that are gone and never used.

        `is_controlled` is whether the target of a VerticalPodAutoscaler still exists: its
        pods may have ended, but will be made again.
        """
        if self._collected_ns is not None and self.now_ns - self._collected_ns < GC_INTERVAL_NS:
            return
        self._collected_ns = self.now_ns
        useful = self._useful_keys(is_controlled)
        gone = [
            key
            for key, aggregate in self.aggregates.items()
            if (aggregate.is_empty and key not in useful) or aggregate.is_expired(self.now_ns)
        ]
        for key in gone:
            del self.aggregates[key]
            for vpa in self.vpas.values():
                vpa.aggregates.pop(key, None)

    def _useful_keys(self, is_controlled: Callable[[VpaState], bool]) -> set[AggregateKey]:
        keys: set[AggregateKey] = set()
        for pod in self.pods.values():
            if pod.phase in _ENDED:
                vpa = next(iter(self._selecting(pod.namespace, pod.labels)), None)
                if vpa is None or not is_controlled(vpa):
                    continue
            keys.update(map(pod.key, pod.containers))
        return keys

    def _selecting(self, namespace: str, labels: dict[str, str]) -> list[VpaState]:
        """The VerticalPodAutoscalers whose pods have such labels."""
        found = self._selectors.get(namespace)
        names = () if found is None else found.matching(labels)
        return [self.vpas[namespace, name] for name in names]

    def _count(self, pod: PodState, by: int) -> None:
        alike = (pod.namespace, pod.sorted_labels)
        self._alike[alike] = self._alike.get(alike, 0) + by
        if not self._alike[alike]:
            del self._alike[alike]
        for vpa in self._selecting(pod.namespace, pod.labels):
            vpa.pod_count += by

    def _find(
        self, pod_id: PodId, container: str
    ) -> tuple[ContainerState, AggregateContainerState] | None:
        pod = self.pods.get(pod_id)
        state = None if pod is None else pod.containers.get(container)
        if pod is None or state is None:
            return None
        return state, self._aggregate(pod.key(container))

    def _aggregate(self, key: AggregateKey) -> AggregateContainerState:
        found = self.aggregates.get(key)
        if found is None:
            found = self.aggregates[key] = AggregateContainerState(self._settings, self.now_ns)
            for vpa in self._selecting(key.namespace, dict(key.labels)):
                vpa.link(key, found)
        return found


def _sorted(labels: dict[str, str]) -> Labels:
    return tuple(sorted(labels.items()))
