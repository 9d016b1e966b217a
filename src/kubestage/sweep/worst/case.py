"""A case: all that happens in one run, event by event, in the order in which it happens."""

from __future__ import annotations

import functools
import hashlib
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.aliases import Json
from kubestage.runs.inputs import stage_inputs
from kubestage.scenario.resource import CREATE, DELETE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Set

APPLY: Final = "Apply"
"""What a living run does with an object that is there already."""
_CLUSTER, _ARRIVAL, _LATER = range(3)
_ENDED: Final = ("Succeeded", "Failed")
_COPIED: Final = frozenset({"Pod", "Job"})
"""Kinds of which there may be several copies; others have selectors that must not overlap."""


class Target(NamedTuple):
    """The object that an event is about."""

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        parts = (self.kind.lower(), self.namespace, self.name)
        return "/".join(part for part in parts if part)


class CaseEvent(msgspec.Struct, frozen=True):
    """Something that happens at a step of a Scenario, or at a second of a living run.

    `body` is the operation as a Scenario has it. `tag` links the events of one failure.
    """

    at: int
    operation: str
    body: Json
    tag: str = ""

    @property
    def object(self) -> Json | None:
        """The object that is created or applied, if one is."""
        return self.body.get("object") if self.operation in (CREATE, APPLY) else None

    @property
    def target(self) -> Target:
        """What it is about."""
        obj = self.object
        kind = (self.body.get("typeMeta") or {}) if obj is None else obj
        metadata = (self.body.get("objectMeta") if obj is None else obj.get("metadata")) or {}
        name = str(metadata.get("name") or metadata.get("generateName") or "")
        namespace = str(metadata.get("namespace") or "")
        return Target(str(kind.get("kind") or ""), namespace, name)

    @property
    def is_arrival(self) -> bool:
        """Whether pods arrive with it that need a node."""
        obj = self.object if self.operation == CREATE else None
        if obj is None:
            return False
        if obj.get("kind") == "Pod":
            is_over = (obj.get("status") or {}).get("phase") in _ENDED
            return not (is_over or (obj.get("spec") or {}).get("nodeName"))
        # A workload that was recorded has its pods already.
        return stage_inputs.is_workload(obj) and "uid" not in (obj.get("metadata") or {})

    @property
    def is_copied(self) -> bool:
        """Whether another arrival like it may be added."""
        obj = self.object
        named = obj is not None and bool(obj["metadata"].get("name"))
        return self.is_arrival and named and self.target.kind in _COPIED

    def with_object(self, obj: Json) -> CaseEvent:
        """The same event with another object."""
        return msgspec.structs.replace(self, body={**self.body, "object": obj})


class Case(msgspec.Struct, frozen=True, dict=True):
    """Events in the order in which they happen."""

    events: tuple[CaseEvent, ...]

    @functools.cached_property
    def key(self) -> str:
        """A hash of the content."""
        return hashlib.sha256(msgspec.json.encode(self.events, order="sorted")).hexdigest()

    @property
    def arrivals(self) -> list[int]:
        """The places of the arrivals."""
        return [at for at, event in enumerate(self.events) if event.is_arrival]

    def nodes(self) -> Iterator[tuple[int, Json]]:
        """The nodes that there ever are, each with the place of its first event."""
        seen = set()
        for at, event in enumerate(self.events):
            obj = event.object
            if obj is not None and obj.get("kind") == "Node" and event.target not in seen:
                seen.add(event.target)
                yield at, obj

    def replaced(self, place: int, event: CaseEvent) -> Case:
        """The case with another event in one place."""
        return arranged((*self.events[:place], event, *self.events[place + 1 :]))

    def without(self, places: Iterable[int]) -> Case:
        """The case without some events, nor those that only make sense after them."""
        gone = set(places)
        kept = [event for at, event in enumerate(self.events) if at not in gone]
        created = {event.target for event in self.events if event.operation == CREATE}
        return arranged(_possible(kept, created))


def arranged(events: Iterable[CaseEvent]) -> Case:
    """The events by time; at the same time what arrivals depend on comes before them.

    What happens to an object comes after its creation, in the order in which it was written.
    """
    seen: set[Target] = set()
    ranked = []
    for event in sorted(events, key=lambda each: each.at):
        is_first = event.operation == CREATE and event.target not in seen
        seen.add(event.target)
        rank = (_ARRIVAL if event.is_arrival else _CLUSTER) if is_first else _LATER
        ranked.append((event.at, rank, event))
    ranked.sort(key=lambda each: each[:2])
    return Case(tuple(event for _, _, event in ranked))


def _possible(events: Iterable[CaseEvent], created: Set[Target]) -> Iterator[CaseEvent]:
    """Those events that find their object as they need it: there, or not there yet.

    What events never create is left alone: controllers may.
    """
    there: set[Target] = set()
    for event in events:
        target = event.target
        if event.operation == CREATE:
            if event.tag and target in there:
                # A node comes back that was never lost.
                continue
            there.add(target)
        elif target not in there and target in created:
            continue
        elif event.operation == DELETE:
            there.discard(target)
        yield event
