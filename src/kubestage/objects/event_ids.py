"""Ids for the events of a Scenario that have none."""

from __future__ import annotations

import hashlib
import itertools
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.aliases import Json

LISTS: Final = ("events", "operations")


def event_ids(events: list[Any]) -> list[Any]:
    """The id of each event: its own, or one that is generated from its position and content.

    The same event at the same position gets the same id, and one that is added later changes none.
    """
    ids = EventIds()
    for event in events:
        ids.reserve(event)
    return [ids.id_of(position, event) for position, event in enumerate(events)]


class EventIds:
    """Assigns ids to the events of one list, which may come in parts: first `reserve` them all."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def reserve(self, event: Any) -> None:
        """Take the id that an event has already."""
        if _has_id(event) and isinstance(event["id"], str):
            self._taken.add(event["id"])

    def id_of(self, position: int, event: Any) -> Any:
        """The id of the event at a position."""
        if _has_id(event):
            return event["id"]
        generated = _first_free(_generated_id(position, event), self._taken)
        self._taken.add(generated)
        return generated


def _has_id(event: Any) -> bool:
    return isinstance(event, dict) and event.get("id") not in (None, "")


def without_empty_id(event: Json) -> Json:
    """An event without an id that is empty."""
    return {key: value for key, value in event.items() if key != "id" or value not in (None, "")}


def _generated_id(position: int, event: Any) -> str:
    content = without_empty_id(event) if isinstance(event, dict) else event
    text = msgspec.json.encode([position, content], order="sorted")
    return f"event-{position}-{hashlib.sha256(text).hexdigest()[:8]}"


def _first_free(name: str, taken: set[str]) -> str:
    candidates = (f"{name}-{number}" for number in itertools.count(2))
    return next(each for each in itertools.chain((name,), candidates) if each not in taken)
