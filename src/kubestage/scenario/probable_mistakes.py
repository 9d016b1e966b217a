"""What is allowed in a Scenario, but is probably a mistake: events that do nothing, or will fail.

Nothing here is certain. Objects come from controllers as well as from events, and an early Done may
be there to try out the first steps.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.errors import InputError
from kubestage.scenario import written_events
from kubestage.scenario.written_events import (
    CREATE,
    DELETE,
    DONE,
    OPERATIONS,
    PATCH,
    WrittenEvent,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json

Key = tuple[str, str, str, str]

# Kinds that come and go without an event: created or deleted by controllers, or seeded.
_COMING_AND_GOING: Final = frozenset(
    {
        "ControllerRevision", "CSIStorageCapacity", "ConfigMap", "Endpoints", "EndpointSlice",
        "Event", "Job", "Lease", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Pod",
        "PriorityClass", "ReplicaSet", "ResourceClaim", "ServiceAccount", "VolumeAttachment",
    }
)  # fmt: skip


def probable_mistakes(scenario: Json) -> list[InputError]:
    """What is probably a mistake, in the order in which it would happen."""
    spec = scenario.get("spec")
    written = written_events.read(spec)
    if not written and not any(written_events.flaws(spec, written)):
        fix = "write spec.events, or add some while it is paused"
        return [InputError("there are no events: it will be Paused at once", path="spec", fix=fix)]
    events = [each for each in written if isinstance(each.value, dict)]
    events.sort(key=_step)
    inventory = _Inventory(events)
    found = [each for event in events for each in inventory.mistakes(event)]
    unrun = [each.problem for each in _after_the_end(events)]
    return [*unrun, *_undone(events), *found]


class NeverRun(NamedTuple):
    """An event that comes after the Done that ends its Scenario."""

    event: WrittenEvent
    done: WrittenEvent

    @property
    def step(self) -> int:
        """The step in which the event would happen."""
        return _step(self.event)

    @property
    def last_step(self) -> int:
        """The step of the Done."""
        return _step(self.done)

    @property
    def problem(self) -> InputError:
        """What is wrong, with the path of the event."""
        problem = f"is never run: {self.done.called} ends the scenario in step {self.last_step}"
        return InputError(problem, path=self.event.path, fix="move the Done to the last step")


def never_run(scenario: Json) -> list[NeverRun]:
    """The events of a Scenario that come after its Done, in the order of their steps."""
    written = written_events.read(scenario.get("spec"))
    events = [each for each in written if isinstance(each.value, dict)]
    return list(_after_the_end(sorted(events, key=_step)))


def _step(event: WrittenEvent) -> int:
    step = event.value.get("step", 0)
    return step if type(step) is int else 0


def _after_the_end(events: list[WrittenEvent]) -> Iterator[NeverRun]:
    end: WrittenEvent | None = None
    for event in events:
        if end is not None and _step(event) > _step(end):
            yield NeverRun(event, end)
        elif OPERATIONS[DONE] in event.fields and event.body_of(DONE).get("done") is not False:
            end = end or event


def _undone(events: list[WrittenEvent]) -> Iterator[InputError]:
    for event in events:
        if OPERATIONS[DONE] in event.fields and event.body_of(DONE).get("done") is False:
            path = f"{event.path}.{OPERATIONS[DONE]}.done"
            yield InputError("only done: true ends a scenario", path=path)


class _Inventory:
    """The objects that exist, as far as the events show."""

    def __init__(self, events: list[WrittenEvent]) -> None:
        self._there: dict[Key, WrittenEvent] = {}
        self._gone: dict[Key, WrittenEvent] = {}
        # Names of these kinds are generated in the run.
        unnamed = {kind for kind, key in map(_created, events) if kind and key is None}
        self._vague = _COMING_AND_GOING | unnamed

    def mistakes(self, event: WrittenEvent) -> Iterator[InputError]:
        """The mistakes of an event, which is taken note of."""
        kind, key = _created(event)
        if key is not None:
            first = self._there.setdefault(key, event)
            may_be_gone = kind in _COMING_AND_GOING and _step(first) < _step(event)
            if first is not event and not may_be_gone:
                path = f"{event.path}.{OPERATIONS[CREATE]}.object.metadata.name"
                problem = f"{_named(key)} is created by {first.called} already"
                yield InputError(problem, path=path, fix="give it another name, or delete it first")
        for operation in (PATCH, DELETE):
            key = _target(event.body_of(operation))
            if key is None:
                continue
            if key not in self._there and key[1] not in self._vague:
                path = f"{event.path}.{OPERATIONS[operation]}.objectMeta.name"
                yield InputError(self._missing(key), path=path, fix="check name and step")
            if operation == DELETE and self._there.pop(key, None) is not None:
                self._gone[key] = event

    def _missing(self, key: Key) -> str:
        if key in self._gone:
            return f"{_named(key)} was deleted by {self._gone[key].called}"
        return f"{_named(key)} was not created by an event before"


def _created(event: WrittenEvent) -> tuple[str, Key | None]:
    """Kind and identity of what an event creates."""
    obj = event.body_of(CREATE).get("object")
    if not isinstance(obj, dict):
        return "", None
    return str(obj.get("kind")), _key(obj, obj.get("metadata"))


def _target(body: Json) -> Key | None:
    kind = body.get("typeMeta")
    return _key(kind, body.get("objectMeta")) if isinstance(kind, dict) else None


def _key(kind: Json, metadata: Any) -> Key | None:
    if not isinstance(metadata, dict) or not isinstance(metadata.get("name"), str):
        return None
    group = str(kind.get("apiVersion")).rpartition("/")[0]
    namespace = metadata.get("namespace") or "default"
    return group, str(kind.get("kind")), str(namespace), metadata["name"]


def _named(key: Key) -> str:
    return f'{key[1]} "{key[3]}"'
