"""The moment at which a set of objects was written down: the newest time that they mention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.aliases import Json


# Texts of users, and a time that lies ahead by design.
_NOT_PAST: Final = frozenset({"annotations", "labels", "data", "deletionTimestamp"})
_SUFFIXES: Final = ("Time", "Timestamp", "At")


def newest_ns(objects: Iterable[Json]) -> int:
    """Nanoseconds since 1970; 0 if no object has a time."""
    latest = 0
    remaining: list[Any] = list(objects)
    while remaining:
        value = remaining.pop()
        if isinstance(value, list):
            remaining += value
            continue
        if not isinstance(value, dict):
            continue
        for key, item in value.items():
            if key in _NOT_PAST:
                continue
            if isinstance(item, dict | list):
                remaining.append(item)
            elif isinstance(item, str) and (key.endswith(_SUFFIXES) or key == "time"):
                latest = max(latest, _read(item))
    return latest


def recorded(scenario: Json) -> Iterator[Json]:
    """The objects that a Scenario puts there as they were recorded."""
    for event in scenario["spec"]["events"]:
        body = event.get("createOperation") if isinstance(event, dict) else None
        if isinstance(body, dict) and body.get("asRecorded"):
            yield body["object"]


def _read(text: str) -> int:
    try:
        return timestamps.parse_time(text)
    except ValueError:
        return 0
