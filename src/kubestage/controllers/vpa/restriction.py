"""How many pods of a group may be disturbed at a time, and how stuck resizes are handled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from kubestage.controllers import ownership, pods
from kubestage.controllers.vpa import policies
from kubestage.objects import gvk
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.vpa.settings import VpaSettings
    from kubestage.store.store import Store

Decision = Literal["approved", "deferred", "evict"]

DEFERRED_TIMEOUT_NS: Final = 5 * MINUTE_NS
IN_PROGRESS_TIMEOUT_NS: Final = 60 * MINUTE_NS

_PENDING: Final = "PodResizePending"
_IN_PROGRESS: Final = "PodResizeInProgress"
_REPLICATED: Final = {
    "ReplicationController": ("v1", "ReplicationController"),
    "ReplicaSet": ("apps/v1", "ReplicaSet"),
    "StatefulSet": ("apps/v1", "StatefulSet"),
}


class Group:
    """The pods that one controller has made: how many there should be, are, and were disturbed."""

    def __init__(self, configured: int, tolerance: int, *, too_small: bool) -> None:
        self.configured = configured
        self.tolerance = tolerance
        self.too_small = too_small
        self.running = 0
        self.evicted = 0
        self.resized = 0

    @property
    def may_be_disturbed(self) -> bool:
        """Whether one more of its pods may go, or be resized."""
        alive = self.running - self.evicted - self.resized
        if alive > self.configured - self.tolerance:
            return True
        is_whole = self.configured == self.running and not self.evicted and not self.resized
        return is_whole and not self.tolerance


class Restriction:
    """The groups of the pods of one VerticalPodAutoscaler, as they are in one round.

    `attempts` remembers across rounds since when a pod is known to be being resized.
    """

    def __init__(
        self,
        store: Store,
        settings: VpaSettings,
        vpa: Json,
        living: list[Json],
        attempts: dict[str, int],
    ) -> None:
        self._store = store
        self._settings = settings
        self._attempts = attempts
        self._groups: dict[str, Group] = {}
        by_creator: dict[tuple[str, str, str], list[Json]] = {}
        for pod in living:
            reference = ownership.controller_of(pod)
            if reference is not None:
                creator = (pod["metadata"]["namespace"], reference["kind"], reference["name"])
                by_creator.setdefault(creator, []).append(pod)
        for creator, members in by_creator.items():
            self._add_group(vpa, creator, members)

    def _add_group(self, vpa: Json, creator: tuple[str, str, str], members: list[Json]) -> None:
        settings = self._settings
        required = policies.update_policy(vpa).get("minReplicas") or settings.min_replicas
        too_small = len(members) < required
        in_place = policies.update_mode(vpa) == policies.IN_PLACE_OR_RECREATE
        if too_small and not (in_place and settings.in_place_skip_disruption_budget):
            return
        configured = self._configured(creator, len(members))
        if configured is None:
            return
        tolerance = int(configured * settings.eviction_tolerance)
        group = Group(configured, tolerance, too_small=too_small)
        for pod in members:
            self._groups[key_of(pod)] = group
            group.running += pods.phase(pod) != "Pending"

    def _configured(self, creator: tuple[str, str, str], members: int) -> int | None:
        """How many pods there should be; None if that is not known."""
        namespace, kind, name = creator
        if kind == "Job":
            return members
        key = f"{namespace}/{name}"
        if kind == gvk.DAEMON_SET[1]:
            found = self._store.read(gvk.DAEMON_SET).get(key) or {}
            return (found.get("status") or {}).get("numberReady") or None
        if kind not in _REPLICATED:
            return 0
        found = self._store.read(_REPLICATED[kind]).get(key) or {}
        return (found.get("spec") or {}).get("replicas") or None

    def can_evict(self, pod: Json, now_ns: int) -> bool:
        """Whether a pod may be evicted now."""
        group = self._groups.get(key_of(pod))
        if group is None:
            return False
        if pods.phase(pod) == "Pending":
            return True
        if group.too_small:
            return False
        if is_resizing(pod):
            return self._has_resize_failed(pod, group, now_ns)
        return group.may_be_disturbed

    def record_eviction(self, pod: Json) -> None:
        """A pod was evicted."""
        if pods.phase(pod) != "Pending":
            self._groups[key_of(pod)].evicted += 1

    def can_resize(self, pod: Json, vpa: Json, now_ns: int) -> Decision:
        """Whether a pod may be resized where it is, should wait, or should rather be evicted."""
        group = self._groups.get(key_of(pod))
        if group is None or pods.phase(pod) == "Pending" or policies.recommendation(vpa) is None:
            return "deferred"
        if is_resizing(pod):
            return "evict" if self._has_resize_failed(pod, group, now_ns) else "deferred"
        skips = self._settings.in_place_skip_disruption_budget
        if (skips and _is_harmless(pod)) or group.may_be_disturbed:
            return "approved"
        return "deferred"

    def record_resize(self, pod: Json) -> None:
        """A pod is being resized."""
        self._groups[key_of(pod)].resized += 1

    def _has_resize_failed(self, pod: Json, group: Group, now_ns: int) -> bool:
        since_ns = now_ns - self._attempts.setdefault(key_of(pod), now_ns)
        if not group.may_be_disturbed:
            return False
        status = pod.get("status")
        waits = pods.condition(status, _PENDING)
        if waits is not None:
            if waits.get("reason") == "Deferred":
                return since_ns > DEFERRED_TIMEOUT_NS
            return True
        works = pods.condition(status, _IN_PROGRESS)
        if works is None:
            return False
        if not works.get("reason") and not works.get("message"):
            return since_ns > IN_PROGRESS_TIMEOUT_NS
        return True


def key_of(pod: Json) -> str:
    """The key of a pod."""
    return f"{pod['metadata']['namespace']}/{pod['metadata']['name']}"


def is_resizing(pod: Json) -> bool:
    """Whether a pod has requested other resources, and has not got them yet."""
    for each in (pod.get("status") or {}).get("conditions") or ():
        if each["type"] in (_PENDING, _IN_PROGRESS):
            return bool(each["status"] == "True")
    return False


def _is_harmless(pod: Json) -> bool:
    """Whether no container has to be restarted for a resize."""
    return not any(
        policy.get("restartPolicy") == "RestartContainer"
        for container in pod["spec"]["containers"]
        for policy in container.get("resizePolicy") or ()
    )
