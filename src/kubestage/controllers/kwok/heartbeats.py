"""Whether a change of an object is more than a heartbeat."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from kubestage.controllers.kwok import effects
from kubestage.objects import patches, schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.kinds import Kind

_TIME: Final = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)")


def only_times_change(kind: Kind, obj: Any, planned: Iterable[effects.Effect]) -> bool:
    """Whether effects would leave the object as it is but for points in time."""
    struct = schema.kind_struct(kind.api_version, kind.kind)
    for effect in planned:
        if not isinstance(effect, effects.Patch):
            return False
        try:
            patched = patches.apply(effect.type, obj, effect.data, struct)
        except patches.PatchError:
            return False
        if not same_but_times(obj, patched):
            return False
    return True


def same_but_times(one: Any, other: Any) -> bool:
    """Whether two values differ in points in time at most; a null is as good as nothing."""
    if one is other:
        return True
    if isinstance(one, dict) and isinstance(other, dict):
        return all(same_but_times(one.get(key), other.get(key)) for key in one.keys() | other)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(same_but_times, one, other))
    if isinstance(one, str) and isinstance(other, str) and one != other:
        return bool(_TIME.fullmatch(one) and _TIME.fullmatch(other))
    return bool(one == other)
