"""Events as they are written: which there are, how they are called, and what is wrong with them.

One list of flaws has two uses: a run stops at the first one, a check reports all of them.
"""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.golang import durations
from kubestage.objects import event_ids
from kubestage.scenario import settings

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json


CREATE: Final = "Create"
PATCH: Final = "Patch"
DELETE: Final = "Delete"
DONE: Final = "Done"
OPERATIONS: Final = {
    CREATE: "createOperation",
    PATCH: "patchOperation",
    DELETE: "deleteOperation",
    DONE: "doneOperation",
}
BY_FIELD: Final = {field: operation for operation, field in OPERATIONS.items()}
DURATIONS: Final = "durations look like 10s or 1m30s"

_EVENTS, _OPERATIONS = event_ids.LISTS
_FIELDS: Final = (_EVENTS, _OPERATIONS, "stepDuration", *settings.CHOICES)
_STEPS: Final = 2**31
_CHOICE: Final = ", ".join(OPERATIONS.values())


class Flaw(NamedTuple):
    """One thing that is wrong, and where; `event` is the id and place of the event, if in one.

    `fails_run` is whether a Scenario may be created with it, and fails when it is run.
    """

    path: str
    problem: str
    fix: str | None = None
    event: str | None = None
    fails_run: bool = False

    def __str__(self) -> str:
        what = f"{self.problem}: {self.fix}" if self.fix else self.problem
        return f"{self.event}: {what}" if self.event else f"{self.path}: {what}"


class WrittenEvent(NamedTuple):
    """An event in its place; `value` is what is written there, whatever that is.

    `fields` are those of the four operations that are given.
    """

    id: str
    path: str
    value: Any
    fields: tuple[str, ...]
    is_newer: bool

    @property
    def called(self) -> str:
        """How messages speak of the event."""
        return f'event "{self.id}" ({self.path})'

    def body_of(self, operation: str) -> Json:
        """What is written for an operation, if it is the one of the event; else nothing."""
        field = OPERATIONS[operation]
        if self.fields != (field,):
            return {}
        body = self.value[field]
        return body if isinstance(body, dict) else {}

    def flaw(
        self, problem: str, fix: str | None = None, field: str = "", *, fails_run: bool = False
    ) -> Flaw:
        """Something that is wrong with the event, or with one of its fields."""
        path = f"{self.path}.{field}" if field else self.path
        return Flaw(path, problem, fix, self.called, fails_run)


def read(spec: Any, first: int = 0) -> list[WrittenEvent]:
    """The events of a spec, of either draft, in order; none where there is no list.

    `first` is the place of the first of them, where others were read before: then all have ids.
    """
    spec = spec if isinstance(spec, dict) else {}
    name = _OPERATIONS if spec.get(_OPERATIONS) and not spec.get(_EVENTS) else _EVENTS
    written = spec.get(name)
    if not isinstance(written, list):
        return []
    ids = event_ids.event_ids(written)
    is_newer = name == _OPERATIONS
    return [
        WrittenEvent(
            str(ids[index]), f"spec.{name}[{first + index}]", value, _provided(value), is_newer
        )
        for index, value in enumerate(written)
    ]


def _provided(event: Any) -> tuple[str, ...]:
    if not isinstance(event, dict):
        return ()
    return tuple(field for field in BY_FIELD if event.get(field) is not None)


def flaws(spec: Any, events: Sequence[WrittenEvent]) -> Iterator[Flaw]:
    """All that is wrong with a spec and its events, short of what their operations would do."""
    if spec is None:
        return
    if not isinstance(spec, dict):
        yield Flaw("spec", "is not an object")
        return
    for field in spec:
        if field == "controllers":
            cure = "leave it out; the controllers and the scheduler of the run take part"
            yield Flaw("spec.controllers", "cannot be chosen by a scenario", cure)
        elif field not in _FIELDS:
            yield Flaw(f"spec.{field}", "is unknown", f"a spec has {', '.join(_FIELDS)}")
    for field in (_EVENTS, _OPERATIONS):
        if spec.get(field) is not None and not isinstance(spec[field], list):
            yield Flaw(f"spec.{field}", "is not a list")
    if spec.get(_EVENTS) and spec.get(_OPERATIONS):
        yield Flaw(f"spec.{_OPERATIONS}", "is given beside events", "write either")
    yield from _duration_flaws(spec.get("stepDuration"))
    for field, choices in settings.CHOICES.items():
        yield from _choice_flaws(field, spec.get(field), choices)
    seen: dict[str, str] = {}
    for event in events:
        yield from _event_flaws(event)
        first = seen.setdefault(event.id, event.path)
        if first != event.path:
            fix = "give each event an id of its own, or none"
            yield event.flaw(f'id "{event.id}" is that of {first} too', fix, "id")


def _shown(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _duration_flaws(text: Any) -> Iterator[Flaw]:
    if text is None:
        return
    try:
        if not isinstance(text, str):
            raise ValueError(f"{_shown(text)} is not a duration")
        if durations.parse_duration(text) < 0:
            raise ValueError(f'"{text}" is negative')
    except ValueError as error:
        yield Flaw("spec.stepDuration", str(error), DURATIONS)


def _choice_flaws(field: str, value: Any, choices: Sequence[str]) -> Iterator[Flaw]:
    if value is None or value in choices:
        return
    near = difflib.get_close_matches(value, choices, n=1) if isinstance(value, str) else []
    known = f"use one of {', '.join(choices)}"
    fix = f"did you mean {near[0]}? {known}" if near else known
    yield Flaw(f"spec.{field}", f"{_shown(value)} is unknown", fix)


def _event_flaws(event: WrittenEvent) -> Iterator[Flaw]:
    value = event.value
    if not isinstance(value, dict):
        yield event.flaw("is not an object")
        return
    step = value.get("step", 0)
    if type(step) is not int or not 0 <= step < _STEPS:
        problem = f"step must be a whole number from 0 to {_STEPS - 1}, not {_shown(step)}"
        yield event.flaw(problem, field="step")
    provided = event.fields
    if len(provided) != 1:
        described = " and ".join(provided) if provided else "none"
        yield event.flaw(f"exactly one of {_CHOICE} must be given, not {described}", fails_run=True)
        return
    (field,) = provided
    operation, stated = BY_FIELD[field], value.get("operation")
    if stated is None and not event.is_newer:
        fix = f"write operation: {operation}"
        yield event.flaw("operation is missing", fix, "operation", fails_run=True)
    elif stated is not None and stated != operation:
        problem = f"operation is {stated}, but {field} is given"
        fix = f"write operation: {operation}"
        yield event.flaw(problem, fix, "operation", fails_run=True)
    if not isinstance(value[field], dict):
        yield event.flaw(f"{field} is not an object", field=field)
