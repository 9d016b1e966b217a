"""What a scenario is completed with: an id for each event that was given none."""

from __future__ import annotations

import hashlib
import itertools
from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.aliases import Json

LISTS: Final = ("events", "operations")


def scenario(obj: Json) -> None:
    """Name the events of a scenario, so that patches and results can refer to them."""
    spec = obj.setdefault("spec", {})
    if not isinstance(spec, dict):
        return
    for name in LISTS:
        events = spec.get(name)
        if isinstance(events, list):
            spec[name] = [
                {"id": made, **_nameless(event)} if isinstance(event, dict) else event
                for event, made in zip(events, event_ids(events), strict=True)
            ]


def event_ids(events: list[Any]) -> list[Any]:
    """The id of each event: what it was given, or one made from its place and what it says.

    So the same event in the same place gets the same id, and one that is added later changes none.
    """
    naming = Naming()
    for event in events:
        naming.hear(event)
    return [naming.id_of(position, event) for position, event in enumerate(events)]


class Naming:
    """Gives ids to the events of one list, which may come in parts: all are heard of first."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def hear(self, event: Any) -> None:
        """An id that was given is taken."""
        if _is_named(event) and isinstance(event["id"], str):
            self._taken.add(event["id"])

    def id_of(self, position: int, event: Any) -> Any:
        """The id of the event at a place."""
        if _is_named(event):
            return event["id"]
        made = _first_free(_made_id(position, event), self._taken)
        self._taken.add(made)
        return made


def _is_named(event: Any) -> bool:
    return isinstance(event, dict) and event.get("id") not in (None, "")


def _nameless(event: Json) -> Json:
    return {key: value for key, value in event.items() if key != "id" or value not in (None, "")}


def _made_id(position: int, event: Any) -> str:
    said = _nameless(event) if isinstance(event, dict) else event
    text = msgspec.json.encode([position, said], order="sorted")
    return f"event-{position}-{hashlib.sha256(text).hexdigest()[:8]}"


def _first_free(name: str, taken: set[str]) -> str:
    candidates = (f"{name}-{number}" for number in itertools.count(2))
    return next(each for each in itertools.chain((name,), candidates) if each not in taken)
