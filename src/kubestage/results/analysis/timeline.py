"""The timeline of a Scenario's status, in order and in a shape that can be relied on.

Nothing but the envelope is checked: objects are plain JSON, and fields that are not read here may
be anything.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.aliases import Json
from kubestage.errors import InputError
from kubestage.results.analysis import measured

if TYPE_CHECKING:
    from collections.abc import Iterator


_TIMELINE: Final = "status.scenarioResult.timeline"
_RUN_IT: Final = "run it first: kubestage run FILE --out DIR"


class TypeMeta(msgspec.Struct, frozen=True, rename="camel"):
    """Which kind of object an operation is about."""

    api_version: str | None = None
    kind: str | None = None


class ObjectMeta(msgspec.Struct, frozen=True):
    """Which object of its kind an operation is about."""

    name: str | None = None
    namespace: str | None = None


class OperationOptions(msgspec.Struct, frozen=True, rename="camel"):
    """The options of an operation."""

    dry_run: list[str] | None = None


class Operation(msgspec.Struct, frozen=True, rename="camel"):
    """An operation: an object to create, or which one to patch or delete."""

    object: Any = None
    type_meta: TypeMeta | None = None
    object_meta: ObjectMeta | None = None
    create_options: OperationOptions | None = None
    patch_options: OperationOptions | None = None
    delete_options: OperationOptions | None = None

    @property
    def is_dry(self) -> bool:
        """Whether it was only tried, and changed nothing."""
        options = (self.create_options, self.patch_options, self.delete_options)
        return any(each is not None and each.dry_run for each in options)


class TimelineChange(msgspec.Struct, frozen=True):
    """An operation and the object as it was stored afterwards."""

    operation: Operation | None = None
    result: Any = None


class PodResult(msgspec.Struct, frozen=True, rename="camel"):
    """The result of a pod; its attempts are left as they are."""

    pod: Any = None
    bound_to: str | None = None
    preempted_by: str | None = None
    created_at: int | None = None
    bound_at: int | None = None
    preempted_at: int | None = None
    schedule_result: list[Any] | None = None


class Preemption(msgspec.Struct, frozen=True, rename="camel"):
    """The nominated node of an attempt, and its victims."""

    nominated_node: str | None = None
    victims: list[str] | None = None


class TimelineAttempt(msgspec.Struct, frozen=True, rename="camel"):
    """One attempt at a pod, without the verdicts and scores of single nodes."""

    step: int | None = None
    attempt: int | None = None
    result: str | None = None
    profile: str | None = None
    node: str | None = None
    message: str | None = None
    evaluated_nodes: int | None = None
    feasible_nodes: int | None = None
    preemption: Preemption | None = None


class TimelineEvent(msgspec.Struct, frozen=True, rename="camel"):
    """One event of the timeline."""

    create: TimelineChange | None = None
    patch: TimelineChange | None = None
    delete: TimelineChange | None = None
    pod_scheduled: PodResult | None = None
    pod_unscheduled: PodResult | None = None
    pod_preempted: PodResult | None = None


def status_of(run: Json) -> Json:
    """The status, of a status or of a whole Scenario; InputError if it has no result."""
    status = run if "scenarioResult" in run else run.get("status")
    result = status.get("scenarioResult") if isinstance(status, dict) else None
    if not isinstance(status, dict) or not isinstance(result, dict):
        raise InputError(
            "the Scenario has no result yet", path="status.scenarioResult", fix=_RUN_IT
        )
    return status


def timeline_of(run: Json) -> dict[int, list[Any]]:
    """The events of each step, steps in order."""
    timeline = status_of(run)["scenarioResult"].get("timeline") or {}
    if not isinstance(timeline, dict):
        raise InputError("expected an object with the events of each step", path=_TIMELINE)
    steps = {_step(key): events or [] for key, events in timeline.items()}
    for step, events in steps.items():
        if not isinstance(events, list):
            raise InputError("expected a list of events", path=f"{_TIMELINE}.{step}")
    return dict(sorted(steps.items()))


def until(run: Json, step: int) -> Json:
    """The Scenario, or status, as it was at the end of a step; InputError if there is none such."""
    status = status_of(run)
    steps = timeline_of(run)
    if step not in steps:
        raise InputError(f"the run has no step {step}", fix=_known(list(steps)))
    kept = {str(each): events for each, events in steps.items() if each <= step}
    result = status["scenarioResult"]
    measures = measured.result_until(result, step)
    earlier = {**status, "scenarioResult": {**result, "timeline": kept, **measures}}
    return earlier if run is status else {**run, "status": earlier}


def read(events: list[Any], step: int) -> Iterator[tuple[Json, TimelineEvent]]:
    """The events of a step as they are written, each with what is read of it."""
    for position, written in enumerate(events):
        try:
            yield written, msgspec.convert(written, TimelineEvent)
        except msgspec.ValidationError as error:
            raise refused(error, step, position) from None


def read_attempts(result: PodResult, known: int) -> list[TimelineAttempt]:
    """The attempts at a pod that come after those already known."""
    results = result.schedule_result
    return (
        msgspec.convert(results[known:], list[TimelineAttempt])
        if results and len(results) > known
        else []
    )


def refused(error: Exception, step: int, position: int) -> InputError:
    """What is wrong with an event, with its place."""
    problem, _, place = str(error).replace("`", "").partition(" - at $")
    where = f"{_TIMELINE}.{step}[{position}]{place}"
    return InputError(problem[:1].lower() + problem[1:], path=where)


def _step(key: Any) -> int:
    try:
        return int(key)
    except (TypeError, ValueError):
        raise InputError(f'"{key}" is no step', path=_TIMELINE, fix="steps are numbers") from None


def _known(steps: list[int]) -> str:
    if not steps:
        return "nothing happened in this run"
    return f"it has steps {steps[0]} to {steps[-1]}" if len(steps) > 1 else f"it has {steps[0]}"
