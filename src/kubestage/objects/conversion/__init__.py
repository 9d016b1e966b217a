"""One storage, two views: kinds that are served in another version than they are stored in.

A row of the kind table with `stored_as` has no objects of its own. What a request sends of such a
kind is turned into the stored kind (`to_stored`), and what is stored is shown as the served one
(`to_served`). Neither changes what it is given; metadata is shared. Versions of a custom resource
differ in their schema alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import defaulting, kinds, shape
from kubestage.objects.conversion import autoscaling, events
from kubestage.objects.custom import rows

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.kinds import Kind

    Convert = Callable[[dict[str, Any]], dict[str, Any]]

_TO_STORED: Final[dict[tuple[str, str], Convert]] = {
    ("events.k8s.io/v1", "Event"): events.to_core,
    ("autoscaling/v1", "HorizontalPodAutoscaler"): autoscaling.to_v2,
}
_TO_SERVED: Final[dict[tuple[str, str], Convert]] = {
    ("events.k8s.io/v1", "Event"): events.from_core,
    ("autoscaling/v1", "HorizontalPodAutoscaler"): autoscaling.from_v2,
}


def to_stored(row: Kind, obj: dict[str, Any]) -> dict[str, Any]:
    """The object as its kind is stored, completed as on being read back; itself if it is one."""
    if row.stored_as is None:
        return obj
    stored = kinds.stored(row)
    if row.definition is not None:
        return {**obj, "apiVersion": stored.api_version}
    converted = _TO_STORED[row.api_version, row.kind](obj)
    return defaulting.stored({**converted, "apiVersion": stored.api_version, "kind": stored.kind})


def to_served(row: Kind, obj: dict[str, Any]) -> dict[str, Any]:
    """A stored object as the row shows it; itself if the row shows what is stored."""
    if row.stored_as is None:
        return obj
    if row.definition is not None:
        return rows.compiled(row).read({**obj, "apiVersion": row.api_version})[0]
    converted = _TO_SERVED[row.api_version, row.kind](obj)
    return shape.normalize({**converted, "apiVersion": row.api_version, "kind": row.kind})
