"""The books: every collection, one version counter over all of them, and who is told of changes.

The ledger knows nothing of verbs or rules. It commits what it is given, in order, and tells
subscribers when the verb that made the changes is done.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import kinds
from kubestage.store.collection import Collection
from kubestage.store.log import ADDED, DELETED, MODIFIED, Change, Log, at_revision

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

    from kubestage.objects.kinds import Kind
    from kubestage.store.collection import Subscriber

    Kinds = Container[tuple[str, str]]

_BEFORE_ALL: Final = 10**9


class Ledger:
    """Versioned objects by kind.

    `history` is how many changes of each kind are remembered at least, for watches that resume
    and lists at an older version. `undelivered` are the changes of which subscribers have yet to
    be told.
    """

    def __init__(self, history: int, revision: int) -> None:
        self.revision = revision
        self._history = history
        self._first_revision = revision
        # Every cluster of a server begins with the time in milliseconds, so that its versions are
        # not taken for those of an earlier one. In none has anything happened before that.
        self.void = _BEFORE_ALL if revision > _BEFORE_ALL else -1
        self._collections: dict[tuple[str, str], Collection] = {}
        self._ordered: tuple[Collection, ...] | None = ()
        self._subscriptions: list[tuple[Subscriber, Kinds | None]] = []
        self.undelivered: deque[tuple[Collection, Change]] = deque()
        self._delivering = False

    def collection(self, kind: Kind) -> Collection:
        """The objects of a kind; all versions of a group share one collection."""
        found = self._collections.get((kind.group, kind.plural))
        if found is None and kind.stored_as is not None:
            return self.collection(kinds.stored(kind))
        if found is None:
            log = Log(self._history, self._first_revision, self.void)
            found = self._collections[kind.group, kind.plural] = Collection(kind, log)
            self._ordered = None
            found.subscribers = self._subscribers_of(kind)
        return found

    def find(self, kind: Kind) -> Collection | None:
        """The objects of a kind if there ever were any, or somebody has asked for them."""
        stored = kinds.stored(kind)
        return self._collections.get((stored.group, stored.plural))

    def collections(self) -> Iterator[Collection]:
        """All collections, in the order in which they were first used."""
        return iter(tuple(self._collections.values()))

    def by_name(self) -> Iterator[Collection]:
        """All collections by group and plural: who has read what before makes no difference."""
        if self._ordered is None:
            self._ordered = tuple(each for _, each in sorted(self._collections.items(), key=_name))
        return iter(self._ordered)

    def is_restored(self, obj: dict[str, Any]) -> bool:
        """Whether an object is as an earlier store left it: of a version before the first."""
        return int(obj["metadata"]["resourceVersion"]) <= self._first_revision

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

    def add(self, collection: Collection, key: str, obj: dict[str, Any]) -> Change:
        """Commit a new object under the next version; nobody owns it, and it has no labels."""
        self.revision = revision = self.revision + 1
        obj["metadata"]["resourceVersion"] = str(revision)
        collection.add(key, obj)
        return self._record(collection, Change(revision, ADDED, collection.kind, key, obj, None))

    def assign(
        self, pods: Collection, key: str, bound: dict[str, Any], old: dict[str, Any]
    ) -> Change:
        """Commit a pod that has got its node and is otherwise, but for its status, as it was."""
        self.revision = revision = self.revision + 1
        bound["metadata"]["resourceVersion"] = str(revision)
        pods.assign(key, bound)
        change = Change(revision, MODIFIED, pods.kind, key, bound, old, True)
        return self._record(pods, change)

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
        if collection.subscribers:
            self.undelivered.append((collection, change))
        return change

    def subscribe(self, subscriber: Subscriber, kinds: Kinds | None = None) -> None:
        """Call back for every change from now on, after it is committed, in order.

        With `kinds`, pairs of group and kind, for changes of those only.
        """
        self._subscriptions.append((subscriber, kinds))
        self._connect()

    def unsubscribe(self, subscriber: Subscriber) -> None:
        """Stop calling back."""
        known = [each for each, _ in self._subscriptions]
        del self._subscriptions[known.index(subscriber)]
        self._connect()

    def _connect(self) -> None:
        for collection in self._collections.values():
            collection.subscribers = self._subscribers_of(collection.kind)

    def _subscribers_of(self, kind: Kind) -> tuple[Subscriber, ...]:
        return tuple(
            subscriber
            for subscriber, kinds in self._subscriptions
            if kinds is None or (kind.group, kind.kind) in kinds
        )

    def deliver(self) -> None:
        """Tell subscribers of all that is committed.

        A subscriber may change objects: those changes are told after the one at hand, to all,
        so every subscriber sees one order.
        """
        undelivered = self.undelivered
        if self._delivering:
            return
        self._delivering = True
        try:
            while undelivered:
                collection, change = undelivered.popleft()
                for subscriber in collection.subscribers:
                    subscriber(change)
        finally:
            self._delivering = False


def _name(item: tuple[tuple[str, str], Collection]) -> tuple[str, str]:
    return item[0]
