"""How certificate requests, API services and the like are prepared."""

from __future__ import annotations

from typing import Any, Final

from kubestage.objects.strategy import status

_DECIDED: Final = ("Approved", "Denied")


def create_api_service(obj: dict[str, Any], now: str | None) -> None:
    """What this server serves itself is there at once."""
    if obj["spec"].get("service") is not None:
        return
    condition = {
        "type": "Available",
        "status": "True",
        "lastTransitionTime": now,
        "reason": "Local",
        "message": "Local APIServices are always available",
    }
    obj["status"] = {**obj["status"], "conditions": [condition]}


def update_request(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """What was asked for stays."""
    new["spec"] = old["spec"]


def update_request_status(new: dict[str, Any], old: dict[str, Any], now: str | None) -> None:
    """A signer cannot decide: decisions that are there stay as they are."""
    given, before = _conditions(new), _conditions(old)
    for kind in _DECIDED:
        places = [index for index, each in enumerate(given) if each.get("type") == kind]
        kept = [each for each in before if each.get("type") == kind]
        if len(places) == len(kept):
            for place, condition in zip(places, kept, strict=True):
                given[place] = condition
    _set_conditions(new, _dated(given, before, now), new.get("status") or {})


def update_request_approval(new: dict[str, Any], old: dict[str, Any], now: str | None) -> None:
    """Who decides writes conditions, nothing else."""
    new["spec"] = old["spec"]
    given = _dated(_conditions(new), _conditions(old), now)
    _set_conditions(new, given, old.get("status") or {})


def reset_metadata(new: dict[str, Any], old: dict[str, Any], _: str | None) -> None:
    """Who reports a status cannot relabel the object."""
    status.reset_metadata(new, old)


def _conditions(obj: dict[str, Any]) -> list[dict[str, Any]]:
    return list((obj.get("status") or {}).get("conditions") or ())


def _dated(
    given: list[dict[str, Any]], before: list[dict[str, Any]], now: str | None
) -> list[dict[str, Any]]:
    """Conditions with the times that their writer left out."""
    since = {
        (each.get("type"), each.get("status")): each["lastTransitionTime"]
        for each in reversed(before)
        if each.get("lastTransitionTime")
    }
    return [
        {
            **each,
            "lastUpdateTime": each.get("lastUpdateTime") or now,
            "lastTransitionTime": each.get("lastTransitionTime")
            or since.get((each.get("type"), each.get("status")), now),
        }
        for each in given
    ]


def _set_conditions(
    obj: dict[str, Any], conditions: list[dict[str, Any]], rest: dict[str, Any]
) -> None:
    kept = {key: value for key, value in rest.items() if key != "conditions"}
    obj["status"] = {**kept, "conditions": conditions} if conditions else kept
