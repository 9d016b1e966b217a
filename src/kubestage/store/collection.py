"""All objects of one kind, by key, with their indexes and their log.

A key is ``namespace/name``, or ``name`` for kinds without namespaces: the order of keys is the
order in which the API lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store import field_values
from kubestage.store.budget_selectors import BudgetSelectors
from kubestage.store.indexes import LabelIndex, OwnerIndex, ValueIndex, owner_uids
from kubestage.store.ordered_keys import OrderedKeys

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import Change, Log
    from kubestage.store.selection import Selection

    Subscriber = Callable[[Change], None]

_NO_LABELS: Final[dict[str, str]] = {}
# An index helps while there are no more keys of other namespaces in it than so many times all of
# one namespace.
_MOST_OTHERS: Final = 4


def key_of(namespace: str | None, name: str) -> str:
    """The key of an object."""
    return f"{namespace}/{name}" if namespace else name


class Collection:
    """The present state of one kind.

    `objects` is for reading; changes go through `put`, `assign` and `drop`, which keep the
    indexes true. `subscribers` are notified of changes of this kind. `owning` are the uids that own
    objects of any kind, with the number of kinds.
    """

    __slots__ = (
        "_all", "_partitions", "budget_selectors", "fields", "kind", "labels", "log", "objects",
        "owners", "subscribers",
    )  # fmt: skip

    def __init__(self, kind: Kind, log: Log, owning: dict[str, int]) -> None:
        self.kind = kind
        self.log = log
        self.subscribers: tuple[Subscriber, ...] = ()
        self.objects: dict[str, Json] = {}
        self.labels = LabelIndex()
        self.fields = {field: ValueIndex() for field in field_values.INDEXED.get(kind.kind, ())}
        self.owners = OwnerIndex(owning)
        is_budgets = (kind.group, kind.kind) == ("policy", "PodDisruptionBudget")
        self.budget_selectors = BudgetSelectors() if is_budgets else None
        self._partitions: dict[str, OrderedKeys] = {}
        self._all: list[str] | None = []

    def put(self, key: str, new: Json, old: Json | None) -> None:
        """Place an object, instead of `old` if there is one."""
        if old is None:
            self.add(key, new)
            self._enter(key, new)
        else:
            self.objects[key] = new
            self._index(key, new, old)

    def add(self, key: str, new: Json) -> None:
        """Place a new object that belongs in no index."""
        self.objects[key] = new
        namespace = new["metadata"].get("namespace") or ""
        partition = self._partitions.get(namespace)
        if partition is None:
            partition = self._partitions[namespace] = OrderedKeys()
        partition.add(key)
        self._all = None

    def assign(self, key: str, bound: Json) -> None:
        """Place a pod that had no node and got one, and is in no other new index."""
        self.objects[key] = bound
        self.fields[field_values.NODE_NAME].move(key, "", bound["spec"]["nodeName"])

    def drop(self, key: str, old: Json) -> None:
        """Take an object away."""
        del self.objects[key]
        namespace = old["metadata"].get("namespace") or ""
        partition = self._partitions[namespace]
        partition.remove(key)
        if not len(partition):
            del self._partitions[namespace]
        self._all = None
        self.labels.remove(_labels(old), key)
        for field, index in self.fields.items():
            index.remove(field_values.reader(self.kind.kind, field)(old), key)
        for uid in owner_uids(old):
            self.owners.remove(uid, key)
        if self.budget_selectors is not None:
            self.budget_selectors.drop(key)

    def _enter(self, key: str, new: Json) -> None:
        self.labels.add(_labels(new), key)
        for field, index in self.fields.items():
            index.add(field_values.reader(self.kind.kind, field)(new), key)
        for uid in owner_uids(new):
            self.owners.add(uid, key)
        if self.budget_selectors is not None:
            self.budget_selectors.put(key, new)

    def _index(self, key: str, new: Json, old: Json) -> None:
        """Move a key between buckets; parts that both versions share need no work."""
        before, after = _labels(old), _labels(new)
        if before is not after and before != after:
            self.labels.remove(before, key)
            self.labels.add(after, key)
        if self.fields and old.get("spec") is not new.get("spec"):
            for field, index in self.fields.items():
                read = field_values.reader(self.kind.kind, field)
                was, now = read(old), read(new)
                if was != now:
                    index.move(key, was, now)
        if _references(old) is not _references(new):
            for uid in owner_uids(old):
                self.owners.remove(uid, key)
            for uid in owner_uids(new):
                self.owners.add(uid, key)
        if self.budget_selectors is not None and old.get("spec") is not new.get("spec"):
            self.budget_selectors.put(key, new)

    def keys(self, namespace: str | None) -> list[str]:
        """Keys in order, all or those of a namespace. The list is shared: do not change it."""
        if namespace is not None:
            partition = self._partitions.get(namespace)
            return partition.read() if partition else []
        if self._all is None:
            names = sorted(self._partitions, key=lambda name: f"{name}/")
            self._all = [key for name in names for key in self._partitions[name].read()]
        return self._all

    @property
    def namespaces(self) -> list[str]:
        """The namespaces in which there are objects; an empty one for what has none."""
        return list(self._partitions)

    def candidates(self, selection: Selection) -> list[str]:
        """Keys in order among which all matches are, through the narrowest index there is."""
        name = selection.name
        if name is not None and (selection.namespace is not None or not self.kind.namespaced):
            key = key_of(selection.namespace, name)
            return [key] if key in self.objects else []
        found = self.labels.narrowest(selection.labels)
        for field, index in self.fields.items():
            value = selection.fields.requires_exact_match(field)
            if value is not None:
                bucket = index.get(value)
                if found is None or len(bucket) < len(found):
                    found = bucket
        namespace = selection.namespace
        if found is None or len(found) > self.count(None) // 2:
            return self.keys(namespace)
        if namespace is None or not self.kind.namespaced:
            return sorted(found)
        count = self.count(namespace)
        if len(found) > _MOST_OTHERS * count:
            return self.keys(namespace)
        # NOTE: objects of one name are in every namespace of a load, with the same labels: to sort
        # and read those of others, too, took a fiftieth of its time (benchmarks/load.py).
        prefix = f"{namespace}/"
        own = [key for key in found if key.startswith(prefix)]
        return self.keys(namespace) if len(own) > count // 2 else sorted(own)

    def count(self, namespace: str | None) -> int:
        """How many objects there are, in all or in a namespace."""
        if namespace is None:
            return len(self.objects)
        partition = self._partitions.get(namespace)
        return len(partition) if partition else 0


def _labels(obj: Json) -> dict[str, str]:
    return obj["metadata"].get("labels") or _NO_LABELS


def _references(obj: Json) -> list[Json] | None:
    references: list[Json] | None = obj["metadata"].get("ownerReferences")
    return references
