"""The scheduler's way to the cluster: reads and writes on the store."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import gvk
from kubestage.scheduler import status_patches
from kubestage.store.event_recorder import SeriesRecorder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.store.collection import Collection
    from kubestage.store.store import Store


_Listing = tuple[str, str, str | None]

_MOST_LISTS: Final = 1024


class StoreClient:
    """Lister and client of plugins in one.

    Lists are in the API's order and cost nothing for kinds of which there are no objects. With
    `events` off, no Events are written.
    """

    def __init__(self, store: Store, *, events: bool = True) -> None:
        self._store = store
        self._pods = store.read(gvk.POD)
        self._events = SeriesRecorder(store) if events else None
        self._lists: dict[_Listing, tuple[Sequence[Json], tuple[int, int]]] = {}

    @property
    def writes_events(self) -> bool:
        """Whether Events are written."""
        return self._events is not None

    def get(self, api_version: str, kind: str, name: str, namespace: str = "") -> Json | None:
        """One object, or None."""
        found = self._collection(api_version, kind)
        if found is None:
            return None
        return found.objects.get(f"{namespace}/{name}" if namespace else name)

    def pod(self, key: str) -> Json | None:
        """A pod, or None."""
        return self._pods.get(key)

    def is_current(self, pod: PodView) -> bool:
        """Whether a pod is still as it is in the store."""
        return self._pods.get(pod.key) is pod.raw

    def list(self, api_version: str, kind: str, namespace: str | None = None) -> Sequence[Json]:
        """All objects of a kind, of one namespace or of all.

        NOTE: they are handed out as one and the same list until an object of the kind changes,
        which spares readers a comparison: every pod with volumes needs the drivers of all nodes,
        every pod without spread constraints of its own the Services of its namespace.
        """
        found = self._collection(api_version, kind)
        if found is None or not found.objects:
            return ()
        log = found.log
        as_of = log.end, log.newest
        listed, known = self._lists.get((api_version, kind, namespace), (None, None))
        if listed is None or known != as_of:
            listed = [found.objects[key] for key in found.keys(namespace)]
            if len(self._lists) >= _MOST_LISTS:
                self._lists.clear()
            self._lists[api_version, kind, namespace] = listed, as_of
        return listed

    def bind(self, pod: PodView, node_name: str) -> None:
        """Assign a pod to a node."""
        self._store.assign(pod.key, node_name, pod.uid)

    def delete_pod(self, pod: PodView) -> None:
        """Delete a preempted pod."""
        self._store.delete(gvk.POD, pod.name, pod.namespace)

    def patch_status(self, pod: PodView, status: Json) -> None:
        """Merge into a pod's status."""
        status_patches.merge(self._store, pod, status)

    def reword(self, pod: PodView, reason: str, message: str) -> bool:
        """Say otherwise why a pod waits; whether that is all there is to say about it."""
        return status_patches.reword(self._store, pod, reason, message)

    def update(self, obj: Json, subresource: str = "") -> Json:
        """Replace an object and return it as stored."""
        return self._store.update(obj, subresource=subresource)

    def create(self, obj: Json) -> Json:
        """Add an object and return it as stored."""
        return self._store.create(obj)

    def delete(self, obj: Json) -> None:
        """Remove an object."""
        metadata = obj["metadata"]
        kind = obj["apiVersion"], obj["kind"]
        self._store.delete(kind, metadata["name"], metadata.get("namespace"))

    def event(
        self, regarding: Json, kind: str, reason: str, action: str, note: str, by: str
    ) -> None:
        """Record an Event, such as Normal Scheduled or Warning FailedScheduling."""
        if self._events is not None:
            self._events.event(regarding, kind, reason, action, note, by)

    def _collection(self, api_version: str, kind: str) -> Collection | None:
        row = self._store.kinds.get(api_version, kind)
        return None if row is None else self._store.collection(row)
