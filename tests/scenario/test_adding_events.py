"""The documents on adding events to a running Scenario, and on how one ends, by sentences."""

from __future__ import annotations

import pytest

from kubestage.errors import Invalid
from kubestage.objects.patches import PatchType
from kubestage.scenario import resource
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import NODE, POD, Writes, add, create, delete, done, scenario


def test_events_may_be_added_while_the_scenario_is_running() -> None:
    """It is allowed to add events while the Scenario is running."""
    stage = building.stage_with(scenario(create(make_node("n1")), create(make_node("n2"), 5)))
    assert stage.scenarios is not None
    stage.scenarios.advance()
    stage.scenarios.advance()
    assert (building.phase(stage), building.status(stage)["step"]) == ("Running", 0)
    add(stage, create(make_node("n3"), 3), done(6))
    stage.run_scenarios()
    assert building.summary(stage) == [
        (0, "Create", "n1"),
        (3, "Create", "n3"),
        (5, "Create", "n2"),
        (6, "Done", ""),
    ]
    assert building.phase(stage) == "Succeeded"


def test_events_may_be_added_before_the_first_step() -> None:
    """A Scenario that is taken up and has run no step yet has no past."""
    stage = building.stage_with(scenario(create(make_node("n2"), 2)))
    assert stage.scenarios is not None
    stage.scenarios.advance()
    add(stage, create(make_node("n0"), 0), done(3))
    stage.run_scenarios()
    assert [name for _, _, name in building.summary(stage)] == ["n0", "n2", ""]
    assert not building.message(stage)


def test_events_added_for_a_past_step_are_ignored_and_counted() -> None:
    """You may add past ScenarioStep events, and they are ignored by the running Scenario."""
    stage = building.stage_with(scenario(create(make_node("n4"), 4), create(make_node("n6"), 6)))
    assert stage.scenarios is not None
    stage.scenarios.advance()
    stage.scenarios.advance()
    add(stage, create(make_node("late"), 3), create(make_node("now"), 4), done(7))
    stage.run_scenarios()
    assert [name for _, _, name in building.summary(stage)] == ["n4", "n6", ""]
    assert building.phase(stage) == "Succeeded"
    assert building.message(stage) == (
        "2 events ignored, added for a step that is past: create-node-late-3, create-node-now-4"
    )


def test_a_paused_scenario_tells_of_the_events_that_it_ignores() -> None:
    """It does not make sense to add past ScenarioStep events, and the status says so."""
    stage = building.run(create(make_node("n1"), 1))
    add(stage, create(make_node("late"), 1))
    stage.run_scenarios()
    assert building.phase(stage) == "Paused"
    assert building.message(stage) == (
        "1 event ignored, added for a step that is past: create-node-late-1"
    )
    writes = Writes(stage)
    stage.run_scenarios()
    assert not writes.statuses


def test_the_scenario_runs_until_all_events_are_completed() -> None:
    """The scenario will continue to run until all events in .spec.Events are completed."""
    stage = building.run(*(create(make_node(f"n{step}"), step) for step in (0, 1, 7, 100)))
    assert [step for step, _, _ in building.summary(stage)] == [0, 1, 7, 100]
    assert stage.scenarios is not None
    assert not stage.scenarios.advance()


def test_without_done_the_scenario_is_paused_when_all_events_are_completed() -> None:
    """When all events are completed, it is "Paused" in the case there is no "Done" operation."""
    stage = building.stage_with(scenario(create(make_node("n1"), 3)))
    writes = Writes(stage)
    stage.run_scenarios()
    assert writes.of("phase") == ["Pending", "Running", "Paused"]


def test_a_scenario_without_any_events_is_paused_at_once() -> None:
    """All of no events are completed."""
    stage = building.run()
    assert building.phase(stage) == "Paused"
    add(stage, create(make_node("n1")), done(1))
    stage.run_scenarios()
    assert building.summary(stage) == [(0, "Create", "n1"), (1, "Done", "")]


def test_the_step_does_not_move_in_a_paused_scenario() -> None:
    """ScenarioStep has stopped moving forward in "Paused" phase."""
    stage = building.run(create(make_node("n1"), 3), alive=True)
    before = building.status(stage)
    stage.run_scenarios()
    stage.run("10m")
    stage.run_scenarios()
    assert building.status(stage) == before
    assert before["stepStatus"] == {"step": 3, "phase": "Finished"}


def test_a_paused_scenario_goes_on_with_the_events_that_are_added() -> None:
    """It is strongly recommended to add events after the Scenario has reached "Paused"."""
    stage = building.stage_with(scenario(create(make_pod("p", cpu="1"))))
    writes = Writes(stage)
    stage.run_scenarios()
    add(stage, create(make_node("n1"), 1))
    stage.run_scenarios()
    assert building.node_of(stage, "p") == "n1"
    add(stage, done(2))
    stage.run_scenarios()
    assert writes.of("phase") == [
        "Pending",
        "Running",
        "Paused",
        "Running",
        "Paused",
        "Running",
        "Succeeded",
    ]


def test_done_completes_the_scenario() -> None:
    """Succeeded describes a Scenario that is fully completed by a Done event."""
    stage = building.stage_with(scenario(create(make_node("n1")), done(1)))
    writes = Writes(stage)
    stage.run_scenarios()
    assert writes.of("phase") == ["Pending", "Running", "Succeeded"]


def test_a_done_operation_that_says_false_does_not_complete_the_scenario() -> None:
    """DoneOperation{Done bool}: only what is done is done."""
    event = {**done(1), "doneOperation": {"done": False}}
    assert building.phase(building.run(create(make_node("n1")), event)) == "Paused"


def test_the_step_of_done_is_scheduled_to_its_end() -> None:
    """Done is an event of its step like any other, wherever it stands in it."""
    stage = building.run(done(), create(make_node("n1")), create(make_pod("p")))
    assert building.phase(stage) == "Succeeded"
    assert building.summary(stage)[-1] == (0, "PodScheduled", "p")


def test_events_of_steps_after_done_are_not_run() -> None:
    """A Scenario that was marked as done has ended."""
    stage = building.run(done(1), create(make_node("n1"), 2))
    assert building.phase(stage) == "Succeeded"
    assert not stage.store.list(NODE).items


def test_no_event_can_be_added_once_the_scenario_has_succeeded() -> None:
    """User can't add any ScenarioEvent once Scenario reached at the phase."""
    stage = building.run(create(make_node("n1")), done())
    before = building.status(stage)
    with pytest.raises(Invalid, match="has Succeeded"):
        add(stage, create(make_node("n2"), 9))
    stage.run_scenarios()
    assert building.status(stage) == before


def test_events_are_added_by_a_patch_that_merges_them_by_id() -> None:
    """+patchMergeKey=ID, +patchStrategy=merge."""
    stage = building.run(create(make_node("n1")))
    stage.store.patch(
        resource.SCENARIO,
        building.NAME,
        {"spec": {"events": [create(make_node("n2"), 1), done(2)]}},
        patch_type=PatchType.STRATEGIC,
    )
    stage.run_scenarios()
    assert [name for _, _, name in building.summary(stage)] == ["n1", "n2", ""]


def test_an_event_that_is_wrong_fails_the_scenario_to_which_it_is_added() -> None:
    """If more than one is specified or if all are empty, the scenario will fail."""
    stage = building.run(create(make_node("n1")))
    add(stage, {**create(make_node("n2"), 1), "doneOperation": {"done": True}})
    stage.run_scenarios()
    assert building.phase(stage) == "Failed"
    assert 'event "create-node-n2-1"' in building.message(stage)


def test_story_2_a_worst_case_is_built_by_looking_at_the_state_of_a_paused_scenario() -> None:
    """They can add events that are the worst for the scheduler by looking at the results."""
    stage = building.run(
        *(create(make_node(f"n{i}", cpu="4")) for i in range(3)),
        *(create(make_pod(f"p{i}", cpu="1")) for i in range(6)),
    )
    load = {
        node: list(building.placements(stage).values()).count(node) for node in ("n0", "n1", "n2")
    }
    victim = max(load, key=lambda node: load[node])
    gone = [name for name, node in building.placements(stage).items() if node == victim]
    add(stage, delete(NODE, victim, 1), *(delete(POD, name, 1) for name in gone))
    add(stage, create(make_pod("giant", cpu="4"), 1))
    stage.run_scenarios()
    assert building.phase(stage) == "Paused"
    assert "giant" in building.results(stage, "PodUnscheduled")
    add(stage, create(make_node("spare", cpu="4"), 2), done(2))
    stage.run_scenarios()
    assert building.node_of(stage, "giant") == "spare"
