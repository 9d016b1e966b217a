"""What changed between two versions of an object, as a JSON merge patch (RFC 7386)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

_MISSING: Final = object()
_CONTAINERS: Final = (dict, list)


def difference(old: Json, new: Json) -> Json | None:
    """The patch that makes `old` into `new`; None if none does, for want of a way to set null.

    Versions in the store share what they have in common, so that most of an object is passed over
    at once. Lists that are not the same object are written as a whole.
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
            if value is None or (type(value) in _CONTAINERS and _has_null(value)):
                return None
            patch[key] = value
    for key in old:
        if key not in new:
            patch[key] = None
    return patch


def _has_null(value: Any) -> bool:
    # NOTE: most values are texts, and a call for each took as long as the rest of a difference
    # (benchmarks/load.py).
    for each in value.values() if type(value) is dict else value:
        if each is None or (type(each) in _CONTAINERS and _has_null(each)):
            return True
    return False
