"""The objects of a dump, in an order in which they can be created."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.ownership import controller_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.objects.manifest import Document

_DEEPEST: Final = 10


def ordered(documents: Sequence[Document]) -> list[Document]:
    """Documents in an order in which nothing comes before what owns it."""
    by_uid = {_uid(each.object): each.object for each in documents}
    return sorted(documents, key=lambda each: _depth(each.object, by_uid))


def _depth(obj: Json, by_uid: Mapping[str, Json]) -> int:
    for depth in range(_DEEPEST):
        owner = controller_of(obj) if _uid(obj) else None
        above = None if owner is None else by_uid.get(owner.get("uid", ""))
        if above is None:
            return depth
        obj = above
    return _DEEPEST


def _uid(obj: Json) -> str:
    metadata = obj.get("metadata")
    uid = metadata.get("uid") if isinstance(metadata, dict) else None
    return uid if isinstance(uid, str) else ""
