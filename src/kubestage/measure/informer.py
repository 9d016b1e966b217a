"""Objects of a selection as they are now, kept up to date by a watch; and counts of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure.outcome import NOTHING, Outcome
from kubestage.objects import durations

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Cluster, Seen, Selection


SYNC_TIMEOUT_NS: Final = durations.MINUTE
SYNC_LOOK_NS: Final = 100 * durations.MILLISECOND
STORE_LOOK_NS: Final = 50 * durations.MILLISECOND
_NOT_SYNCED: Final = "timed out waiting for caches to sync"


def key_of(obj: Json) -> str:
    """What an object is known by: its namespace, if it has one, and its name."""
    meta = obj.get("metadata") or {}
    namespace, name = meta.get("namespace"), str(meta.get("name", ""))
    return f"{namespace}/{name}" if namespace else name


class Informer:
    """The objects of a selection by their keys.

    `changed` is told what an object was (None if it is new), what it is (None if it is gone) and
    when that was heard of.
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
        self._subscription = cluster.watch(selection, self._see)

    @property
    def is_synced(self) -> bool:
        """Whether all that was there at the beginning is known."""
        return self._subscription.is_synced

    def stop(self) -> None:
        """Hear of nothing more; what is known stays."""
        self._is_stopped = True
        self._subscription.stop()

    def _see(self, seen: Seen) -> None:
        if self._is_stopped:
            return
        obj = seen.object
        key = key_of(obj)
        if seen.type == "DELETED":
            old, new = self.objects.pop(key, None), None
        else:
            old, new = self.objects.get(key), obj
            self.objects[key] = obj
        if self._changed is not None and not (old is None and new is None):
            self._changed(old, new, seen.at_ns)


class Tally:
    """How many objects of a selection there are of each sort.

    `sort` says what an object counts as; None for one that does not count.
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
        """Whether all that was there at the beginning is counted."""
        return self.informer.is_synced

    def of(self, *sorts: Hashable) -> int:
        """How many there are of these sorts."""
        return sum(self.counts.get(sort, 0) for sort in sorts)

    def keys(self, *sorts: Hashable) -> list[str]:
        """Which ones there are of these sorts, in order: for what is said of them at the end."""
        found = [key for key, obj in self.informer.objects.items() if self._sort(obj) in sorts]
        return sorted(found)

    def stop(self) -> None:
        """Count no further."""
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


def synced(is_synced: bool) -> Outcome:
    """What is said when a watch has told all that was there, or has not in time."""
    return NOTHING if is_synced else Outcome(errors=(_NOT_SYNCED,))
