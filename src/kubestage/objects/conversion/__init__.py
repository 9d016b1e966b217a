"""One storage, two views: kinds that are served in another version than they are stored in.

A row of the kind table with `stored_as` has no objects of its own. What a request sends of such a
kind is turned into the stored kind (`to_stored`), and what is stored is shown as the served one
(`to_served`). Neither changes what it is given; metadata is shared. Versions of a custom resource
differ in their schema alone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import defaulting, kinds, shape
from kubestage.objects.custom import rows

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind


def to_stored(row: Kind, obj: Json) -> Json:
    """The object as its kind is stored, completed as on being read back; itself if it is one."""
    if row.stored_as is None:
        return obj
    stored = kinds.stored(row)
    if row.definition is not None:
        return {**obj, "apiVersion": stored.api_version}
    convert = row.behavior.to_stored
    assert convert is not None, row.kind
    return defaulting.stored(
        {**convert(obj), "apiVersion": stored.api_version, "kind": stored.kind}
    )


def to_served(row: Kind, obj: Json) -> Json:
    """A stored object as the row shows it; itself if the row shows what is stored."""
    if row.stored_as is None:
        return obj
    if row.definition is not None:
        return rows.compiled(row).read({**obj, "apiVersion": row.api_version})[0]
    convert = row.behavior.to_served
    assert convert is not None, row.kind
    return shape.normalize({**convert(obj), "apiVersion": row.api_version, "kind": row.kind})
