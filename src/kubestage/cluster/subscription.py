"""A watch on a stage: what is there, and then every change, each some time after it happened."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Protocol

from kubestage.cluster.access import Seen
from kubestage.objects import conversion
from kubestage.store.log import ADDED, DELETED, MODIFIED

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Moments, Timer
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import Change
    from kubestage.store.selection import Selection
    from kubestage.store.store import Store


class Wire(Protocol):
    """How long it takes to hear of something."""

    def listed_ns(self, row: Kind, namespace: str | None, count: int) -> int:
        """When a list of so many objects that is asked for now is there."""

    def delay_ns(self) -> int:
        """How long a change is on its way."""


class StageSubscription:
    """One watcher's line: what it is to be told, and when, in the order in which it happened.

    Nothing overtakes: an event that would be there sooner waits for the one before it. All that
    is due at one time is told in one turn. The watch begins with `begin`, when its list is there.
    """

    def __init__(
        self,
        store: Store,
        moments: Moments,
        selection: Selection,
        seen: Callable[[Seen], None],
        wire: Wire,
    ) -> None:
        self._store = store
        self._moments = moments
        self._selection = selection
        self.row: Kind = selection.kind
        self._seen = seen
        self._wire = wire
        self._line: deque[tuple[int, str, Json]] = deque()
        self._timer: Timer | None = None
        self._is_listening = False
        self.is_stopped = False
        self._initial = -1
        self._listed_ns = 0
        self.told = 0

    @property
    def namespace(self) -> str | None:
        """The one namespace that is watched, if it is one."""
        return self._selection.namespace

    @property
    def is_synced(self) -> bool:
        """Whether all that was there at the beginning has been told."""
        return not self._initial and self._moments.now_ns >= self._listed_ns

    def begin(self) -> None:
        """Take what is there, and listen from now on."""
        if self.is_stopped:
            return
        store, row = self._store, self.row
        collection = store.ledger.collection(row)
        objects, matches = collection.objects, self._selection.matches
        found = [
            obj for key in collection.candidates(self._selection) if matches(obj := objects[key])
        ]
        due_ns = self._wire.listed_ns(row, self.namespace, len(found))
        self._listed_ns = due_ns
        self._line.extend((due_ns, ADDED, obj) for obj in found)
        self._initial = len(found)
        store.subscribe(self._hear, frozenset({(collection.kind.group, collection.kind.kind)}))
        self._is_listening = True
        if self._line:
            self._set()

    def stop(self) -> None:
        """Be told no more."""
        self.is_stopped = True
        self._line.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._is_listening:
            self._is_listening = False
            self._store.unsubscribe(self._hear)

    def _hear(self, change: Change) -> None:
        matches = self._selection.matches
        old, now = change.old, change.type
        if self._selection.selects_all:
            kind, obj = now, change.new
        else:
            was = old is not None and matches(old)
            if now == DELETED:
                if not was:
                    return
                kind, obj = DELETED, change.new
            elif matches(change.new):
                kind, obj = (MODIFIED if was else ADDED), change.new
            elif was:
                kind, obj = change.left
            else:
                return
        due_ns = self._moments.now_ns + self._wire.delay_ns()
        # The line is told from its head, so what is there sooner waits for what is before it.
        self._line.append((max(due_ns, self._listed_ns), kind, obj))
        if self._timer is None:
            self._set()

    def _set(self) -> None:
        self._timer = self._moments.at(self._line[0][0], self._tell)

    def _tell(self) -> None:
        self._timer = None
        line, row, seen = self._line, self.row, self._seen
        now_ns = self._moments.now_ns
        # What is heard of in the meantime, in this very instant, gets a turn of its own.
        for _ in range(len(line)):
            if not line or line[0][0] > now_ns:
                break
            _, kind, obj = line.popleft()
            if self._initial > 0:
                self._initial -= 1
            self.told += 1
            if row.stored_as is not None:
                obj = conversion.to_served(row, obj)
            seen(Seen(kind, obj, now_ns))
        if line and self._timer is None:
            self._set()
