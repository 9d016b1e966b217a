"""What changed between two versions of an object, as a JSON merge patch (RFC 7386)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

_MISSING: Final = object()


def difference(old: Json, new: Json) -> Json | None:
    """The patch that makes `old` into `new`; None if none does, for want of a way to set null.

    Versions in the store share what they have in common, so that most of an object is passed over
    at once. Lists that are not the same object are written as a whole, with the nulls in them.
    """
    patch: Json = {}
    for key, value in new.items():
        before = old.get(key, _MISSING)
        if before is value:
            continue
        if type(value) is dict and type(before) is dict:
            inner = difference(before, value)
            if inner is None:
                return None
            if inner:
                patch[key] = inner
        elif before != value or type(before) is not type(value) or type(value) is list:
            if value is None or (type(value) is dict and _has_null(value)):
                return None
            patch[key] = value
    for key in old:
        if key not in new:
            patch[key] = None
    return patch


def apply(old: Json, patch: Json) -> Json:
    """What a patch makes of an object.

    The API server drops nulls in lists from patches of its clients; here they are kept, as the RFC
    has it. A pod's status has a list with some, and without them every change of it would have to
    be written as the whole pod.
    """
    new = dict(old)
    for key, value in patch.items():
        if value is None:
            new.pop(key, None)
        elif type(value) is dict:
            before = new.get(key)
            new[key] = apply(before if type(before) is dict else {}, value)
        else:
            new[key] = value
    return new


def _has_null(value: Json) -> bool:
    return any(each is None or (type(each) is dict and _has_null(each)) for each in value.values())
