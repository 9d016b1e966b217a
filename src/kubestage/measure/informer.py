"""Objects of a selection as they are now, kept up to date by a watch; and counts of them."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Final

from kubestage.golang import durations
from kubestage.measure.results import NOTHING, MeasurementResult

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Cluster, Selection, WatchEvent


SYNC_TIMEOUT_NS: Final = durations.MINUTE
SYNC_POLL_NS: Final = 100 * durations.MILLISECOND
STORE_POLL_NS: Final = 50 * durations.MILLISECOND
_NOT_SYNCED: Final = "timed out waiting for caches to sync"


def key_of(obj: Json) -> str:
    """The key of an object: its namespace, if it has one, and its name.

    NOTE: it is interned: half a dozen measurements keep the keys of all pods, and those took 100 MB
    with 150,000 of them (benchmarks/load.py).
    """
    meta = obj.get("metadata") or {}
    namespace, name = meta.get("namespace"), str(meta.get("name", ""))
    return sys.intern(f"{namespace}/{name}" if namespace else name)


class Informer:
    """The objects of a selection by their keys.

    `changed` receives the object before (None if it is new), the object after (None if it is
    deleted) and when the event arrived.
    """

    def __init__(
        self,
        cluster: Cluster,
        selection: Selection,
        changed: Callable[[Json | None, Json | None, int], None] | None = None,
    ) -> None:
        self.objects: dict[str, Json] = {}
        self._changed = changed
        self._is_stopped = False
        self._subscription = cluster.watch(selection, self._on_event)

    @property
    def is_synced(self) -> bool:
        """Whether all objects that existed at the start are known."""
        return self._subscription.is_synced

    def stop(self) -> None:
        """Stop the watch; the known objects stay."""
        self._is_stopped = True
        self._subscription.stop()

    def _on_event(self, event: WatchEvent) -> None:
        if self._is_stopped:
            return
        obj = event.object
        key = key_of(obj)
        if event.type == "DELETED":
            old, new = self.objects.pop(key, None), None
        else:
            old, new = self.objects.get(key), obj
            self.objects[key] = obj
        if self._changed is not None and not (old is None and new is None):
            self._changed(old, new, event.at_ns)


class ObjectCounts:
    """How many objects of a selection there are in each class.

    `sort` returns the class of an object; None for one that does not count.
    """

    def __init__(
        self, cluster: Cluster, selection: Selection, sort: Callable[[Json], Hashable | None]
    ) -> None:
        self._sort = sort
        self.counts: dict[Hashable, int] = {}
        self.total = 0
        self.informer = Informer(cluster, selection, self._change)

    @property
    def is_synced(self) -> bool:
        """Whether all objects that existed at the start are counted."""
        return self.informer.is_synced

    def number_of(self, *sorts: Hashable) -> int:
        """How many objects are in these classes."""
        return sum(self.counts.get(sort, 0) for sort in sorts)

    def keys(self, *sorts: Hashable) -> list[str]:
        """The keys of the objects in these classes, sorted: for messages."""
        found = [key for key, obj in self.informer.objects.items() if self._sort(obj) in sorts]
        return sorted(found)

    def stop(self) -> None:
        """Stop counting."""
        self.informer.stop()

    def _change(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        del at_ns
        before = None if old is None else self._sort(old)
        after = None if new is None else self._sort(new)
        if before == after:
            return
        for sort, by in ((before, -1), (after, 1)):
            if sort is not None:
                self.counts[sort] = self.counts.get(sort, 0) + by
                self.total += by


def synced(is_synced: bool) -> MeasurementResult:
    """The result of waiting for a watch to deliver all existing objects."""
    return NOTHING if is_synced else MeasurementResult(errors=(_NOT_SYNCED,))
