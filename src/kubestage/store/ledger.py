"""The books: every collection, one version counter over all of them, and who is told of changes.

The ledger knows nothing of verbs or rules. It commits what it is given, in order, and tells
subscribers when the verb that made the changes is done.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any

from kubestage.store.collection import Collection
from kubestage.store.log import ADDED, DELETED, MODIFIED, Change, Log, at_revision

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.objects.kinds import Kind

    Subscriber = Callable[[Change], None]


class Ledger:
    """Versioned objects by kind.

    `history` is how many changes of each kind are remembered at least, for watches that resume
    and lists at an older version.
    """

    def __init__(self, history: int, revision: int) -> None:
        self.revision = revision
        self._history = history
        self._first_revision = revision
        self._collections: dict[tuple[str, str], Collection] = {}
        self._subscribers: list[Subscriber] = []
        self._undelivered: deque[Change] = deque()
        self._delivering = False

    def collection(self, kind: Kind) -> Collection:
        """The objects of a kind; all versions of a group share one collection."""
        found = self._collections.get((kind.group, kind.plural))
        if found is None:
            log = Log(self._history, self._first_revision)
            found = self._collections[kind.group, kind.plural] = Collection(kind, log)
        return found

    def collections(self) -> Iterator[Collection]:
        """All collections, in the order in which they were first used."""
        return iter(tuple(self._collections.values()))

    def put(self, kind: Kind, key: str, obj: dict[str, Any]) -> Change:
        """Commit an object under the next version.

        The metadata must be the caller's own: it receives the resourceVersion.
        """
        collection = self.collection(kind)
        old = collection.objects.get(key)
        self.revision = revision = self.revision + 1
        obj["metadata"]["resourceVersion"] = str(revision)
        collection.put(key, obj, old)
        change = Change(revision, ADDED if old is None else MODIFIED, kind, key, obj, old)
        return self._record(collection, change)

    def remove(self, kind: Kind, key: str) -> Change:
        """Commit a deletion; the change shows the last state under the version of the deletion."""
        collection = self.collection(kind)
        old = collection.objects[key]
        self.revision = revision = self.revision + 1
        last = at_revision(old, revision)
        collection.drop(key, old)
        return self._record(collection, Change(revision, DELETED, kind, key, last, old))

    def _record(self, collection: Collection, change: Change) -> Change:
        collection.log.append(change)
        if self._subscribers:
            self._undelivered.append(change)
        return change

    def subscribe(self, subscriber: Subscriber) -> None:
        """Call back for every change from now on, after it is committed, in order."""
        self._subscribers.append(subscriber)

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Stop calling back."""
        self._subscribers.remove(subscriber)

    def deliver(self) -> None:
        """Tell subscribers of all that is committed.

        A subscriber may change objects: those changes are told after the one at hand, to all,
        so every subscriber sees one order.
        """
        if self._delivering or not self._undelivered:
            return
        self._delivering = True
        try:
            while self._undelivered:
                change = self._undelivered.popleft()
                for subscriber in tuple(self._subscribers):
                    subscriber(change)
        finally:
            self._delivering = False
