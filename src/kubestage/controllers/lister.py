"""What loops read: objects by key, by owner, by label, in an order that never varies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store.selection import Selection

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.labels import Selector
    from kubestage.store.collection import Collection
    from kubestage.store.core import KindRef
    from kubestage.store.store import Store


_NO_LABELS: Final[dict[str, str]] = {}


class Lister:
    """Reads the store directly: what it returns is shared and must not be changed."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def collection(self, kind: KindRef) -> Collection:
        """All objects of a kind with their indexes."""
        return self._store.collection(kind)

    def get(self, kind: KindRef, key: str) -> Json | None:
        """The object of a key, ``namespace/name`` or ``name``."""
        return self.collection(kind).objects.get(key)

    def all(self, kind: KindRef, namespace: str | None = None) -> list[Json]:
        """All objects of a kind, or of a namespace, by key."""
        found = self.collection(kind)
        objects = found.objects
        return [objects[key] for key in found.keys(namespace)]

    def indexed(self, kind: KindRef, field: str, value: str) -> list[Json]:
        """The objects whose indexed field has a value, by key."""
        found = self.collection(kind)
        objects = found.objects
        return [objects[key] for key in sorted(found.fields[field].get(value))]

    def owned(self, kind: KindRef, uid: str) -> list[Json]:
        """The objects that name an owner, as its controller or not, by key."""
        found = self.collection(kind)
        objects = found.objects
        return [objects[key] for key in sorted(found.owners.get(uid))]

    def selected(self, kind: KindRef, namespace: str, selector: Selector) -> list[Json]:
        """The objects of a namespace whose labels match, by key."""
        found = self.collection(kind)
        objects, selected = found.objects, []
        # NOTE: the pods of a template share their labels, and are looked at one after the other.
        last, is_match = None, False
        for key in found.candidates(Selection(found.kind, namespace, selector)):
            obj = objects[key]
            metadata = obj["metadata"]
            if metadata["namespace"] == namespace:
                labels = metadata.get("labels") or _NO_LABELS
                if labels is not last:
                    last, is_match = labels, selector.matches(labels)
                if is_match:
                    selected.append(obj)
        return selected
