"""One storage, two views: kinds that are served in another version than they are stored in.

A row of the kind table with `stored_as` has no objects of its own. What a request sends of such a
kind is turned into the stored kind (`to_stored`), and what is stored is shown as the served one
(`to_served`). Neither changes what it is given; metadata is shared. Versions of a custom resource
differ in their schema alone, unless a webhook converts them (`webhook_versions`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import defaulting, kinds, shape
from kubestage.objects.conversion import webhook_versions
from kubestage.objects.custom import rows

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind


def is_view(row: Kind) -> bool:
    """Whether objects of a row may be stored in another version."""
    return row.stored_as is not None or row.conversion_webhook is not None


def to_stored(row: Kind, obj: Json) -> Json:
    """The object as its kind is stored, completed as on being read back; itself if it is one.

    What a webhook converts stays as it is until it is stored (`webhook_versions.at_rest`).
    """
    if row.stored_as is None or row.conversion_webhook is not None:
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
    if row.conversion_webhook is not None:
        return webhook_versions.as_row(row, obj)
    if row.stored_as is None:
        return obj
    if row.definition is not None:
        return rows.compiled(row).read({**obj, "apiVersion": row.api_version})[0]
    convert = row.behavior.to_served
    assert convert is not None, row.kind
    return shape.normalize({**convert(obj), "apiVersion": row.api_version, "kind": row.kind})


def back(row: Kind, kind: Kind, obj: Json) -> Json:
    """What a request to a kind works on, from an object in the version of another row of it."""
    if kind.conversion_webhook is not None:
        return webhook_versions.as_row(kind, obj)
    return to_stored(row, obj)
