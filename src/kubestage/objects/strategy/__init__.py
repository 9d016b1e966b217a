"""What the API server does to an object before it validates and stores it.

Generation, status apart from spec, fields that only the server may set; the behavior of a kind
adds to it. Rules belong to ``validation``, defaults to ``defaulting``.

The objects have their defaults. The result is a new object that shares what did not change; the
input is not changed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import equality, kinds, schema
from kubestage.objects.kinds import loader
from kubestage.objects.strategy import status

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds.behavior import Behavior


_DELETION: Final = ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")
_SYSTEM: Final = ("creationTimestamp", "uid", *_DELETION)


def wipe_system_fields(obj: Json) -> Json:
    """The object without the metadata that only the server writes, as a request may send it."""
    meta = {key: value for key, value in obj["metadata"].items() if key not in _SYSTEM}
    return {**obj, "metadata": meta}


def prepare_for_create(obj: Json, *, now: str | None = None) -> Json:
    """The object as it will be validated and stored.

    `now` dates what is dated on arrival; without it the object's own creationTimestamp does.
    """
    key = (obj["apiVersion"], obj["kind"])
    meta = {name: value for name, value in obj["metadata"].items() if name not in _DELETION}
    out = {**obj, "metadata": meta}
    row, behavior = kinds.built_in(*key), loader.behavior(*key)
    is_counted = behavior.generation_fields is not None and behavior.generation_at_create
    if is_counted or schema.kind_struct(*key) is None:
        meta["generation"] = 1
    if row is not None and "status" in row.subresources and behavior.clears_status:
        status.clear(out)
    if behavior.prepare_create is not None:
        behavior.prepare_create(out, now or meta.get("creationTimestamp"))
    return out


def prepare_for_update(
    new: Json, old: Json, subresource: str = "", *, now: str | None = None
) -> Json:
    """The new object with what this request may not change taken from the old one."""
    key = (old["apiVersion"], old["kind"])
    row, behavior = kinds.built_in(*key), loader.behavior(*key)
    meta = dict(new["metadata"])
    out = {**new, "metadata": meta}
    _copy(meta, old["metadata"], "generation")
    if not meta.get("resourceVersion") and behavior.unconditional_update:
        _copy(meta, old["metadata"], "resourceVersion")
    if subresource == "status":
        status.keep_all_but_status(out, old)
    elif subresource != "approval" and (row is None or "status" in row.subresources):
        status.keep(out, old)
    prepare = behavior.prepare_update.get(subresource)
    if prepare is not None:
        prepare(out, old, now)
    if subresource != "status" and _is_new_generation(behavior, out, old):
        out["metadata"]["generation"] = (old["metadata"].get("generation") or 0) + 1
    _keep_identity(out["metadata"], old["metadata"])
    return out


def canonicalize(obj: Json) -> Json:
    """The last change before an object is stored, after validation."""
    finish = loader.behavior(obj["apiVersion"], obj["kind"]).canonicalize
    return obj if finish is None else finish(obj)


def stored(obj: Json) -> Json:
    """The object as it is stored and answered, after validation.

    A server answers with what it reads back, and reading fills in defaults once more.
    """
    behavior = loader.behavior(obj["apiVersion"], obj["kind"])
    if behavior.empty_lists:
        obj = _read_back(obj, behavior.empty_lists)
    if behavior.canonicalize is not None:
        obj = behavior.canonicalize(obj)
    return obj if behavior.read_back is None else behavior.read_back(obj)


def _read_back(obj: Json, paths: tuple[tuple[str, ...], ...]) -> Json:
    """The object with null for empty lists at these paths, as it is read after it was stored.

    Protobuf, in which the API server stores its objects, does not know an empty list from none.
    Most fields are left out either way; these are not.
    """
    for path in paths:
        obj = _emptied(obj, path)
    return obj


def _emptied(value: Any, path: tuple[str, ...]) -> Any:
    """The value with null for an empty list at the end of the path; itself if there is none."""
    if not path:
        return None if value == [] else value
    if not value:
        return value
    if path[0] == "*":
        items = [_emptied(item, path[1:]) for item in value]
        changed = any(new is not old for new, old in zip(items, value, strict=True))
        return items if changed else value
    if path[0] not in value:
        return value
    part = _emptied(value[path[0]], path[1:])
    return value if part is value[path[0]] else {**value, path[0]: part}


def _is_new_generation(behavior: Behavior, new: Json, old: Json) -> bool:
    struct = schema.kind_struct(old["apiVersion"], old["kind"])
    if struct is None:
        # A custom resource: everything but metadata and status counts.
        parts = (new.keys() | old.keys()) - {"metadata", "status", "apiVersion", "kind"}
        return any(new.get(part) != old.get(part) for part in parts)
    for part in behavior.generation_fields or ():
        shape = struct.by_json[part].type.name
        if not equality.semantic_equal(shape, new.get(part), old.get(part)):
            return True
    counted = behavior.generation_metadata
    if not counted:
        return False
    return (new["metadata"].get(counted) or {}) != (old["metadata"].get(counted) or {})


def _keep_identity(meta: Json, old: Json) -> None:
    """An update never changes when an object was created, and that it is being deleted."""
    if not meta.get("uid"):
        _copy(meta, old, "uid")
    for key in ("creationTimestamp", "deletionTimestamp"):
        if old.get(key):
            meta[key] = old[key]
    if meta.get("deletionGracePeriodSeconds") is None:
        _copy(meta, old, "deletionGracePeriodSeconds")


def _copy(meta: Json, old: Json, key: str) -> None:
    if key in old:
        meta[key] = old[key]
    else:
        meta.pop(key, None)
