"""Which pods may be moved off their node, which need not be, and which keep it from going."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from kubestage.controllers.node_autoscaler import pod_state
from kubestage.controllers.ownership import controller_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.budgets import Budgets
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.objects.views.pod import PodView


# The name of a reason, and the reason in words.
_Problem: TypeAlias = tuple[str, str]
_NOT_FOUND: Final = "ControllerNotFound"
_KUBE_SYSTEM: Final = "kube-system"
_REPLICATED: Final = ("ReplicationController", "Job", "ReplicaSet", "StatefulSet")
_APPS: Final = "apps"
# The version in which a controller is looked up, and what is said if it is not there.
_LOOKED_UP: Final = {
    "ReplicationController": ("v1", "replication controller for {} is not available, err"),
    "ReplicaSet": ("apps/v1", "replication controller for {} is not available, err"),
    "Job": ("batch/v1", "job for {} is not available: err"),
    "StatefulSet": ("apps/v1", "statefulset for {} is not available: err"),
    "DaemonSet": ("apps/v1", "daemonset for {} is not present, err"),
}
_COUNTED: Final = ("ReplicationController", "ReplicaSet")


class Moves(msgspec.Struct):
    """The pods of a node: to be moved, to go with it, to be waited for; or what is in the way.

    An obstacle is the pod `blocking`, for a reason that has a name and words.
    """

    pods: list[PodView] = []
    daemons: list[PodView] = []
    awaited: list[PodView] = []
    obstacle: str = ""
    blocking: PodView | None = None
    blocking_reason: str = ""

    def block(self, pod: PodView, reason: str, words: str) -> Moves:
        """A pod is in the way."""
        self.blocking, self.blocking_reason, self.obstacle = pod, reason, words
        return self


class Drainability:
    """The rules that decide whether pods can be drained.

    Without budgets nothing is looked up: it is a guess then, for putting nodes in order.
    """

    def __init__(self, settings: NodeAutoscalerSettings, lister: Lister) -> None:
        self._settings = settings
        self._lister = lister

    def moves(self, pods: Iterable[PodView], budgets: Budgets | None, now_ns: int) -> Moves:
        """What would have to be done with pods if their node were to go."""
        found = Moves()
        for pod in pods:
            if pod_state.is_mirror(pod) or pod_state.is_overdue(pod, now_ns):
                continue
            problem = self._lost_owner(pod) if budgets is not None else None
            if problem is not None:
                return found.block(pod, *problem)
            if pod_state.is_daemon(pod):
                found.daemons.append(pod)
                continue
            annotation = pod.annotations.get(pod_state.SAFE_TO_EVICT)
            if annotation != "true" and not pod_state.is_ended(pod):
                if annotation == "on-completion":
                    found.awaited.append(pod)
                    continue
                problem = self._obstacle(pod, budgets, now_ns)
                if problem is not None:
                    return found.block(pod, *problem)
            found.pods.append(pod)
        return found

    def _lost_owner(self, pod: PodView) -> _Problem | None:
        """What is wrong with the controller of a pod, which is to replace it."""
        owner = controller_of(pod.raw)
        if not self._settings.skip_nodes_with_custom_controller_pods or owner is None:
            return None
        kind, place = owner["kind"], f"{pod.namespace}/{pod.name}"
        if kind not in _LOOKED_UP or not _is_looked_up(pod, owner):
            return None
        version, problem = _LOOKED_UP[kind]
        found = self._lister.get((version, kind), f"{pod.namespace}/{owner['name']}")
        if found is None:
            absent = f'{_resource(version, kind)} "{owner["name"]}" not found'
            return _NOT_FOUND, f"{problem.format(place)}: {absent}"
        if kind in _COUNTED:
            replicas, least = found["spec"].get("replicas"), self._settings.min_replica_count
            if replicas is not None and replicas < least:
                words = (
                    f"replication controller for {place} has too few replicas "
                    f"spec: {replicas} min: {least}"
                )
                return "MinReplicasReached", words
        return None

    def _obstacle(self, pod: PodView, budgets: Budgets | None, now_ns: int) -> _Problem | None:
        """Why a pod cannot be moved; None if it can."""
        settings = self._settings
        owner = controller_of(pod.raw)
        is_custom = owner is not None and owner["kind"] not in _REPLICATED
        if owner is None or (is_custom and settings.skip_nodes_with_custom_controller_pods):
            return "NotReplicated", f"{pod.namespace}/{pod.name} is not replicated"
        if settings.skip_nodes_with_system_pods and self._is_system(pod, budgets):
            timeout_ns = settings.blocking_system_pod_disruption_timeout_ns
            if pod.creation_ns is not None and pod.creation_ns + timeout_ns < now_ns:
                return None
            return "UnmovableKubeSystemPod", (
                f"non-daemonset, non-mirrored, non-pdb-assigned kube-system pod present: {pod.name}"
            )
        if pod.annotations.get(pod_state.SAFE_TO_EVICT) == "false":
            words = f"pod annotated as not safe to evict present: {pod.name}"
            return "NotSafeToEvictAnnotation", words
        if settings.skip_nodes_with_local_storage and pod_state.has_blocking_storage(pod):
            return "LocalStorageRequested", f"pod with local storage present: {pod.name}"
        if budgets is not None and budgets.is_spent(pod):
            words = f"not enough pod disruption budget to move {pod.namespace}/{pod.name}"
            return "NotEnoughPdb", words
        return None

    def _is_system(self, pod: PodView, budgets: Budgets | None) -> bool:
        if pod.namespace != _KUBE_SYSTEM:
            return False
        return budgets is None or not budgets.is_covered(pod)


def _is_looked_up(pod: PodView, owner: Json) -> bool:
    """Whether the controller of a pod is of a kind and an API group that are looked up."""
    kind: str = owner["kind"]
    group: str = owner["apiVersion"].rpartition("/")[0]
    if kind == "ReplicationController":
        return True
    if pod_state.is_daemon(pod):
        return kind == "DaemonSet" and group == _APPS
    return kind != "StatefulSet" or group == _APPS


def _resource(version: str, kind: str) -> str:
    """How a lister names what it lists."""
    return ".".join(filter(None, (kind.lower(), version.rpartition("/")[0])))
