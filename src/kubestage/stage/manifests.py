"""Objects as a caller hands them to a stage, and the order in which they are put there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.aliases import Json
from kubestage.objects import manifest

if TYPE_CHECKING:
    from collections.abc import Iterable

    Objects = str | bytes | Json | Iterable[Json]

# Objects that others refer to come first, as an operator would create them.
_FIRST = ("CustomResourceDefinition", "Namespace", "PriorityClass", "StorageClass")


def in_order(objects: Objects) -> list[Json]:
    """The objects of a text, one object, or several, in the order in which they are created."""
    if isinstance(objects, str | bytes):
        listed: Iterable[Json] = [each.object for each in manifest.load_text(objects)]
    else:
        listed = [objects] if isinstance(objects, dict) else objects
    return sorted(listed, key=rank)


def rank(obj: Json) -> int:
    """The place of an object's kind among objects that are put on a stage together."""
    kind = obj.get("kind")
    return _FIRST.index(kind) if kind in _FIRST else len(_FIRST)
