"""A Scenario with its status as a file: written event by event, read back and checked.

A status may be many times larger than what a machine should hold twice, so no text of the whole is
ever made. What a run has streamed to its record is put in its place on the way.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.objects import manifest

if TYPE_CHECKING:
    import pathlib
    from collections.abc import Iterable, Iterator, Mapping
    from typing import BinaryIO

    from kubestage.aliases import Json
    from kubestage.results.run_record_reader import RecordReader


GROUP: Final = "simulation.kube-scheduler-simulator.x-k8s.io/"
KIND: Final = "Scenario"
_NOT_RUN: Final = "run it first: kubestage run FILE --out DIR"
_POD_EVENTS: Final = ("podScheduled", "podUnscheduled", "podPreempted")
# The fields with long lists below them; everything else is written in one go.
_OPENED: Final[Mapping[str, Any]] = {
    "spec": {"events": {}},
    "status": {"scenarioResult": {"timeline": {}}},
}


def write_scenario(scenario: Json, out: BinaryIO, record: RecordReader | None = None) -> None:
    """Write a Scenario as JSON, one event a line.

    With a record, attempts get the details that were streamed to it.
    """
    out.writelines(_written(scenario, _OPENED, _Details(record)))
    out.write(b"\n")


class _Details:
    """Encodes events, with what the record knows of their attempts."""

    def __init__(self, record: RecordReader | None) -> None:
        self._record = record
        self.encode = msgspec.json.Encoder().encode

    def event(self, event: Any) -> bytes:
        if self._record is not None and isinstance(event, dict):
            for field in _POD_EVENTS:
                if event.get(field):
                    event = {**event, field: self._filled(event[field])}
        return self.encode(event)

    def _filled(self, result: Json) -> Json:
        attempts = result.get("scheduleResult") or []
        return {**result, "scheduleResult": [self._attempt(each) for each in attempts]}

    def _attempt(self, attempt: Json) -> Json:
        assert self._record is not None
        if "pluginResults" in attempt or "attempt" not in attempt:
            return attempt
        return {**attempt, **(self._record.schedule_result(attempt["attempt"]) or {})}


def _written(value: Any, opened: Mapping[str, Any] | None, details: _Details) -> Iterator[bytes]:
    """A value as pieces of text; what is `opened` comes piece by piece."""
    if opened is None or not value:
        yield details.encode(value)
    elif isinstance(value, dict):
        yield b"{"
        for position, (key, inner) in enumerate(value.items()):
            yield b",\n" if position else b"\n"
            yield details.encode(key) + b": "
            # Below the timeline every key is a step.
            yield from _written(inner, opened.get(key) if opened else {}, details)
        yield b"\n}"
    elif isinstance(value, list):
        yield from _lines(value, details)
    else:
        yield details.encode(value)


def _lines(events: Iterable[Any], details: _Details) -> Iterator[bytes]:
    yield b"["
    for position, event in enumerate(events):
        yield b",\n" if position else b"\n"
        yield details.event(event)
    yield b"\n]"


def read_scenario(path: str | pathlib.Path) -> Json:
    """The Scenario with a status that a file holds; InputError if it holds none, or several."""
    data = reading.read(path, may_stream=True)
    found = [each for each in _objects(data, str(path)) if is_scenario(each)]
    if not found:
        raise InputError("holds no Scenario", file=str(path), fix=_NOT_RUN)
    ended = [each for each in found if each.get("status")]
    if not ended:
        raise InputError("the Scenario has no status", file=str(path), fix=_NOT_RUN)
    if len(ended) > 1:
        names = ", ".join(str((each.get("metadata") or {}).get("name")) for each in ended)
        raise InputError(
            f"holds several Scenarios: {names}", file=str(path), fix="put each in its own file"
        )
    return ended[0]


def is_scenario(value: Any) -> bool:
    """Whether a value read from a file is a Scenario of any version."""
    if not isinstance(value, dict):
        return False
    return str(value.get("apiVersion", "")).startswith(GROUP) and value.get("kind") == KIND


def _objects(data: bytes, source: str) -> list[Json]:
    try:
        value = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError):
        # YAML then, or several documents, or broken in a way that deserves a line number.
        return [document.object for document in manifest.load_text(data, source)]
    if is_scenario(value):
        return [value]
    return [document.object for document in manifest.load_text(data, source)]
