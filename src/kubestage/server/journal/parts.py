"""Large Scenarios in parts, so that only what is new of them is written.

A Scenario of a hundred thousand events is tens of megabytes, and its status changes several times
in each step. Its events, and those of its timeline, are rows of their own, some hundred in each;
what is left is small. A part whose events are the same objects as before is in the file already.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.scenario.resource import SCENARIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.aliases import Json


NAMES: Final = "$parts"
"""The key under which the text of an object lists its parts, in order."""

_LEAST: Final = 1_000
_SIZE: Final = 250
_EVENTS: Final = "events"
_TIMELINE: Final = "timeline"


def split(obj: Json) -> tuple[Json, dict[str, list[Any]]] | None:
    """A large Scenario without its events, and these in parts; None for any other object."""
    if (obj.get("apiVersion"), obj.get("kind")) != SCENARIO:
        return None
    spec, status = obj.get("spec") or {}, obj.get("status") or {}
    events: list[Any] = spec.get("events") or []
    result: Json = status.get("scenarioResult") or {}
    timeline: dict[str, list[Any]] = result.get("timeline") or {}
    if len(events) + sum(map(len, timeline.values())) < _LEAST:
        return None
    parts = dict(_cut(_EVENTS, events))
    for step, happened in timeline.items():
        parts |= _cut(f"{_TIMELINE}/{step}", happened)
    rest = {**obj, NAMES: list(parts)}
    if events:
        rest["spec"] = {**spec, "events": []}
    if timeline:
        emptied = dict.fromkeys(timeline, ())
        rest["status"] = {**status, "scenarioResult": {**result, "timeline": emptied}}
    return rest, parts


def _cut(name: str, items: list[Any]) -> Iterator[tuple[str, list[Any]]]:
    for at in range(0, len(items), _SIZE):
        yield f"{name}/{at // _SIZE}", items[at : at + _SIZE]


def join(rest: Json, read: Callable[[str], bytes]) -> Json:
    """The whole object again; `read` gives the text of a part."""
    names = rest.get(NAMES)
    if names is None:
        return rest
    events: list[Any] = []
    timeline: dict[str, list[Any]] = {}
    for name in names:
        kind, _, step = name.rpartition("/")[0].partition("/")
        items = events if kind == _EVENTS else timeline.setdefault(step, [])
        items += _decoded(read(name))
    # What was read may be shared with others that are alike.
    whole = {name: part for name, part in rest.items() if name != NAMES}
    if events:
        whole["spec"] = {**rest["spec"], "events": events}
    if timeline:
        result = rest["status"]["scenarioResult"]
        timelines = {step: timeline.get(step, []) for step in result["timeline"]}
        whole["status"] = {**rest["status"], "scenarioResult": {**result, "timeline": timelines}}
    return whole


def _decoded(text: bytes) -> list[Any]:
    try:
        items: list[Any] = msgspec.json.decode(text)
    except msgspec.DecodeError:
        # Half of a surrogate pair, as `rows` writes it.
        items = json.loads(text)
    return items


class WrittenParts:
    """Which parts of which objects are in the file, as far as this process has written them."""

    def __init__(self) -> None:
        self._parts: dict[tuple[str, str], dict[str, list[Any]]] = {}

    def is_new(self, address: tuple[str, str]) -> bool:
        """Whether nothing is known of what the file has of an object."""
        return address not in self._parts

    def news(
        self, address: tuple[str, str], parts: dict[str, list[Any]]
    ) -> tuple[list[str], list[str]]:
        """The parts of an object that are to be written, and those that are there no more."""
        before = self._parts.get(address, {})
        changed = [name for name, items in parts.items() if before.get(name) != items]
        gone = [name for name in before if name not in parts]
        self._parts[address] = parts
        return changed, gone

    def forget(self, address: tuple[str, str]) -> bool:
        """An object has no parts any more; whether it had any."""
        return self._parts.pop(address, None) is not None
