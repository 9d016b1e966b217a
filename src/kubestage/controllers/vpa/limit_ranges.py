"""All limit ranges of a namespace as if they were one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.vpa.amounts import BOTH
from kubestage.objects import quantity

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.store import Store


CONTAINER: Final = "Container"
POD: Final = "Pod"


class Bounds(NamedTuple):
    """The highest minimum, the lowest maximum, and the default that was met last."""

    least: Json
    most: Json
    default: Json


def bounds_of(store: Store, namespace: str, limit_type: str) -> Bounds | None:
    """What the limit ranges of a namespace say about containers or pods; None if nothing."""
    collection = store.limit_ranges
    if not collection.objects:
        return None
    least: Json = {}
    most: Json = {}
    default: Json = {}
    for key in collection.keys(namespace):
        for item in (collection.objects[key].get("spec") or {}).get("limits") or ():
            if item.get("type") == limit_type:
                default = item.get("default") or default
                least = _picked(least, item.get("min") or {}, 1)
                most = _picked(most, item.get("max") or {}, -1)
    return Bounds(least, most, default) if least or most or default else None


def _picked(known: Json, other: Json, sign: int) -> Json:
    """Of each amount the higher one, or the lower one."""
    picked = dict(known)
    for name in BOTH:
        if name not in other:
            continue
        if name not in picked or (
            quantity.of(other[name]).compare(quantity.of(picked[name])) == sign
        ):
            picked[name] = other[name]
    return picked
