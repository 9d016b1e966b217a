"""Rules for scenarios: shape at the door; what events say is left to the run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.validation import rules

if TYPE_CHECKING:
    from kubestage.aliases import Json

DONE: Json = {"id": "e", "step": 1, "operation": "Done", "doneOperation": {"done": True}}


def _scenario(*events: Any, **more: Any) -> Json:
    return {
        "apiVersion": "simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1",
        "kind": "Scenario",
        "metadata": {"name": "s", "uid": "u", "resourceVersion": "1"},
        "spec": {"events": list(events)},
        **more,
    }


def _told(obj: Json) -> list[str]:
    return [str(each) for each in rules.validate_create(obj)]


def _told_of_update(new: Json, old: Json, subresource: str = "") -> list[str]:
    return [str(each) for each in rules.validate_update(new, old, subresource)]


@pytest.mark.parametrize(
    "event",
    [
        DONE,
        {"id": "e"},
        {**DONE, "operation": "Create"},
        {**DONE, "createOperation": {"object": {}}},
        {**DONE, "createOperation": None, "doneOperation": {}},
        {"id": "e", "operation": "Create", "createOperation": {"object": {"any": ["thing"]}}},
    ],
)
def test_events_that_say_nothing_too_much_or_the_wrong_thing_are_taken_in(event: Json) -> None:
    assert _told(_scenario(event)) == []


@pytest.mark.parametrize(
    ("event", "told"),
    [
        (
            {**DONE, "step": -1},
            (
                "spec.events[1].step: Invalid value: -1: spec.events[1].step in body should be "
                "greater than or equal to 0"
            ),
        ),
        (
            {**DONE, "step": "1"},
            (
                'spec.events[1].step: Invalid value: "string": spec.events[1].step in body must be '
                'of type integer: "string"'
            ),
        ),
        (
            {**DONE, "operation": "Finish"},
            (
                'spec.events[1].operation: Unsupported value: "Finish": supported values: '
                '"Create", "Patch", "Delete", "Done"'
            ),
        ),
        ({**DONE, "stpe": 1}, "spec.events[1].stpe: Forbidden: unknown field; did you mean step?"),
        ({**DONE, "id": "first"}, 'spec.events[1]: Duplicate value: {"id":"first"}'),
        (
            {"id": "e", "createOperation": {}},
            "spec.events[1].createOperation.object: Required value",
        ),
    ],
)
def test_an_event_of_the_wrong_shape_is_named(event: Json, told: str) -> None:
    assert _told(_scenario({**DONE, "id": "first"}, event)) == [told]


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ({"sepc": {}}, "sepc: Forbidden: unknown field"),
        (
            {"spec": {"stepDuration": "soon"}},
            'spec.stepDuration: Invalid value: "soon": spec.stepDuration in body should match ',
        ),
        (
            {"spec": {"controllers": {}}},
            (
                "spec.controllers: Forbidden: unknown field; which controllers take part is not "
                "the scenario's choice: leave it out"
            ),
        ),
        ({"metadata": {"name": "S", "uid": "u"}}, 'metadata.name: Invalid value: "S": '),
    ],
)
def test_other_fields_are_judged_too(more: Json, told: str) -> None:
    (found,) = _told(_scenario(**more))
    assert found.startswith(told)


@pytest.mark.parametrize("duration", ["0", "10s", "1h2m3.5s", "100ms", ".5s"])
def test_durations_are_gos(duration: str) -> None:
    assert _told(_scenario(spec={"stepDuration": duration})) == []


def _in_phase(phase: str, *events: Json) -> Json:
    return _scenario(*events, status={"phase": phase})


def test_no_event_is_added_to_a_scenario_that_has_succeeded() -> None:
    old = _in_phase("Succeeded", DONE)
    new = _in_phase("Succeeded", DONE, {**DONE, "id": "more"})
    assert _told_of_update(new, old) == [
        (
            'spec.events[1]: Forbidden: event "more" cannot be added: the scenario has Succeeded; '
            "create a new scenario"
        )
    ]


@pytest.mark.parametrize("phase", ["Pending", "Running", "Paused", "Failed", "Unknown"])
def test_events_may_be_added_in_every_other_phase(phase: str) -> None:
    old = _in_phase(phase, DONE)
    assert _told_of_update(_in_phase(phase, DONE, {**DONE, "id": "more"}), old) == []


def test_events_that_were_there_may_be_changed_moved_and_removed() -> None:
    old = _in_phase("Succeeded", DONE, {**DONE, "id": "other"})
    assert _told_of_update(_in_phase("Succeeded", {**DONE, "step": 3}), old) == []
    newer = {**old, "spec": {"operations": old["spec"]["events"]}}
    assert _told_of_update(newer, old) == []


def test_an_update_is_judged_as_a_new_scenario_is() -> None:
    old = _in_phase("Paused", DONE)
    (told,) = _told_of_update(_in_phase("Paused", {**DONE, "step": -1}), old)
    assert told.startswith("spec.events[0].step: Invalid value: -1")


@pytest.mark.parametrize(
    ("status", "told"),
    [
        (
            {"phase": "Happy"},
            (
                'status.phase: Unsupported value: "Happy": supported values: "Pending", "Running", '
                '"Paused", "Succeeded", "Failed", "Unknown"'
            ),
        ),
        (
            {"scenarioResult": {"timeline": {"1": [{"id": "a", "step": 1}]}}},
            "status.scenarioResult.timeline.1[0].operation: Required value",
        ),
        ("done", 'status: Invalid value: "string":  in body must be of type object: "string"'),
    ],
)
def test_a_status_is_judged_apart(status: Any, told: str) -> None:
    old = _in_phase("Running", DONE)
    assert _told_of_update({**old, "status": status}, old, "status") == [told]


def test_a_phase_of_another_type_is_none_of_the_known_ones_either() -> None:
    old = _in_phase("Running", DONE)
    assert _told_of_update({**old, "status": {"phase": 7}}, old, "status") == [
        'status.phase: Invalid value: "integer": phase in body must be of type string: "integer"',
        (
            'status.phase: Unsupported value: 7: supported values: "Pending", "Running", '
            '"Paused", "Succeeded", "Failed", "Unknown"'
        ),
    ]


def test_a_status_may_tell_more_than_the_definition_knows() -> None:
    old = _in_phase("Running", DONE)
    attempt = {"step": None, "result": "scheduled", "more": 1}
    pod = {"pod": {"kind": "Pod"}, "boundTo": None, "createdAt": 1, "scheduleResult": [attempt]}
    event = {"id": "podscheduled-1", "step": 1, "operation": "PodScheduled", "podScheduled": pod}
    status = {
        "phase": "Running",
        "message": None,
        "stepStatus": {"step": 1, "phase": "Scheduling"},
        "scenarioResult": {"simulatorVersion": "1", "timeline": {"1": [event]}},
        "mood": "good",
    }
    assert _told_of_update({**old, "status": status}, old, "status") == []
    assert _told_of_update({**old, "status": None}, old, "status") == []
