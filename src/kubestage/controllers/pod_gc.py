"""The pod garbage collector: removes pods that no other controller removes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import disruption_target, pods
from kubestage.controllers.controller import Controller
from kubestage.errors import NotFound
from kubestage.objects import gvk
from kubestage.store.deletion import DeleteOptions
from kubestage.store.log import DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.store.log import Change


_PERIOD_NS: Final = 20 * SECOND_NS
_QUARANTINE_NS: Final = 40 * SECOND_NS
_NOW: Final = DeleteOptions(grace_period_seconds=0)
_OUT_OF_SERVICE: Final = "node.kubernetes.io/out-of-service"
_SYNC: Final = "look"


class PodGCController(Controller):
    """Checks pods at the ticks of upstream's clock, but only if there may be something to remove.

    That is: more ended pods than are kept, pods of nodes that are gone, pods that are to go
    without ever having had a node, and pods that are to go from nodes that are out of service.
    """

    name = "pod-garbage-collector-controller"
    ignores_rewordings = True

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._ended: dict[str, None] = {}
        self._orphans: dict[str, None] = {}
        self._homeless: dict[str, None] = {}
        self._terminating: dict[str, None] = {}
        self._gone_from_ns: dict[str, int] = {}

    def handlers(self) -> Handlers:
        """Pods, and nodes as they come and go or are put out of service."""
        return {("", "Pod"): self._on_pod, ("", "Node"): self._on_node}

    def _on_pod(self, change: Change) -> None:
        key, pod, old = change.key, change.new, change.old
        if change.type == DELETED:
            for group in (self._ended, self._orphans, self._homeless, self._terminating):
                group.pop(key, None)
            return
        if pods.is_terminal(pod):
            self._ended.setdefault(key)
            if self._has_too_many():
                self._at_next_tick()
        node_name = pod["spec"].get("nodeName")
        if "deletionTimestamp" in pod["metadata"]:
            place = self._terminating if node_name else self._homeless
            if key not in place:
                place[key] = None
                self._at_next_tick()
        if node_name and (old is None or old["spec"].get("nodeName") != node_name):
            self._homeless.pop(key, None)
            if node_name not in self.store.read(gvk.NODE):
                self._orphans[key] = None
                self._at_next_tick()

    def _on_node(self, change: Change) -> None:
        if change.type == DELETED:
            keys = self.lister.collection(pods.POD).fields["spec.nodeName"].get(change.key)
            self._orphans.update(dict.fromkeys(sorted(keys)))
        elif not self._terminating or not _is_out_of_service(change.new):
            return
        self._at_next_tick()

    def _has_too_many(self) -> bool:
        limit = self.settings.terminated_pod_gc_threshold
        return 0 < limit < len(self._ended)

    def _at_next_tick(self) -> None:
        self.queue.add_after(_SYNC, -self.clock.now_ns % _PERIOD_NS)

    def sync(self, key: str) -> None:
        """One tick."""
        del key
        if self._has_too_many():
            self._take_ended()
        for each in self._present(self._terminating):
            node = self.lister.get(gvk.NODE, each["spec"]["nodeName"])
            if node is not None and _is_out_of_service(node):
                self._take(each)
        self._take_orphans()
        for each in self._present(self._homeless):
            self._take(each)

    def _present(self, keys: dict[str, None]) -> list[Json]:
        found = self.store.read(pods.POD)
        return [found[key] for key in sorted(keys) if key in found]

    def _take_ended(self) -> None:
        """The oldest go first, but evicted ones before all others."""
        ended = sorted(self._present(self._ended), key=_eviction_and_creation)
        for pod in ended[: len(ended) - self.settings.terminated_pod_gc_threshold]:
            self._take(pod)

    def _take_orphans(self) -> None:
        """Nodes that stay away for long enough are gone for good, and their pods with them."""
        nodes, now_ns = self.store.read(gvk.NODE), self.clock.unix_ns
        orphans = [
            pod for pod in self._present(self._orphans) if pod["spec"]["nodeName"] not in nodes
        ]
        for pod in orphans:
            self._gone_from_ns.setdefault(pod["spec"]["nodeName"], now_ns + _QUARANTINE_NS)
        due = {name for name, at_ns in self._gone_from_ns.items() if at_ns <= now_ns}
        for name in due:
            del self._gone_from_ns[name]
        for pod in orphans:
            if pod["spec"]["nodeName"] in due:
                self._take(pod, orphaned=True)
        names = {pod["spec"]["nodeName"] for pod in orphans} - due
        self._orphans = {
            f"{pod['metadata']['namespace']}/{pod['metadata']['name']}": None
            for pod in orphans
            if pod["spec"]["nodeName"] in names
        }
        self._gone_from_ns = {
            name: at_ns for name, at_ns in self._gone_from_ns.items() if name in names
        }
        if self._gone_from_ns:
            wait_ns = min(self._gone_from_ns.values()) - self.clock.epoch_ns
            self.queue.add_after(_SYNC, -(-wait_ns // _PERIOD_NS) * _PERIOD_NS - self.clock.now_ns)

    def _take(self, pod: Json, *, orphaned: bool = False) -> None:
        """Delete a pod at once, as failed if it had not ended."""
        metadata = pod["metadata"]
        if not pods.is_terminal(pod):
            status = pod.get("status") or {}
            if orphaned:
                reason, text = "DeletionByPodGC", "PodGC: node no longer exists"
                now_ns = self.clock.unix_ns
                status = disruption_target.status_with(pod, "True", reason, text, now_ns)
            status = {**status, "phase": "Failed"}
            if metadata.get("generation"):
                status["observedGeneration"] = metadata["generation"]
            key = f"{metadata['namespace']}/{metadata['name']}"
            self.store.record_status(pods.POD, key, status)
        try:
            self.store.delete(pods.POD, metadata["name"], metadata["namespace"], _NOW)
        except NotFound:
            return


def _is_out_of_service(node: Json) -> bool:
    """Whether a node that is not ready has the out-of-service taint."""
    if pods.is_true(node.get("status"), "Ready"):
        return False
    return any(each["key"] == _OUT_OF_SERVICE for each in node["spec"].get("taints") or ())


def _eviction_and_creation(pod: Json) -> tuple[bool, str, str]:
    status = pod.get("status") or {}
    is_evicted = status.get("phase") == "Failed" and status.get("reason") == "Evicted"
    metadata = pod["metadata"]
    return not is_evicted, metadata["creationTimestamp"], metadata["name"]
