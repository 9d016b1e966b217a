"""The ``Scenario`` resource: what a person writes, read into events.

Both drafts of the document are understood: ``events``, and the newer ``operations``, in which the
field that an event has says what it does.
"""

from __future__ import annotations

import bisect
import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import KubestageError
from kubestage.golang import durations
from kubestage.scenario import written_events
from kubestage.scenario.probable_mistakes import never_run, probable_mistakes
from kubestage.scenario.problems import problems
from kubestage.scenario.written_events import CREATE, DELETE, DONE, OPERATIONS, PATCH

if TYPE_CHECKING:
    from collections.abc import Generator


__all__ = [
    "API_VERSION", "CREATE", "DELETE", "DONE", "KIND", "OPERATIONS", "PATCH", "SCENARIO",
    "Event", "InvalidEvent", "Spec", "is_scenario", "never_run", "normalized",
    "probable_mistakes", "problems", "read", "read_on",
]  # fmt: skip


API_VERSION: Final = "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1"
KIND: Final = "Scenario"
SCENARIO: Final = (API_VERSION, KIND)
_AT_ONCE: Final = 200


class InvalidEvent(KubestageError):
    """An event that the document forbids: the scenario fails, with these words."""


class Event(msgspec.Struct, frozen=True):
    """One event: when, what, and the operation as it was written."""

    id: str
    step: int
    operation: str
    body: Json

    @property
    def ends(self) -> bool:
        """Whether the scenario is done with it; an event that says ``done: false`` changes nothing.

        The newer draft's ``doneOperation: {}`` ends it too.
        """
        return self.operation == DONE and self.body.get("done") is not False


class Spec(msgspec.Struct, frozen=True, dict=True):
    """The events in the order in which they were written, and how long each step lasts."""

    events: tuple[Event, ...]
    step_duration_ns: int = 0

    @functools.cached_property
    def _by_step(self) -> dict[int, list[Event]]:
        found: dict[int, list[Event]] = {}
        for event in self.events:
            found.setdefault(event.step, []).append(event)
        return dict(sorted(found.items()))

    @functools.cached_property
    def _steps(self) -> list[int]:
        return list(self._by_step)

    def of_step(self, step: int) -> tuple[Event, ...]:
        """The events of one step, in order."""
        return tuple(self._by_step.get(step, ()))

    def next_step(self, after: int | None) -> int | None:
        """The first step after another that has events, if any has."""
        at = 0 if after is None else bisect.bisect_right(self._steps, after)
        return self._steps[at] if at < len(self._steps) else None


def is_scenario(obj: Json) -> bool:
    """Whether an object is a Scenario."""
    return obj.get("apiVersion") == API_VERSION and obj.get("kind") == KIND


def read(scenario: Json) -> Spec:
    """The events of a Scenario, of either draft; InvalidEvent names the first that is wrong."""
    spec = scenario.get("spec") or {}
    written = written_events.read(spec)
    for flaw in written_events.flaws(spec, written):
        raise InvalidEvent(str(flaw))
    return Spec(tuple(map(_event, written)), _duration_ns(spec))


def read_on(
    scenario: Json, before: tuple[Json, Spec] | None = None
) -> Generator[None, None, tuple[Json, Spec]]:
    """The spec in the older draft, and its events; some events at each step.

    `before` is what was read last: events that are still the same objects are not read again.
    """
    spec = scenario.get("spec") or {}
    events = spec.get("events")
    if not isinstance(events, list) or len(events) <= _AT_ONCE:
        return normalized(scenario)["spec"], read(scenario)
    for flaw in written_events.flaws({**spec, "events": []}, ()):
        raise InvalidEvent(str(flaw))
    known = _known(before)
    found: list[Event] = []
    whole: list[Json] = []
    for at in range(0, len(events), _AT_ONCE):
        part = events[at : at + _AT_ONCE]
        same = [known.get(id(each)) for each in part]
        if None in same:
            written = written_events.read({"events": part}, first=at)
            for flaw in written_events.flaws({}, written):
                raise InvalidEvent(str(flaw))
            same, part = list(map(_event, written)), list(map(_complete, written))
            yield
        found += (each for each in same if each is not None)
        whole += part
    return {**spec, "events": whole}, Spec(tuple(found), _duration_ns(spec))


def _known(before: tuple[Json, Spec] | None) -> dict[int, Event]:
    """The events that were read before, by the objects that they were read from."""
    if before is None:
        return {}
    return dict(zip(map(id, before[0].get("events") or ()), before[1].events, strict=False))


def _event(written: written_events.WrittenEvent) -> Event:
    (field,) = written.fields
    value = written.value
    return Event(written.id, value.get("step", 0), written_events.BY_FIELD[field], value[field])


def _duration_ns(spec: Json) -> int:
    duration = spec.get("stepDuration")
    return durations.parse_duration(duration) if duration else 0


def normalized(scenario: Json) -> Json:
    """The same Scenario in the older draft, each event with its id, step and operation.

    What is complete already is shared with what came in, and so is what cannot be understood.
    """
    spec = scenario.get("spec")
    if spec is None:
        spec = {}
    elif not isinstance(spec, dict) or (spec.get("events") and spec.get("operations")):
        return scenario
    written = written_events.read(spec)
    if not written and (spec.get("events") or spec.get("operations")):
        return scenario
    events = [_complete(each) for each in written]
    rest = {key: value for key, value in spec.items() if key not in ("events", "operations")}
    return {**scenario, "spec": {"events": events, **rest}}


def _complete(event: written_events.WrittenEvent) -> Any:
    stated, value = event.fields, event.value
    if len(stated) != 1:
        return value
    (field,) = stated
    created: Json = {"id": event.id, "step": 0}
    if event.is_newer:
        created["operation"] = written_events.BY_FIELD[field]
    if all(value.get(key) not in (None, "") for key in created) and value[field] != {}:
        return value
    whole = {**created, **{key: item for key, item in value.items() if item not in (None, "")}}
    if field == OPERATIONS[DONE] and isinstance(value[field], dict):
        whole[field] = {"done": True, **value[field]}
    return whole
