"""The taint eviction controller: pods leave nodes whose NoExecute taints they do not tolerate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import disruption_target, pods
from kubestage.controllers.controller import Controller
from kubestage.errors import NotFound
from kubestage.objects import gvk, taints
from kubestage.store.event_recorder import NORMAL
from kubestage.store.log import DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.objects.taints import Taint
    from kubestage.store.log import Change


_REASON: Final = "TaintManagerEviction"


class TaintEvictionController(Controller):
    """Deletes pods from tainted nodes, at once or when their toleration runs out.

    Keys are ``node:name``, ``pod:namespace/name`` and, when a time is up, ``due:namespace/name``.
    """

    name = "taint-eviction-controller"
    ignores_rewordings = True

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._tainted: dict[str, tuple[Taint, ...]] = {}
        self._due_ns: dict[str, int] = {}

    def handlers(self) -> Handlers:
        """Nodes for their taints, and pods for their place and tolerations."""
        return {("", "Node"): self._on_node, ("", "Pod"): self._on_pod}

    def _on_node(self, change: Change) -> None:
        old, new = change.old, change.new
        if change.type == DELETED or old is None or _no_execute(old) != _no_execute(new):
            self.queue.add(f"node:{change.key}")

    def _on_pod(self, change: Change) -> None:
        key, spec = change.key, change.new["spec"]
        if change.type == DELETED:
            if key in self._due_ns:
                self.queue.add(f"pod:{key}")
        elif spec.get("nodeName") in self._tainted and not _same_place(change.old, spec):
            self.queue.add(f"pod:{key}")

    def sync(self, key: str) -> None:
        """Sync a node, a pod, or a pod whose time is up."""
        topic, _, name = key.partition(":")
        if topic == "node":
            self._sync_node(name)
        elif topic == "pod":
            self._sync_pod(name)
        elif name in self._due_ns:
            if self._due_ns[name] > self.clock.unix_ns:
                self.queue.add_at(key, self._due_ns[name])
            else:
                del self._due_ns[name]
                self._evict(name)

    def _sync_node(self, name: str) -> None:
        node = self.lister.get(gvk.NODE, name)
        if node is None:
            self._tainted.pop(name, None)
            return
        found = _no_execute(node)
        if found:
            self._tainted[name] = found
        else:
            self._tainted.pop(name, None)
        collection = self.lister.collection(pods.POD)
        for key in sorted(collection.fields["spec.nodeName"].get(name)):
            if found:
                self._evaluate(key, collection.objects[key], found)
            else:
                self._cancel(key)

    def _sync_pod(self, key: str) -> None:
        pod = self.lister.get(pods.POD, key)
        if pod is None:
            self._cancel(key)
            return
        found = self._tainted.get(pod["spec"].get("nodeName") or "")
        if found is not None:
            self._evaluate(key, pod, found)

    def _evaluate(self, key: str, pod: Json, present: tuple[Taint, ...]) -> None:
        """Decide whether a pod on a tainted node may stay, and how long."""
        patience = _patience_seconds(present, pod["spec"].get("tolerations") or ())
        if patience is None:
            self._cancel(key)
        elif not patience:
            self._cancel(key)
            self._evict(key)
        elif key not in self._due_ns:
            self._due_ns[key] = self.clock.unix_ns + patience * SECOND_NS
            self.queue.add_at(f"due:{key}", self._due_ns[key])

    def _cancel(self, key: str) -> None:
        if self._due_ns.pop(key, None) is not None:
            self.events.event(_reference(key), NORMAL, _REASON, f"Cancelling deletion of Pod {key}")

    def _evict(self, key: str) -> None:
        self.events.event(_reference(key), NORMAL, _REASON, f"Marking for deletion Pod {key}")
        pod = self.lister.get(pods.POD, key)
        if pod is None:
            return
        text = "Taint manager: deleting due to NoExecute taint"
        reason = "DeletionByTaintManager"
        status = disruption_target.status_with(pod, "True", reason, text, self.clock.unix_ns)
        self.store.record_status(pods.POD, key, status)
        metadata = pod["metadata"]
        try:
            self.store.delete(pods.POD, metadata["name"], metadata["namespace"])
        except NotFound:
            return


def _no_execute(node: Json) -> tuple[Taint, ...]:
    found = (node.get("spec") or {}).get("taints") or ()
    return tuple(taints.taint_of(each) for each in found if each["effect"] == taints.NO_EXECUTE)


def _same_place(old: Json | None, spec: Json) -> bool:
    if old is None:
        return False
    before = old["spec"]
    return before is spec or (
        before.get("nodeName") == spec.get("nodeName")
        and before.get("tolerations") == spec.get("tolerations")
    )


def _patience_seconds(present: Iterable[Taint], tolerations: Iterable[Json]) -> int | None:
    """How long all taints are tolerated: 0 is not at all, None is without limit."""
    views = [taints.toleration_of(each) for each in tolerations]
    shortest = None
    for taint in present:
        used = next((each for each in views if each.tolerates(taint)), None)
        if used is None:
            return 0
        seconds = used.toleration_seconds
        if seconds is not None:
            shortest = max(seconds, 0) if shortest is None else max(min(seconds, shortest), 0)
    return shortest


def _reference(key: str) -> Json:
    namespace, _, name = key.partition("/")
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "namespace": namespace}}
