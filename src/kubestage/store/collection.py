"""All objects of one kind, by key, with their indexes and their log.

A key is ``namespace/name``, or ``name`` for kinds without namespaces: the order of keys is the
order in which the API lists.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.store import field_values
from kubestage.store.indexes import LabelIndex, ValueIndex, owner_uids
from kubestage.store.ordered_keys import OrderedKeys

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.log import Log
    from kubestage.store.selection import Selection

_NO_LABELS: Final[dict[str, str]] = {}


def key_of(namespace: str | None, name: str) -> str:
    """The key of an object."""
    return f"{namespace}/{name}" if namespace else name


class Collection:
    """The present state of one kind.

    `objects` is for reading; changes go through `put` and `drop`, which keep the indexes true.
    """

    __slots__ = ("_all", "_partitions", "fields", "kind", "labels", "log", "objects", "owners")

    def __init__(self, kind: Kind, log: Log) -> None:
        self.kind = kind
        self.log = log
        self.objects: dict[str, dict[str, Any]] = {}
        self.labels = LabelIndex()
        self.fields = {field: ValueIndex() for field in field_values.INDEXED.get(kind.kind, ())}
        self.owners = ValueIndex()
        self._partitions: dict[str, OrderedKeys] = {}
        self._all: list[str] | None = []

    def put(self, key: str, new: dict[str, Any], old: dict[str, Any] | None) -> None:
        """Place an object, instead of `old` if there is one."""
        self.objects[key] = new
        if old is None:
            namespace = new["metadata"].get("namespace") or ""
            partition = self._partitions.get(namespace)
            if partition is None:
                partition = self._partitions[namespace] = OrderedKeys()
            partition.add(key)
            self._all = None
        self._index(key, new, old)

    def drop(self, key: str, old: dict[str, Any]) -> None:
        """Take an object away."""
        del self.objects[key]
        namespace = old["metadata"].get("namespace") or ""
        partition = self._partitions[namespace]
        partition.remove(key)
        if not len(partition):
            del self._partitions[namespace]
        self._all = None
        self._index(key, None, old)

    def _index(self, key: str, new: dict[str, Any] | None, old: dict[str, Any] | None) -> None:
        """Move a key between buckets; parts that both versions share need no work."""
        before, after = _labels(old), _labels(new)
        if before is not after and before != after:
            self.labels.remove(before, key)
            self.labels.add(after, key)
        for field, index in self.fields.items():
            read = field_values.reader(self.kind.kind, field)
            was, now = read(old) if old else None, read(new) if new else None
            if was != now:
                if was is not None:
                    index.remove(was, key)
                if now is not None:
                    index.add(now, key)
        if _references(old) is not _references(new):
            for uid in dict.fromkeys(owner_uids(old) if old else ()):
                self.owners.remove(uid, key)
            for uid in dict.fromkeys(owner_uids(new) if new else ()):
                self.owners.add(uid, key)

    def keys(self, namespace: str | None) -> list[str]:
        """Keys in order, all or those of a namespace. The list is shared: do not change it."""
        if namespace is not None:
            partition = self._partitions.get(namespace)
            return partition.read() if partition else []
        if self._all is None:
            names = sorted(self._partitions, key=lambda name: f"{name}/")
            self._all = [key for name in names for key in self._partitions[name].read()]
        return self._all

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
        if found is None or len(found) > self.count(selection.namespace) // 2:
            return self.keys(selection.namespace)
        return sorted(found)

    def count(self, namespace: str | None) -> int:
        """How many objects there are, in all or in a namespace."""
        if namespace is None:
            return len(self.objects)
        partition = self._partitions.get(namespace)
        return len(partition) if partition else 0


def _labels(obj: dict[str, Any] | None) -> dict[str, str]:
    return (obj["metadata"].get("labels") or _NO_LABELS) if obj else _NO_LABELS


def _references(obj: dict[str, Any] | None) -> list[dict[str, Any]] | None:
    return obj["metadata"].get("ownerReferences") if obj else None
