"""The timeline of a Scenario: what happened in each step."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.scenario.scenario_counts import ScenarioCounts

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scenario.resource import Event
    from kubestage.scenario.sink import Sink


SCHEDULED: Final = "PodScheduled"
UNSCHEDULED: Final = "PodUnscheduled"
PREEMPTED: Final = "PodPreempted"
_FIELDS: Final = {
    "Patch": "patch",
    "Delete": "delete",
    SCHEDULED: "podScheduled",
    UNSCHEDULED: "podUnscheduled",
    PREEMPTED: "podPreempted",
}


@dataclasses.dataclass(slots=True)
class PodRecord:
    """What is known of one pod over all steps."""

    created_at: int
    bound_to: str | None = None
    bound_at: int | None = None
    preempted_by: str | None = None
    preempted_at: int | None = None
    deletion_reported: bool = False
    attempts: tuple[Json, ...] = ()

    def result(self, pod: Json) -> Json:
        """The pod's result as of now."""
        return {
            "pod": pod,
            "boundTo": self.bound_to,
            "preemptedBy": self.preempted_by,
            "createdAt": self.created_at,
            "boundAt": self.bound_at,
            "preemptedAt": self.preempted_at,
            "scheduleResult": list(self.attempts),
        }


class Timeline:
    """The events of all steps so far, in order, with what is known of pods, by uid.

    Objects are shown as `scenario_counts` says.
    """

    def __init__(self, sink: Sink | None = None, counts: ScenarioCounts | None = None) -> None:
        self.sink = sink
        self.scenario_counts = counts or ScenarioCounts()
        self.records: dict[str, PodRecord] = {}
        # The ids of the scenario's events: none is used a second time.
        self.taken: set[str] = set()
        # How often each thing has happened.
        self.counts: dict[str, int] = {}
        self._steps: dict[int, list[Json]] = {}
        # As last reported, and the steps in which something happened since.
        self._reported: dict[str, list[Json]] = {}
        self._changed_steps: dict[int, None] = {}
        self._numbered = 0

    @property
    def last_attempt(self) -> int:
        """The number of the last attempt that is recorded."""
        rows = (row for record in self.records.values() for row in record.attempts)
        return max((row.get("attempt", 0) for row in rows), default=0)

    def begin(self, step: int) -> None:
        """A step begins: it has its place even if nothing happens in it."""
        self._steps.setdefault(step, [])
        self._changed_steps[step] = None

    def operated(self, step: int, event: Event, content: Json) -> None:
        """An event of the scenario was carried out."""
        self._add(step, {"id": event.id, "step": step, "operation": event.operation, **content})

    def happened(self, step: int, operation: str, content: Json) -> None:
        """Something happened that is no event of the scenario."""
        while True:
            self._numbered += 1
            identity = f"{operation.lower()}-{self._numbered}"
            if identity not in self.taken:
                break
        self._add(
            step,
            {"id": identity, "step": step, "operation": operation, _FIELDS[operation]: content},
        )

    def count(self, event: Json) -> None:
        """An event is one more of its operation."""
        operation = event["operation"]
        self.counts[operation] = self.counts.get(operation, 0) + 1

    def as_dict(self) -> Json:
        """The timeline keyed by step, as the status has it; later events do not show in it."""
        for step in sorted(self._changed_steps):
            self._reported[str(step)] = list(self._steps[step])
        self._changed_steps.clear()
        return dict(self._reported)

    def _add(self, step: int, event: Json) -> None:
        if not self.scenario_counts.is_plain:
            event = self._counted(event)
        self.begin(step)
        self._steps[step].append(event)
        self.count(event)
        if self.sink is not None:
            self.sink.event(step, event)

    def _counted(self, event: Json) -> Json:
        """An event with its object as the Scenario counts."""
        for field in ("create", *_FIELDS.values()):
            content = event.get(field)
            for part in ("pod", "result"):
                if content is not None and part in content:
                    shown = self.scenario_counts.shown(content[part])
                    return {**event, field: {**content, part: shown}}
        return event


def resumed(
    written: Json, sink: Sink | None = None, counts: ScenarioCounts | None = None
) -> Timeline:
    """The timeline of a status, to be continued."""
    timeline = Timeline(sink, counts)
    for step, events in written.items():
        timeline.begin(int(step))
        timeline._steps[int(step)] = list(events)  # noqa: SLF001 - it is being made here
        timeline.taken.update(event["id"] for event in events)
        for event in events:
            timeline._numbered += event["operation"] in _FIELDS  # noqa: SLF001
            timeline.count(event)
            _take_up(timeline.records, event)
    return timeline


def _take_up(records: dict[str, PodRecord], event: Json) -> None:
    created = (event.get("create") or {}).get("result") or {}
    if (created.get("apiVersion"), created.get("kind")) == ("v1", "Pod"):
        node = created["spec"].get("nodeName")
        bound_at = event["step"] if node else None
        records[created["metadata"]["uid"]] = PodRecord(event["step"], node, bound_at)
    result = event.get(_FIELDS.get(event["operation"], ""))
    if result is not None and "createdAt" in result:
        records[result["pod"]["metadata"]["uid"]] = PodRecord(
            result["createdAt"],
            result.get("boundTo"),
            result.get("boundAt"),
            result.get("preemptedBy"),
            result.get("preemptedAt"),
            deletion_reported=result.get("preemptedAt") is not None,
            attempts=tuple(result.get("scheduleResult") or ()),
        )
