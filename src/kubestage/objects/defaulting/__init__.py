"""What the API server fills in before it stores an object: the versioned defaults of v1.36.

Defaults depend on one object only. Admission (priorities, service accounts, limit ranges) depends
on other objects, and validation changes nothing. What is special for a kind is in its module below
``kinds``; here are the parts that kinds share.

These functions complete a normalized object in place. They rely on its shape: an optional field
that is empty is absent, a mandatory one is there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import schema, shape
from kubestage.objects.kinds import loader

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds.behavior import Behavior


def default(obj: Json, *, now: str | None = None) -> Json:
    """A fresh, normalized object with the API's defaults; `obj` is left alone.

    `now` (RFC 3339) dates what is dated on arrival: the taints of devices. InputError names the
    path of a value that its field cannot hold.
    """
    key = (obj.get("apiVersion") or "", obj.get("kind") or "")
    return _default(obj, key, loader.behavior(*key), now)


def _default(obj: Json, key: tuple[str, str], behavior: Behavior, now: str | None) -> Json:
    if behavior.stored_as_sent:
        completed: Json = _with_metadata(shape.copy_json(obj))
    else:
        completed = shape.normalize(obj)
        if schema.kind_struct(*key) is None:
            completed = _with_metadata(completed)
    if behavior.default is not None:
        behavior.default(completed)
    elif behavior.default_from_sent is not None:
        behavior.default_from_sent(completed, obj, now)
    return completed


def _with_metadata(obj: Json) -> Json:
    """An object whose metadata has its shape, while the rest stays as it was sent."""
    metadata = obj.get("metadata")
    if isinstance(metadata, dict):
        obj["metadata"] = shape.normalize(metadata, schema.struct("meta/v1.ObjectMeta"))
    return obj


def stored(obj: Json, *, now: str | None = None) -> Json:
    """What a server would return for `obj`: its defaults, and both spellings of old fields."""
    key = (obj.get("apiVersion") or "", obj.get("kind") or "")
    behavior = loader.behavior(*key)
    completed = _default(obj, key, behavior, now)
    if behavior.round_trip is not None:
        behavior.round_trip(completed)
    return completed
