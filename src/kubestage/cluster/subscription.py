"""A watch on a stage: what exists, and then every change, each some time after it happened."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

from kubestage.cluster.access import WatchEvent
from kubestage.objects import conversion
from kubestage.store.log import ADDED, DELETED, MODIFIED

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.cluster.access import Moments, Timer
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import Change
    from kubestage.store.selection import Selection
    from kubestage.store.store import Store


class Wire(Protocol):
    """How long events take to reach a watcher."""

    def list(self, row: Kind, namespace: str | None, objects: Sequence[Json]) -> tuple[int, bool]:
        """List objects now: when the list is there, or when to ask again, and which of both."""

    def delay_ns(self) -> int:
        """How long a change takes to arrive."""


class StageSubscription:
    """The queue of one watcher: which events it receives, and when, in the order of the changes.

    No event overtakes another: one that would arrive sooner waits for the one before it. All that
    are due at one time are delivered in one turn. The watch starts with `begin`, when its list is
    there.
    """

    def __init__(
        self,
        store: Store,
        moments: Moments,
        selection: Selection,
        on_event: Callable[[WatchEvent], None],
        wire: Wire,
    ) -> None:
        self._store = store
        self._moments = moments
        self._selection = selection
        self._selects_all = selection.selects_all
        self.row: Kind = selection.kind
        self._is_view = conversion.is_view(selection.kind)
        self._on_event = on_event
        self._wire = wire
        self._queue: deque[tuple[int, str, Json]] = deque()
        self._timer: Timer | None = None
        self._is_listening = False
        self.is_stopped = False
        self._initial = -1
        self._listed_ns = 0
        self.sent = 0

    @property
    def namespace(self) -> str | None:
        """The namespace that is watched, if it is only one."""
        return self._selection.namespace

    @property
    def is_synced(self) -> bool:
        """Whether all objects that existed at the start have been delivered."""
        return not self._initial and self._moments.now_ns >= self._listed_ns

    def begin(self) -> None:
        """Take what exists, and observe changes from now on; again if the list is refused."""
        if self.is_stopped:
            return
        store, row = self._store, self.row
        collection = store.collection(row)
        objects, matches = collection.objects, self._selection.matches
        found = [
            obj for key in collection.candidates(self._selection) if matches(obj := objects[key])
        ]
        due_ns, is_served = self._wire.list(row, self.namespace, found)
        if not is_served:
            self._moments.at(due_ns, self.begin)
            return
        self._listed_ns = due_ns
        self._queue.extend((due_ns, ADDED, obj) for obj in found)
        self._initial = len(found)
        store.subscribe(self._on_change, frozenset({(collection.kind.group, collection.kind.kind)}))
        self._is_listening = True
        if self._queue:
            self._set()

    def stop(self) -> None:
        """Stop the watch."""
        self.is_stopped = True
        self._queue.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._is_listening:
            self._is_listening = False
            self._store.unsubscribe(self._on_change)

    def _on_change(self, change: Change) -> None:
        kind, obj = change.type, change.new
        if not self._selects_all:
            old, selection = change.old, self._selection
            # NOTE: most changes leave all alone by which an object is selected.
            if old is None or selection.matches_alike(old, obj):
                if not selection.matches(obj):
                    return
            elif kind == DELETED:
                if not selection.matches(old):
                    return
            elif selection.matches(obj):
                kind = MODIFIED if selection.matches(old) else ADDED
            elif selection.matches(old):
                kind, obj = change.left
            else:
                return
        due_ns = self._moments.now_ns + self._wire.delay_ns()
        # The queue is delivered from its head, so an early event waits for the one before it.
        self._queue.append((max(due_ns, self._listed_ns), kind, obj))
        if self._timer is None:
            self._set()

    def _set(self) -> None:
        self._timer = self._moments.at(self._queue[0][0], self._deliver)

    def _deliver(self) -> None:
        self._timer = None
        queue, row, on_event = self._queue, self.row, self._on_event
        now_ns, is_view = self._moments.now_ns, self._is_view
        # Events that arrive meanwhile, in this very instant, get their own turn.
        for _ in range(len(queue)):
            if not queue or queue[0][0] > now_ns:
                break
            _, kind, obj = queue.popleft()
            if self._initial > 0:
                self._initial -= 1
            self.sent += 1
            if is_view:
                obj = conversion.to_served(row, obj)
            on_event(WatchEvent(kind, obj, now_ns))
        if queue and self._timer is None:
            self._set()
