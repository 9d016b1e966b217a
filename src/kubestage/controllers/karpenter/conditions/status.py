"""Conditions in the status of an object, set and removed as Karpenter's library does it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json


def find(obj: Json, kind: str) -> Json | None:
    """A condition; None if it is not there."""
    for each in (obj.get("status") or {}).get("conditions") or ():
        if each.get("type") == kind:
            found: Json = each
            return found
    return None


def is_true(obj: Json, kind: str) -> bool:
    """Whether a condition is there and true."""
    found = find(obj, kind)
    return found is not None and found.get("status") == "True"


def since_ns(obj: Json, kind: str) -> int:
    """When a condition last changed; long ago if it is not there."""
    found = find(obj, kind) or {}
    text = found.get("lastTransitionTime")
    return 0 if text is None else timestamps.parse_time(text)


def with_true(obj: Json, kind: str, now_ns: int, reason: str = "") -> Json:
    """The object with a condition set to true; its time is kept if it was true before."""
    before = find(obj, kind)
    changed = timestamps.format_time(now_ns)
    if before is not None and before.get("status") == "True":
        changed = before.get("lastTransitionTime") or changed
    condition = {
        "type": kind,
        "status": "True",
        "reason": reason or kind,
        "message": reason,
        "lastTransitionTime": changed,
        "observedGeneration": obj["metadata"].get("generation") or 0,
    }
    return obj if condition == before else _with(obj, [*_others(obj, kind), condition])


def without(obj: Json, kind: str) -> Json:
    """The object without a condition."""
    return obj if find(obj, kind) is None else _with(obj, _others(obj, kind))


def _others(obj: Json, kind: str) -> list[Json]:
    conditions = (obj.get("status") or {}).get("conditions") or ()
    return [each for each in conditions if each.get("type") != kind]


def _with(obj: Json, conditions: list[Json]) -> Json:
    ordered = sorted(conditions, key=lambda condition: str(condition["type"]))
    return {**obj, "status": {**(obj.get("status") or {}), "conditions": ordered}}
