"""Scenarios in a few words, and what came of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from kubestage import Stage
from kubestage.scenario import resource
from kubestage.testing import make_pod, make_priority_class

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.aliases import Json
    from kubestage.scenario.scheduling import NextPod
    from kubestage.scenario.settings import Settings
    from kubestage.store.log import Change
    from kubestage.store.store import Store


NAME: Final = "it"
POD: Final = ("v1", "Pod")
NODE: Final = ("v1", "Node")
DEPLOYMENT: Final = ("apps/v1", "Deployment")
_POD_EVENTS: Final = ("podScheduled", "podUnscheduled", "podPreempted")


def create(obj: Json, step: int = 0, **more: Any) -> Json:
    """An event that creates an object."""
    metadata = obj["metadata"]
    name = metadata.get("name") or metadata.get("generateName")
    return {
        "id": f"create-{obj['kind']}-{name}-{step}".lower(),
        "step": step,
        "operation": "Create",
        "createOperation": {"object": obj, **more},
    }


def patch(kind: tuple[str, str], name: str, change: Any, step: int = 0, **more: Any) -> Json:
    """An event that changes an object; `change` is the patch, or its text."""
    text = change if isinstance(change, str) else json.dumps(change)
    return {
        "id": f"patch-{kind[1]}-{name}-{step}".lower(),
        "step": step,
        "operation": "Patch",
        "patchOperation": {**_target(kind, name), "patch": text, **more},
    }


def delete(kind: tuple[str, str], name: str, step: int = 0, **more: Any) -> Json:
    """An event that deletes an object."""
    return {
        "id": f"delete-{kind[1]}-{name}-{step}".lower(),
        "step": step,
        "operation": "Delete",
        "deleteOperation": {**_target(kind, name), **more},
    }


def done(step: int = 0) -> Json:
    """The event that ends a scenario."""
    return {"id": "done", "step": step, "operation": "Done", "doneOperation": {"done": True}}


def _target(kind: tuple[str, str], name: str) -> Json:
    type_meta = {"apiVersion": kind[0], "kind": kind[1]}
    namespace = {} if kind == NODE else {"namespace": "default"}
    return {"typeMeta": type_meta, "objectMeta": {"name": name, **namespace}}


def scenario(*events: Json, name: str = NAME, step_duration: str | None = None) -> Json:
    """A Scenario of these events."""
    spec: Json = {"events": list(events)}
    if step_duration is not None:
        spec["stepDuration"] = step_duration
    return {
        "apiVersion": resource.API_VERSION,
        "kind": resource.KIND,
        "metadata": {"name": name},
        "spec": spec,
    }


def stage_with(
    *scenarios: Json,
    alive: bool = False,
    settings: Settings | None = None,
    scheduler: Callable[[Store, NextPod], None] | None = None,
    seed: int = 0,
) -> Stage:
    """A stage on which Scenarios wait to be run; with controllers and kubelets if it is alive."""
    stage = Stage(seed=seed)
    if scheduler is None:
        stage.add_scheduler()
    if alive:
        stage.add_controllers()
    stage.add_scenarios(settings, scheduler=scheduler)
    for each in scenarios:
        stage.store.create(each)
    return stage


def run(*events: Json, step_duration: str | None = None, **options: Any) -> Stage:
    """A stage on which a Scenario of these events has run as far as it goes."""
    stage = stage_with(scenario(*events, step_duration=step_duration), **options)
    stage.run_scenarios()
    return stage


def add(stage: Stage, *events: Json, name: str = NAME) -> None:
    """Add events to a Scenario, as a client does."""
    known = stage.store.get(resource.SCENARIO, name)["spec"]["events"]
    stage.store.patch(resource.SCENARIO, name, {"spec": {"events": [*known, *events]}})


def status(stage: Stage, name: str = NAME) -> Json:
    """A Scenario's status."""
    found: Json = stage.store.get(resource.SCENARIO, name).get("status") or {}
    return found


def phase(stage: Stage, name: str = NAME) -> str:
    """A Scenario's phase."""
    return str(status(stage, name).get("phase"))


def message(stage: Stage, name: str = NAME) -> str:
    """What a Scenario's status says about its phase."""
    return str(status(stage, name).get("message") or "")


def timeline(stage: Stage, name: str = NAME) -> dict[str, list[Json]]:
    """What happened in each step."""
    found: dict[str, list[Json]] = status(stage, name)["scenarioResult"]["timeline"]
    return found


def happenings(stage: Stage, name: str = NAME) -> list[Json]:
    """All events of the timeline, in order."""
    return [event for events in timeline(stage, name).values() for event in events]


def summary(stage: Stage, name: str = NAME) -> list[tuple[int, str, str]]:
    """The timeline as (step, operation, name of the object), in order."""
    return [(e["step"], e["operation"], subject(e)) for e in happenings(stage, name)]


def subject(event: Json) -> str:
    """The name of the object that an event of the timeline is about."""
    told = pod_result(event)
    if told is not None:
        return str(told["pod"]["metadata"]["name"])
    for field in ("create", "patch"):
        if field in event:
            return str(event[field]["result"]["metadata"]["name"])
    if "delete" in event:
        return str(event["delete"]["operation"]["objectMeta"]["name"])
    return ""


def pod_result(event: Json) -> Json | None:
    """The PodResult of an event, if it has one."""
    found = (event[field] for field in _POD_EVENTS if field in event)
    return next(found, None)


def results(stage: Stage, operation: str) -> dict[str, Json]:
    """The last PodResult of this operation for each pod, by the pod's name."""
    told = {
        subject(event): pod_result(event) for event in happenings(stage) if _is(event, operation)
    }
    return {name: result for name, result in told.items() if result is not None}


def _is(event: Json, operation: str) -> bool:
    return bool(event["operation"] == operation)


def node_of(stage: Stage, name: str) -> str | None:
    """The node that a pod has."""
    found: str | None = stage.store.get(POD, name)["spec"].get("nodeName")
    return found


def placements(stage: Stage) -> dict[str, str | None]:
    """The nodes of all pods, by the pods' names."""
    return {
        pod["metadata"]["name"]: pod["spec"].get("nodeName") for pod in stage.store.list(POD).items
    }


def tried(stage: Stage) -> list[str]:
    """The names of the pods that were tried, in the order of the attempts."""
    rows: dict[int, str] = {}
    for event in happenings(stage):
        told = pod_result(event)
        for row in told["scheduleResult"] if told is not None else ():
            rows[row["attempt"]] = subject(event)
    return [rows[number] for number in sorted(rows)]


def important(name: str, **options: Any) -> Json:
    """A pod before which others have to give way; `importance` makes its class."""
    return make_pod(name, priority_class_name="important", **options)


def importance(step: int = 0) -> Json:
    """The event that makes the class of important pods."""
    return create(make_priority_class("important", 1000), step)


class Writes:
    """Every status that was written for a Scenario, in order."""

    def __init__(self, stage: Stage, name: str = NAME) -> None:
        self.statuses: list[Json] = []
        self._name = name
        stage.store.subscribe(self._hear)

    @property
    def of_results(self) -> list[Json]:
        """The statuses whose result was another than that of the status before."""
        before, found = None, []
        for each in self.statuses:
            result = each.get("scenarioResult")
            if result != before:
                found.append(each)
            before = result
        return found

    def of(self, *fields: str) -> list[Any]:
        """What stood in a field, without repetitions."""
        values = [_at(each, fields) for each in self.statuses]
        return [value for at, value in enumerate(values) if at == 0 or value != values[at - 1]]

    def _hear(self, change: Change) -> None:
        if change.kind.kind == resource.KIND and change.key == self._name:
            old = (change.old or {}).get("status")
            new = change.new.get("status")
            if change.type != "DELETED" and new is not None and new is not old:
                self.statuses.append(new)


def _at(value: Any, fields: Iterable[str]) -> Any:
    for field in fields:
        value = (value or {}).get(field)
    return value
