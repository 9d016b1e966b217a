"""All collections, one version counter over them, and the subscribers to changes.

The ledger knows nothing of verbs or rules. It commits changes in order, and notifies
subscribers when the verb that made the changes is done.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final

from kubestage.objects import kinds
from kubestage.store.collection import Collection
from kubestage.store.log import ADDED, DELETED, MODIFIED, Change, Log, at_revision

if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.collection import Subscriber
    from kubestage.store.indexes import Bucket

    Kinds = Container[tuple[str, str]]

_BEFORE_ALL: Final = 10**9
_BUILT_IN: Final = tuple(dict.fromkeys((row.group, row.plural) for row in kinds.BUILT_IN))


class Ledger:
    """Versioned objects by kind.

    `history` is how many changes of each kind are retained at least, for watches that resume
    and lists at an older version. `undelivered` are the changes that subscribers have yet to
    receive.
    """

    def __init__(self, history: int, revision: int) -> None:
        self.revision = revision
        # Of older versions than this one no list can be read.
        self.compacted = -1
        self._history = history
        self._first_revision = revision
        # Every cluster of a server begins with the time in milliseconds, so that its versions are
        # not taken for those of an earlier one. In none has anything happened before that.
        self.void = _BEFORE_ALL if revision > _BEFORE_ALL else -1
        self._collections: dict[tuple[str, str], Collection] = {}
        # The places of kinds in the order of the kind table.
        self._places = {name: place for place, name in enumerate(_BUILT_IN)}
        self._by_row: tuple[Collection, ...] | None = ()
        self._by_name: tuple[Collection, ...] | None = ()
        self._owners: tuple[tuple[Collection, Mapping[str, Bucket]], ...] | None = ()
        self.owning: dict[str, int] = {}
        self._subscriptions: list[tuple[Subscriber, Kinds | None]] = []
        self.undelivered: deque[tuple[Collection, Change]] = deque()
        self._delivering = False

    def collection(self, kind: Kind) -> Collection:
        """The objects of a kind; all versions of a group share one collection."""
        found = self._collections.get((kind.group, kind.plural))
        if found is None and kind.stored_as is not None:
            return self.collection(kinds.stored(kind))
        if found is None:
            self.add_kind(kind)
            log = Log(self._history, self._first_revision, self.void)
            found = self._collections[kind.group, kind.plural] = Collection(kind, log, self.owning)
            self._by_row = self._by_name = self._owners = None
            found.subscribers = self._subscribers_of(kind)
        return found

    def add_kind(self, kind: Kind) -> None:
        """Give a kind the next place in the order of collections, unless it has one."""
        self._places.setdefault((kind.group, kind.plural), len(self._places))

    def collections(self) -> Iterator[Collection]:
        """All collections in the order of the kind table, then custom kinds as they were defined.

        The order does not depend on which kind was read or written first.
        """
        if self._by_row is None:
            by_place = sorted(self._collections, key=self._places.__getitem__)
            self._by_row = tuple(self._collections[name] for name in by_place)
        return iter(self._by_row)

    def by_name(self) -> Iterator[Collection]:
        """All collections by group and plural."""
        if self._by_name is None:
            self._by_name = tuple(self._collections[name] for name in sorted(self._collections))
        return iter(self._by_name)

    def owners(self) -> Iterator[tuple[Collection, Mapping[str, Bucket]]]:
        """All collections by group and plural, each with its keys by the uids of their owners.

        NOTE: every removal searches them, and most find nothing: Events that expire were a tenth of
        the time of a long rehearsal (benchmarks/rehearse.py).
        """
        if self._owners is None:
            self._owners = tuple((each, each.owners.buckets()) for each in self.by_name())
        return iter(self._owners)

    @property
    def object_count(self) -> int:
        """How many objects there are, of all kinds."""
        return sum(len(each.objects) for each in self._collections.values())

    def is_restored(self, obj: Json) -> bool:
        """Whether an object is as an earlier store left it: of a version before the first."""
        return int(obj["metadata"]["resourceVersion"]) <= self._first_revision

    def compact(self, revision: int) -> None:
        """Have no list of a version before this one from now on; that takes a version itself."""
        self.compacted = max(revision, self.compacted)
        self.revision += 1

    def put(self, kind: Kind, key: str, obj: Json, *, is_reworded: bool = False) -> Change:
        """Commit an object under the next version.

        The metadata must be the caller's own: it receives the resourceVersion.
        """
        collection = self.collection(kind)
        old = collection.objects.get(key)
        self.revision = revision = self.revision + 1
        obj["metadata"]["resourceVersion"] = str(revision)
        collection.put(key, obj, old)
        what = ADDED if old is None else MODIFIED
        change = Change(revision, what, kind, key, obj, old, is_reworded=is_reworded)
        return self._record(collection, change)

    def add(self, collection: Collection, key: str, obj: Json) -> Change:
        """Commit a new object under the next version; it has no owners and no labels."""
        self.revision = revision = self.revision + 1
        obj["metadata"]["resourceVersion"] = str(revision)
        collection.add(key, obj)
        return self._record(collection, Change(revision, ADDED, collection.kind, key, obj, None))

    def assign(self, pods: Collection, key: str, bound: Json, old: Json) -> Change:
        """Commit a pod that has got its node and is otherwise, but for its status, as it was."""
        self.revision = revision = self.revision + 1
        bound["metadata"]["resourceVersion"] = str(revision)
        pods.assign(key, bound)
        change = Change(revision, MODIFIED, pods.kind, key, bound, old, True)
        return self._record(pods, change)

    def reword(self, pods: Collection, key: str, reworded: Json, old: Json) -> Change:
        """Commit a pod without a node that has but another message in one condition."""
        self.revision = revision = self.revision + 1
        reworded["metadata"]["resourceVersion"] = str(revision)
        pods.objects[key] = reworded
        change = Change(revision, MODIFIED, pods.kind, key, reworded, old, False, True)
        return self._record(pods, change)

    def drop(self, collection: Collection, key: str, old: Json) -> Change:
        """Commit a deletion; the change shows the last state under the version of the deletion."""
        self.revision = revision = self.revision + 1
        last = at_revision(old, revision)
        collection.drop(key, old)
        return self._record(collection, Change(revision, DELETED, collection.kind, key, last, old))

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
        """Notify subscribers of all that is committed.

        A subscriber may change objects: those changes are delivered after the current one, to all,
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
