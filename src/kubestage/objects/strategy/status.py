"""Status apart from spec: whoever writes one cannot touch the other."""

from __future__ import annotations

import functools
from typing import Any

from kubestage.objects import schema, shape


@functools.cache
def _empty(api_version: str, kind: str) -> dict[str, Any]:
    struct = schema.kind_struct(api_version, kind)
    field = None if struct is None else struct.by_json.get("status")
    return {} if field is None else shape.normalize({}, field.type.struct)


def empty(obj: dict[str, Any]) -> dict[str, Any]:
    """A status in which nothing is reported yet."""
    return shape.copy_json(_empty(obj["apiVersion"], obj["kind"])) or {}


def clear(obj: dict[str, Any]) -> None:
    """A new object has no status, whatever its sender thinks."""
    if schema.kind_struct(obj["apiVersion"], obj["kind"]) is None:
        obj.pop("status", None)
    else:
        obj["status"] = empty(obj)


def keep(new: dict[str, Any], old: dict[str, Any]) -> None:
    """The status stays as it was."""
    if "status" in old:
        new["status"] = old["status"]
    else:
        new.pop("status", None)


def keep_all_but_status(new: dict[str, Any], old: dict[str, Any]) -> None:
    """Everything but status and metadata stays as it was."""
    for key in new.keys() - old.keys() - {"status", "metadata"}:
        del new[key]
    kept = {key: value for key, value in old.items() if key not in ("status", "metadata")}
    new.update(kept)


def reset_metadata(new: dict[str, Any], old: dict[str, Any]) -> None:
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
