"""The objects of an observed cluster, as the scheduler's plugins read them.

Objects are taken as they are: with their uids, nodes and statuses, without defaults or admission.
A mirror may begin in the middle: what is not known yet is added by an update of it, and the end
of something that is not known is no error.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import stage as stages
from kubestage.objects import gvk
from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.nominator import Nominator
from kubestage.sources import canonical_kinds
from kubestage.stage import manifests
from kubestage.store.collection import key_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind

_ENDED: Final = ("Succeeded", "Failed")
# No scheduler reads them, and there may be many.
_UNREAD: Final = frozenset({
    "ControllerRevision", "Endpoints", "EndpointSlice", "Event", "IPAddress", "Lease",
    "NodeMetrics", "PodMetrics", "Scenario",
})  # fmt: skip
_HISTORY: Final = 1


class Mirror:
    """Follows a cluster: its objects in a store, its nodes and pods in columns."""

    def __init__(self, seed: int = 0) -> None:
        stage = stages.Stage(seed, garbage="manual", history=_HISTORY)
        self.store = stage.store
        self.streams = stage.streams
        self.cache = Cache()
        self.nominator = Nominator()

    def put_all(self, objects: Iterable[Json]) -> None:
        """Take up many objects, definitions of kinds first."""
        for obj in sorted(objects, key=manifests.rank):
            self.put(obj)

    def put(self, obj: Json) -> None:
        """Take up an object that is new or has changed; kinds that nothing defines are ignored."""
        metadata = obj.get("metadata") or {}
        kind = self._kind(obj.get("apiVersion") or "", obj.get("kind") or "")
        if kind is None or not metadata.get("name"):
            return
        key = key_of(metadata.get("namespace"), metadata["name"])
        # Sources that have no uids name an object once at a time.
        own = {"uid": key, **metadata}
        before = self.store.read(kind).get(key)
        stored = self.store.put(kind, key, {**obj, "metadata": own})
        self._settle()
        if (kind.api_version, kind.kind) == gvk.POD:
            if before is not None and before["metadata"]["uid"] != own["uid"]:
                # Its end was not seen.
                self._drop_pod(before["metadata"]["uid"])
            self._put_pod(stored, key)
        elif (kind.api_version, kind.kind) == gvk.NODE:
            self.cache.add_node(node_views.of(stored))

    def remove(self, api_version: str, kind_name: str, name: str, namespace: str = "") -> None:
        """An object is gone."""
        kind = self._kind(api_version, kind_name)
        key = key_of(namespace, name)
        if kind is None or key not in self.store.read(kind):
            return
        last = self.store.remove(kind, key)
        self._settle()
        if (kind.api_version, kind.kind) == gvk.POD:
            self._drop_pod(last["metadata"]["uid"])
        elif (kind.api_version, kind.kind) == gvk.NODE:
            self.cache.remove_node(name)

    def _put_pod(self, pod: Json, key: str) -> None:
        view = pod_views.of(pod, key)
        if view.phase in _ENDED:
            self._drop_pod(view.uid)
        elif view.node_name:
            self.nominator.remove(view.uid)
            self.cache.add_pod(view)
        else:
            # A mirror that is set back knows of its node.
            self.cache.remove_pod(view.uid)
            self.nominator.add(view, view.nominated_node_name)

    def _drop_pod(self, uid: str) -> None:
        self.nominator.remove(uid)
        self.cache.remove_pod(uid)

    def _settle(self) -> None:
        self.store.settle()
        # Owners and namespaces go when the cluster says so.
        self.store.garbage.queue.clear()

    def _kind(self, api_version: str, name: str) -> Kind | None:
        if name in _UNREAD:
            return None
        found = self.store.kinds.get(api_version, name)
        if found is None:
            version = canonical_kinds.version_read(api_version, name)
            found = None if version is None else self.store.kinds.get(version, name)
        return found
