"""What a source has, by uid, kind and name."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from kubestage.controllers.ownership import controller_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

Group = tuple[dict[str, Any], list[dict[str, Any]]]
"""A reference to an owner, and the objects that have it."""


class Known:
    """The recorded objects of a source."""

    def __init__(self, objects: Iterable[Json]) -> None:
        self.pods: list[Json] = []
        self.uids: set[str] = set()
        self._by_kind: dict[str, dict[str, Json]] = defaultdict(dict)
        for obj in objects:
            self.add(obj)

    def add(self, obj: Json) -> None:
        """Take an object in."""
        metadata = obj.get("metadata")
        if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
            return
        kind = str(obj.get("kind"))
        self._by_kind[kind][_key(metadata)] = obj
        uid = metadata.get("uid")
        if isinstance(uid, str):
            self.uids.add(uid)
            if kind == "Pod" and isinstance(obj.get("spec"), dict):
                self.pods.append(obj)

    def find(self, kind: str, namespace: str, name: str) -> Json | None:
        """The object of this kind and name."""
        return self._by_kind[kind].get(f"{namespace}/{name}")

    def of_kind(self, kind: str) -> list[Json]:
        """All objects of a kind."""
        return list(self._by_kind[kind].values())

    def orphans(self, kind: str | None = None, among: str = "Pod") -> dict[str, Group]:
        """Objects whose controller is missing, by the uid of that controller."""
        found: dict[str, Group] = {}
        for obj in self.pods if among == "Pod" else self.of_kind(among):
            reference = controller_of(obj)
            if reference is None or "uid" not in obj["metadata"]:
                continue
            uid = reference.get("uid", "")
            if uid not in self.uids and kind in (None, reference.get("kind")):
                found.setdefault(uid, (reference, []))[1].append(obj)
        return found


def _key(metadata: Json) -> str:
    return f"{metadata.get('namespace') or ''}/{metadata['name']}"
