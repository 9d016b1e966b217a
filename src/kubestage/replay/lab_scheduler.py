"""The default scheduler of the recordings: to the emptiest node at once, in order of creation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk, node_selector
from kubestage.objects.taints import NO_EXECUTE, NO_SCHEDULE, Taint, Toleration
from kubestage.replay import lab_pods

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sim.environment import Environment
    from kubestage.store.log import Change
    from kubestage.store.store import Store


DEFAULT_NAME: Final = "default-scheduler"
# How long one request takes, from hearing of a pod to its binding; one after the other.
_BINDING_NS: Final = 2_000_000
_CONCERNS: Final = frozenset(("Pod", "Node", "PersistentVolumeClaim"))


class LabScheduler:
    """Binds the pods of the default scheduler."""

    def __init__(self, store: Store, environment: Environment) -> None:
        self._store = store
        self._clock = environment.clock
        self._created: dict[str, int] = {}
        self._alarm = environment.timer("LabScheduler", self._bind_next)

    def on_change(self, change: Change) -> None:
        """A pod may have come up, or a place for one that waits."""
        if change.kind.kind == "Pod":
            self._created.setdefault(change.new["metadata"]["uid"], change.revision)
        if change.kind.kind in _CONCERNS and not self._alarm.is_set:
            self._alarm.set(self._clock.now_ns + _BINDING_NS)

    def _bind_next(self) -> None:
        """Bind the oldest pod for which there is a place; the next one has its turn after it."""
        waiting = [each for each in self._store.read(gvk.POD).values() if _is_waiting(each)]
        for pod in sorted(waiting, key=lambda each: self._created[each["metadata"]["uid"]]):
            node = None if self._has_unbound_claim(pod) else self._place(pod)
            if node is not None:
                self._store.bind(pod["metadata"]["name"], pod["metadata"]["namespace"], node)
                return

    def _place(self, pod: Json) -> str | None:
        fitting = [node for node in self._store.read(gvk.NODE).values() if _fits(pod, node)]
        crowds = self._crowds()
        names = [node["metadata"]["name"] for node in fitting]
        return min(names, key=lambda each: (crowds.get(each, 0), each), default=None)

    def _crowds(self) -> dict[str, int]:
        """How many pods count on each node."""
        found: dict[str, int] = {}
        for pod in self._store.read(gvk.POD).values():
            node = pod["spec"].get("nodeName")
            if node and _is_active(pod):
                found[node] = found.get(node, 0) + 1
        return found

    def _has_unbound_claim(self, pod: Json) -> bool:
        claims = self._store.read(gvk.PERSISTENT_VOLUME_CLAIM)
        for volume in pod["spec"].get("volumes") or ():
            stated = volume.get("persistentVolumeClaim")
            if stated is None:
                continue
            claim = claims.get(f"{pod['metadata']['namespace']}/{stated['claimName']}")
            if claim is None or (claim.get("status") or {}).get("phase") != "Bound":
                return True
        return False


def _is_waiting(pod: Json) -> bool:
    spec = pod["spec"]
    return (
        not spec.get("nodeName")
        and spec.get("schedulerName") == DEFAULT_NAME
        and _is_active(pod)
        and lab_pods.annotation(pod, "unschedulable") is None
    )


def _is_active(pod: Json) -> bool:
    over = (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
    return not over and "deletionTimestamp" not in pod["metadata"]


def _fits(pod: Json, node: Json) -> bool:
    labels = node["metadata"].get("labels") or {}
    selector = pod["spec"].get("nodeSelector") or {}
    if any(labels.get(key) != value for key, value in selector.items()):
        return False
    return _is_named(pod, node["metadata"]["name"]) and _tolerates(pod, node)


def _is_named(pod: Json, name: str) -> bool:
    """Whether the node is one of those that a DaemonSet's pod names."""
    affinity = (pod["spec"].get("affinity") or {}).get("nodeAffinity") or {}
    required = affinity.get("requiredDuringSchedulingIgnoredDuringExecution")
    if not required:
        return True
    return any(
        all(
            name in each["values"]
            for each in term.get("matchFields") or ()
            if each["key"] == node_selector.NAME_FIELD
        )
        for term in required["nodeSelectorTerms"]
    )


def _tolerates(pod: Json, node: Json) -> bool:
    stated = [
        Toleration(
            each.get("key", ""),
            each.get("operator", ""),
            each.get("value", ""),
            each.get("effect", ""),
        )
        for each in pod["spec"].get("tolerations") or ()
    ]
    taints = [
        Taint(each["key"], each.get("value", ""), each["effect"])
        for each in node["spec"].get("taints") or ()
        if each["effect"] in (NO_SCHEDULE, NO_EXECUTE)
    ]
    return all(any(each.tolerates(taint) for each in stated) for taint in taints)
