"""Whether devices that must be made ready for a pod are: binding conditions of claims."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import timestamps
from kubestage.scheduler.devices.allocated import allocation_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


def needs_waiting(claims: Iterable[Json]) -> bool:
    """Whether any device has conditions that must be true before a pod is bound."""
    return any(result.get("bindingConditions") for claim in claims for result in _results(claim))


def is_ready(claim: Json) -> bool:
    """Whether all conditions are true, as they are where there are none."""
    for result in _results(claim):
        conditions = result.get("bindingConditions") or ()
        if conditions:
            known = _conditions(claim, result)
            if known is None or any(_status(known, each) != "True" for each in conditions):
                return False
    return allocation_of(claim) is not None


def failure(claim: Json) -> str:
    """The failure that a driver reports, or ''; conditions that are only awaited come first."""
    for result in _results(claim):
        conditions = result.get("bindingConditions") or ()
        if not conditions:
            continue
        known = _conditions(claim, result)
        if known is None:
            return ""
        for name in result.get("bindingFailureConditions") or ():
            if _status(known, name) == "True":
                reason, message = known[name].get("reason", ""), known[name].get("message", "")
                return (
                    f"device binding failed: claim={claim['metadata']['name']}, "
                    f'reason={reason}, message="{message}"'
                )
        if any(_status(known, each) != "True" for each in conditions):
            return ""
    return ""


def is_overdue(claim: Json, now_ns: int | None, timeout_ns: int) -> bool:
    """Whether the time that devices have to become ready is over."""
    allocated_at = (allocation_of(claim) or {}).get("allocationTimestamp")
    if now_ns is None or not allocated_at or not needs_waiting([claim]):
        return False
    return timestamps.parse_time(allocated_at) + timeout_ns < now_ns


def _results(claim: Json) -> list[Json]:
    allocation = allocation_of(claim) or {}
    return (allocation.get("devices") or {}).get("results") or []


def _conditions(claim: Json, result: Json) -> dict[str, Json] | None:
    """What a driver reports of a device by condition type; None if it reports nothing."""
    for device in claim["status"].get("devices") or ():
        if all(device.get(part) == result.get(part) for part in ("driver", "pool", "device")):
            return {each["type"]: each for each in device.get("conditions") or ()}
    return None


def _status(conditions: dict[str, Json], name: str) -> str:
    return conditions.get(name, {}).get("status") or ""
