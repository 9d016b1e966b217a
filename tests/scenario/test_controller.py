"""The controller: whose turn it is, and what becomes of a Scenario that is taken away."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage import InputError, Stage
from kubestage.errors import Invalid
from kubestage.scenario import resource
from kubestage.testing import make_job, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import NODE, Writes, add, create, delete, done, scenario

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scenario.controller import ScenarioController
    from kubestage.scenario.scheduling import NextPod
    from kubestage.store.store import Store


def _controller(stage: Stage) -> ScenarioController:
    assert stage.scenarios is not None
    return stage.scenarios


def test_the_oldest_scenario_that_is_pending_is_taken_up_first() -> None:
    stage = building.stage_with(*(scenario(done(), name=name) for name in ("z", "a", "m")))
    order = []
    while _controller(stage).advance():
        order.append(_controller(stage).current)
    assert order == ["z", None, "a", None, "m", None]


def test_the_current_scenario_is_the_one_that_is_running_or_paused() -> None:
    stage = building.stage_with(scenario(create(make_node("n1"))))
    controller = _controller(stage)
    seen = []
    while controller.advance():
        seen.append((controller.current, controller.is_paused))
    assert seen == [("it", False), ("it", False), ("it", True)]
    add(stage, done(1))
    stage.run_scenarios()
    assert (controller.current, controller.is_paused) == (None, False)


def test_a_scenario_that_is_created_while_another_runs_is_pending() -> None:
    """ScenarioPending: e.g. waiting for another scenario to finish running."""
    stage = building.stage_with(scenario(create(make_node("n1"))))
    stage.run_scenarios()
    stage.store.create(scenario(done(), name="late"))
    assert building.phase(stage, "late") == "Pending"


def test_one_advance_is_one_step() -> None:
    stage = building.stage_with(
        scenario(*(create(make_node(f"n{i}"), i) for i in range(3)), done(3))
    )
    steps = []
    while _controller(stage).advance():
        steps.append(building.status(stage).get("step"))
    assert steps == [None, 0, 1, 2, 3]


def test_a_running_scenario_that_is_deleted_is_forgotten_and_the_next_one_runs() -> None:
    stage = building.stage_with(
        scenario(create(make_node("n1")), done(9)),
        scenario(create(make_node("n2")), done(), name="b"),
    )
    _controller(stage).advance()
    _controller(stage).advance()
    stage.store.delete(resource.SCENARIO, building.NAME)
    stage.run_scenarios()
    assert building.phase(stage, "b") == "Succeeded"
    assert list(stage.store.read(NODE)) == ["n2"]


def test_what_happens_after_a_scenario_was_deleted_is_nobodys_business() -> None:
    stage = building.run(create(make_node("n1")))
    stage.store.delete(resource.SCENARIO, building.NAME)
    stage.store.create(make_node("n2"))
    stage.configure_scheduler()
    stage.run_scenarios()
    assert _controller(stage).current is None
    assert sorted(stage.store.read(NODE)) == ["n1", "n2"]


def test_a_scenario_that_takes_the_name_of_a_deleted_one_starts_from_the_beginning() -> None:
    stage = building.run(create(make_node("n1"), 5))
    stage.store.delete(resource.SCENARIO, building.NAME)
    stage.store.create(scenario(create(make_node("n2"), 1), done(2)))
    stage.run_scenarios()
    assert (building.phase(stage), building.message(stage)) == ("Succeeded", "")
    assert building.summary(stage) == [(1, "Create", "n2"), (2, "Done", "")]


def test_a_scenario_may_delete_itself_or_another() -> None:
    """Scenarios are resources too; the one that is gone is not written to any more."""
    other = {**delete(resource.SCENARIO, "other"), "id": "other"}
    itself = {**delete(resource.SCENARIO, building.NAME), "id": "itself"}
    for event in (other, itself):
        del event["deleteOperation"]["objectMeta"]["namespace"]
    stage = building.stage_with(
        scenario(other, itself, create(make_node("n1"), 1), done(1)),
        scenario(done(), name="other"),
        scenario(create(make_node("n3")), done(), name="third"),
    )
    stage.run_scenarios()
    assert list(stage.store.read(resource.SCENARIO)) == ["third"]
    assert building.phase(stage, "third") == "Succeeded"
    assert list(stage.store.read(NODE)) == ["n3"]


def test_a_scheduler_works_by_itself_again_when_the_scenario_is_over() -> None:
    stage = building.run(create(make_node("n1")), done())
    stage.store.create(make_pod("p"))
    stage.run("1s")
    assert building.node_of(stage, "p") == "n1"


def test_a_scheduler_does_nothing_while_a_scenario_is_paused() -> None:
    """Time may pass, and controllers may make pods; these wait for the next step."""
    stage = building.run(create(make_node("n1")), create(_every_minute()), alive=True)
    stage.run("150s")
    assert _controller(stage).is_paused
    assert list(building.placements(stage).values()) == [None, None]
    add(stage, done(1))
    stage.run_scenarios()
    assert list(building.placements(stage).values()) == ["n1", "n1"]


def _every_minute() -> Json:
    template = make_job()["spec"]["template"]
    return {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "tick", "namespace": "default"},
        "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": template}}},
    }


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"createOperation": None}, "exactly one of"),
        ({"doneOperation": {"done": True}}, "exactly one of"),
        ({"operation": "Patch"}, "operation is Patch, but createOperation is given"),
        ({"operation": None}, "operation is missing"),
    ],
)
def test_an_event_that_is_not_one_thing_fails_the_scenario_and_is_named(
    change: Json, told: str
) -> None:
    """One of the four fields must be specified, or the event is invalid and the scenario fails."""
    event = {**create(make_node("n1"), 1), **change}
    wrong = {key: value for key, value in event.items() if value is not None}
    stage = building.run(create(make_node("n0")), wrong, done(2))
    assert building.phase(stage) == "Failed"
    assert 'event "create-node-n1-1"' in building.message(stage)
    assert told in building.message(stage)
    assert not stage.store.read(NODE)


@pytest.mark.parametrize("operation", ["PodScheduled", "PodUnscheduled", "PodPreempted", "Update"])
def test_operations_of_the_timeline_are_none_of_a_scenarios_events(operation: str) -> None:
    """Only "Create", "Patch", "Delete", "Done" are valid operations in ScenarioEvent."""
    stage = building.stage_with()
    with pytest.raises(Invalid, match=r"spec.events\[0\].operation: Unsupported value"):
        stage.store.create(scenario({**create(make_node("n1")), "operation": operation}))


def test_two_events_of_one_id_are_refused() -> None:
    """The id is the key by which events are merged."""
    stage = building.stage_with()
    with pytest.raises(Invalid, match=r'Duplicate value: ."id":"create-node-n1-0"'):
        stage.store.create(scenario(create(make_node("n1")), create(make_node("n1"))))


def test_the_newer_draft_is_run_and_written_as_the_older_one() -> None:
    """spec.operations[] without operation, doneOperation: {}."""
    newer = scenario()
    newer["spec"] = {
        "operations": [
            {"id": "op1", "step": 1, "createOperation": {"object": make_node("n1")}},
            {"step": 2, "doneOperation": {}},
        ]
    }
    stage = building.stage_with(newer)
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"
    events = stage.store.get(resource.SCENARIO, building.NAME)["spec"]["events"]
    assert [(each["step"], each["operation"]) for each in events] == [(1, "Create"), (2, "Done")]
    assert [each["id"] for each in building.happenings(stage)] == [each["id"] for each in events]


def test_an_id_that_was_missing_is_the_same_in_spec_and_timeline() -> None:
    """ID: normally, the system sets this field for you."""
    events = [create(make_node("n1")), done(1)]
    for event in events:
        del event["id"]
    stage = building.run(*events)
    written = stage.store.get(resource.SCENARIO, building.NAME)["spec"]["events"]
    ids = [each["id"] for each in written]
    assert all(ids)
    assert [each["id"] for each in building.happenings(stage)] == ids


def test_a_stage_has_one_controller_of_scenarios() -> None:
    stage = building.stage_with()
    with pytest.raises(InputError, match="already"):
        stage.add_scenarios()


def test_run_scenarios_makes_a_controller_where_there_is_none() -> None:
    stage = Stage()
    stage.store.create(scenario(create(make_node("n1")), create(make_pod("p")), done()))
    stage.run_scenarios()
    assert building.placements(stage) == {"p": "n1"}


def test_a_scenario_that_fails_tells_how_far_it_came() -> None:
    """ScenarioFailed: e.g. the controller cannot create resource for some reason."""
    stage = building.stage_with(
        scenario(
            create(make_node("n1")), create(make_node("n2"), 1), delete(NODE, "n3", 1), done(2)
        )
    )
    writes = Writes(stage)
    stage.run_scenarios()
    assert writes.of("phase") == ["Pending", "Running", "Failed"]
    assert building.status(stage)["stepStatus"] == {"step": 1, "phase": "OperatingEvents"}
    assert building.summary(stage) == [(0, "Create", "n1"), (1, "Create", "n2")]
    assert building.message(stage) == 'event "delete-node-n3-1": nodes "n3" not found'


def test_a_step_that_an_error_breaks_off_fails_the_scenario_and_is_not_run_again() -> None:
    """Half of it has happened; the next Scenario begins with an empty cluster."""

    def schedule(_store: Store, _next_pod: NextPod) -> None:
        if not stage.store.read(resource.SCENARIO)["next"].get("status", {}).get("step"):
            raise RuntimeError("a fault of one's own")

    stage = building.stage_with(
        scenario(create(make_node("n1")), create(make_pod("p"), 3), done(4)),
        scenario(create(make_pod("q"), 1), name="next"),
        scheduler=schedule,
    )
    with pytest.raises(RuntimeError, match="one's own"):
        stage.run_scenarios()
    assert building.phase(stage) == "Failed"
    assert building.message(stage) == "step 3 was broken off by an error or an interruption"
    assert building.summary(stage)[-1] == (3, "Create", "p")
    stage.run_scenarios()
    assert building.phase(stage, "next") == "Paused"
