"""Status apart from spec: a request that writes one cannot change the other."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from kubestage.objects import schema, shape

if TYPE_CHECKING:
    from kubestage.aliases import Json


@functools.cache
def _empty(api_version: str, kind: str) -> Json:
    struct = schema.kind_struct(api_version, kind)
    field = None if struct is None else struct.by_json.get("status")
    return {} if field is None else shape.normalize({}, field.type.struct)


def empty(obj: Json) -> Json:
    """A status in which nothing is reported yet."""
    return shape.copy_json(_empty(obj["apiVersion"], obj["kind"])) or {}


def clear(obj: Json) -> None:
    """A new object has no status, even if one was sent."""
    if schema.kind_struct(obj["apiVersion"], obj["kind"]) is None:
        obj.pop("status", None)
    else:
        obj["status"] = empty(obj)


def keep(new: Json, old: Json) -> None:
    """The status stays as it was."""
    if "status" in old:
        new["status"] = old["status"]
    else:
        new.pop("status", None)


def keep_all_but_status(new: Json, old: Json) -> None:
    """Everything but status and metadata stays as it was."""
    for key in new.keys() - old.keys() - {"status", "metadata"}:
        del new[key]
    new.update({key: old[key] for key in old if key not in ("status", "metadata")})


def reset_metadata(new: Json, old: Json, _: str | None = None) -> None:
    """Metadata that a status writer may not touch: labels, annotations, owners, finalizers."""
    meta, old_meta = new["metadata"], old["metadata"]
    for key in (
        "deletionTimestamp", "generation", "selfLink", "labels", "annotations", "finalizers",
        "ownerReferences",
    ):  # fmt: skip
        if key in old_meta:
            meta[key] = old_meta[key]
        else:
            meta.pop(key, None)
