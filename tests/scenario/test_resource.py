"""A Scenario of either draft is read into the same events; a wrong one is named."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.scenario import resource
from kubestage.scenario.resource import Event, InvalidEvent
from kubestage.testing import make_node, make_pod
from tests.scenario.building import NODE, create, delete, done, patch, scenario

if TYPE_CHECKING:
    from kubestage.aliases import Json

CHOICE = "createOperation, patchOperation, deleteOperation, doneOperation"


def _of_newer_draft(*operations: Json) -> Json:
    made = scenario()
    made["spec"] = {"operations": list(operations)}
    return made


def _problem(made: Json) -> str:
    with pytest.raises(InvalidEvent) as problem:
        resource.read(made)
    return str(problem.value)


def test_events_are_read_in_the_order_in_which_they_are_written() -> None:
    events = [create(make_node("n"), 2), delete(NODE, "n", 1), done(3)]
    spec = resource.read(scenario(*events, step_duration="1m30s"))
    assert [event.id for event in spec.events] == [each["id"] for each in events]
    assert [event.step for event in spec.events] == [2, 1, 3]
    assert spec.events[0].body == {"object": make_node("n")}
    assert spec.of_step(1) == (spec.events[1],)
    assert spec.step_duration_ns == 90 * 10**9


def test_a_scenario_without_events_has_none() -> None:
    without_spec = {key: value for key, value in scenario().items() if key != "spec"}
    assert resource.read(without_spec) == resource.read(scenario()) == resource.Spec(())


def test_a_step_that_is_not_given_is_the_first() -> None:
    event = {key: value for key, value in done().items() if key != "step"}
    assert resource.read(scenario(event)).events[0].step == 0


def test_the_newer_draft_needs_no_operation_and_says_done_with_nothing() -> None:
    operations = [
        {"id": "a", "step": 1, "createOperation": {"object": make_node("n")}},
        {"id": "b", "step": 2, "doneOperation": {}},
    ]
    first, last = resource.read(_of_newer_draft(*operations)).events
    assert first == Event("a", 1, "Create", {"object": make_node("n")})
    assert (last.operation, last.ends) == ("Done", True)


@pytest.mark.parametrize(
    ("body", "ends"), [({"done": True}, True), ({}, True), ({"done": False}, False)]
)
def test_only_an_event_that_does_not_deny_it_ends_the_scenario(body: Json, ends: bool) -> None:
    assert Event("e", 0, "Done", body).ends is ends
    assert not Event("e", 0, "Create", body).ends


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (
            {"doneOperation": None},
            f"exactly one of {CHOICE} must be given, not none",
        ),
        (
            {"createOperation": {"object": {}}},
            f"exactly one of {CHOICE} must be given, not createOperation and doneOperation",
        ),
        ({"operation": "Create"}, "operation is Create, but doneOperation is given: write "),
        ({"operation": None}, "operation is missing: write operation: Done"),
        ({"step": -1}, "step must be a whole number from 0 to 2147483647, not -1"),
        ({"step": 2**31}, "step must be a whole number from 0 to 2147483647, not 2147483648"),
        ({"step": True}, "step must be a whole number from 0 to 2147483647, not true"),
        ({"step": "1"}, 'step must be a whole number from 0 to 2147483647, not "1"'),
        ({"doneOperation": True}, "doneOperation is not an object"),
        ({"id": "create-node-n-0"}, 'id "create-node-n-0" is that of spec.events[0] too'),
    ],
)
def test_a_wrong_event_is_named_by_id_and_place(change: Json, told: str) -> None:
    wrong = {**done(), **change}
    expected = f'event "{wrong["id"]}" (spec.events[1]): {told}'
    assert _problem(scenario(create(make_node("n")), wrong)).startswith(expected)


def test_a_wrong_event_without_id_is_named_by_the_id_that_it_gets() -> None:
    wrong = _of_newer_draft({"step": 1})
    with_id = resource.normalized(_of_newer_draft({"step": 1, "doneOperation": {}}))
    assert _problem(wrong).startswith('event "event-0-')
    assert "(spec.operations[0])" in _problem(wrong)
    assert with_id["spec"]["events"][0]["id"].startswith("event-0-")


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"events": [done()], "operations": [done()]}, "spec.operations: is given beside events"),
        ({"controllers": {}}, "spec.controllers: cannot be chosen by a scenario: leave it out"),
        ({"event": []}, "spec.event: is unknown: a spec has events, operations, stepDuration"),
        ({"events": {}}, "spec.events: is not a list"),
        ({"events": [3]}, 'event "event-0-'),
        ([1], "spec: is not an object"),
        ({"stepDuration": 10}, "spec.stepDuration: 10 is not a duration"),
        ({"stepDuration": "soon"}, "spec.stepDuration: "),
        ({"stepDuration": "-1s"}, 'spec.stepDuration: "-1s" is negative'),
    ],
)
def test_a_wrong_spec_is_told_by_its_field(spec: Any, told: str) -> None:
    assert _problem({**scenario(), "spec": spec}).startswith(told)


def _nameless(event: Json) -> Json:
    return {key: value for key, value in event.items() if key != "id"}


POOL = [
    create(make_node("a"), 1), create(make_pod("b"), 1), delete(NODE, "a", 2), done(3),
    patch(NODE, "a", {"spec": {"unschedulable": True}}, 2),
]  # fmt: skip
EVENTS = st.lists(st.sampled_from(POOL).map(_nameless) | st.sampled_from(POOL), max_size=8)


def _with_unique_ids(events: list[Json]) -> list[Json]:
    return [
        {**event, "id": f"{event['id']}-{place}"} if "id" in event else event
        for place, event in enumerate(events)
    ]


@given(EVENTS, st.booleans())
def test_a_normalized_scenario_reads_as_the_one_it_came_from(
    events: list[Json], is_newer: bool
) -> None:
    named = _with_unique_ids(events)
    if is_newer:
        bare = [{key: item for key, item in each.items() if key != "operation"} for each in named]
        made = _of_newer_draft(*bare)
    else:
        made = scenario(*named)
    before = copy.deepcopy(made)
    normal = resource.normalized(made)
    assert made == before
    assert resource.read(normal) == resource.read(made)
    assert resource.normalized(normal) == normal
    assert all({"id", "step", "operation"} <= event.keys() for event in normal["spec"]["events"])
    assert "operations" not in normal["spec"]


@given(EVENTS, EVENTS)
def test_events_that_are_added_leave_the_ids_of_others_alone(
    events: list[Json], more: list[Json]
) -> None:
    both = _with_unique_ids([*events, *more])
    first = resource.normalized(scenario(*both[: len(events)]))["spec"]["events"]
    at_the_end = resource.normalized(scenario(*both))["spec"]["events"]
    assert at_the_end[: len(first)] == first
    written_back = resource.normalized(scenario(*both[len(events) :], *first))["spec"]["events"]
    ids = [event["id"] for event in written_back]
    assert ids[len(more) :] == [event["id"] for event in first]
    assert len(set(ids)) == len(ids)


def test_a_made_id_gives_way_to_the_same_id_given_by_hand() -> None:
    (made,) = resource.normalized(scenario(_nameless(done())))["spec"]["events"]
    taken = create(make_node("n"))
    taken["id"] = made["id"]
    first, second = resource.read(scenario(_nameless(done()), taken)).events
    assert (first.id, second.id) == (f"{made['id']}-2", made["id"])


def test_what_is_complete_is_shared_and_what_cannot_be_understood_stays() -> None:
    made = scenario(create(make_node("n")), done(1))
    normal = resource.normalized(made)
    assert all(
        new is old
        for new, old in zip(normal["spec"]["events"], made["spec"]["events"], strict=True)
    )
    for broken in ({"events": 3}, {"events": [done()], "operations": [done()]}, [1]):
        odd = {**scenario(), "spec": broken}
        assert resource.normalized(odd) is odd
    assert resource.normalized(scenario(3))["spec"]["events"] == [3]  # type: ignore[arg-type] # bad


def test_a_scenario_is_known_by_its_type() -> None:
    assert resource.is_scenario(scenario())
    assert not resource.is_scenario({**scenario(), "apiVersion": "v1"})
