"""The objects of a cluster by kind, listed as the API lists them: by namespace and name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter.state import pod_state

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


class Objects:
    """The latest version of each object; the sorted lists are kept until something changes."""

    def __init__(self, objects: Iterable[Json] = ()) -> None:
        self._by_kind: dict[str, dict[str, Json]] = {}
        self._listed: dict[str, list[Json]] = {}
        for each in objects:
            self.put(each)

    def put(self, obj: Json) -> None:
        """Add an object, or a new version of it."""
        kind: str = obj["kind"]
        self._by_kind.setdefault(kind, {})[pod_state.key_of(obj)] = obj
        self._listed.pop(kind, None)

    def remove(self, kind: str, key: str) -> Json | None:
        """Remove the object with this ``namespace/name``; it is returned if there is one."""
        self._listed.pop(kind, None)
        return self._by_kind.get(kind, {}).pop(key, None)

    def get(self, kind: str, name: str, namespace: str = "") -> Json | None:
        """One object."""
        return self._by_kind.get(kind, {}).get(f"{namespace}/{name}")

    def all(self, kind: str) -> list[Json]:
        """All objects of a kind; not to be changed."""
        found = self._listed.get(kind)
        if found is None:
            of_kind = self._by_kind.get(kind, {})
            found = self._listed[kind] = sorted(of_kind.values(), key=order_of)
        return found

    def claim(self, namespace: str, name: str) -> Json | None:
        """A PersistentVolumeClaim."""
        return self.get("PersistentVolumeClaim", name, namespace)

    def volume(self, name: str) -> Json | None:
        """A PersistentVolume."""
        return self.get("PersistentVolume", name)

    def storage_class(self, name: str) -> Json | None:
        """A StorageClass."""
        return self.get("StorageClass", name)


def order_of(obj: Json) -> tuple[str, str]:
    """Where an object comes in a list."""
    metadata = obj["metadata"]
    return metadata.get("namespace") or "", metadata["name"]
