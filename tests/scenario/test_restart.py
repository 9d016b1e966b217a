"""The documents on Scenarios that are there when the controller starts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import Stage
from kubestage.scenario.settings import Settings, Strategy
from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import POD, add, create, delete, done, scenario

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.scenario.controller import ScenarioController


RESTARTED = "the controller restarted while the Scenario was running"


def _restarted(stage: Stage, settings: Settings | None = None, *, alive: bool = False) -> Stage:
    """A new stage with all that was on this one, and with a new controller."""
    other = Stage(start=stage.now)
    other.add_scheduler()
    if alive:
        other.add_controllers()
    other.load([obj for each in stage.store.collections() for obj in each.objects.values()])
    other.add_scenarios(settings)
    return other


def _controller(stage: Stage) -> ScenarioController:
    assert stage.scenarios is not None
    return stage.scenarios


def _in_mid_run(**options: Any) -> Stage:
    stage = building.stage_with(
        scenario(create(make_node("n1")), create(make_pod("p"), 1), done(2)), **options
    )
    _controller(stage).advance()
    _controller(stage).advance()
    assert building.phase(stage) == "Running"
    return stage


def test_a_scenario_that_was_running_has_failed() -> None:
    """The controller just changes the status to "Failed" with updating the .status.message."""
    stage = _restarted(_in_mid_run())
    assert building.phase(stage) == "Failed"
    assert building.message(stage) == RESTARTED


def test_a_scenario_that_was_running_keeps_the_rest_of_its_status() -> None:
    """The controller just changes the phase and the message."""
    before = _in_mid_run()
    after = _restarted(before)
    changed = {"phase": "Failed", "message": RESTARTED}
    assert building.status(after) == {**building.status(before), **changed}


def test_a_scenario_that_was_running_keeps_the_counts_of_its_pods() -> None:
    before = _in_mid_run()
    _controller(before).advance()
    counts = building.status(before)["pods"]
    assert counts["scheduled"] == 1
    assert building.status(_restarted(before))["pods"] == counts


def test_a_scenario_that_was_running_is_not_run_again() -> None:
    """It has Failed, and nothing of it is carried out any more."""
    stage = _restarted(_in_mid_run())
    stage.run_scenarios()
    assert building.phase(stage) == "Failed"
    assert not stage.store.list(POD).items


def test_a_scenario_that_was_pending_is_run_after_the_restart() -> None:
    """Only what is "Running" has failed."""
    before = _in_mid_run()
    before.store.create(scenario(create(make_pod("other")), done(), name="next"))
    stage = _restarted(before)
    stage.run_scenarios()
    assert building.phase(stage) == "Failed"
    assert building.phase(stage, "next") == "Succeeded"
    assert list(building.placements(stage)) == ["other"]


@pytest.mark.parametrize("events", [(done(),), (delete(POD, "nobody"),)])
def test_a_scenario_that_has_ended_stays_as_it_is(events: tuple[Json, ...]) -> None:
    """Succeeded and Failed are for good."""
    before = building.run(*events)
    stage = _restarted(before)
    stage.run_scenarios()
    assert building.status(stage) == building.status(before)


def test_a_scenario_that_was_paused_waits_on() -> None:
    """Nothing was under way in it, and nothing is lost."""
    before = building.run(create(make_node("n1")), create(make_pod("p")))
    stage = _restarted(before)
    stage.run_scenarios()
    assert building.status(stage) == building.status(before)
    assert building.node_of(stage, "p") == "n1"
    assert _controller(stage).is_paused


def test_a_scenario_that_was_paused_goes_on_with_new_events() -> None:
    """Its timeline, its pods and their attempts are taken up."""
    events = [create(make_node("n1", cpu="1")), create(make_pod("big", cpu="2"))]
    more = [create(make_node("n2", cpu="4"), 1), done(1)]
    stage = _restarted(building.run(*events))
    add(stage, *more)
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"
    assert building.summary(stage) == building.summary(building.run(*events, *more))
    told = building.results(stage, "PodScheduled")["big"]
    assert (told["createdAt"], told["boundAt"]) == (0, 1)
    assert [row["step"] for row in told["scheduleResult"]] == [0, 0, 1]


def test_generated_ids_stay_unique_after_a_restart() -> None:
    """The ID will be newly generated: also after what another controller generated."""
    stage = _restarted(building.run(create(make_node("n1")), create(make_pod("a"))))
    add(stage, create(make_pod("b"), 1), done(1))
    stage.run_scenarios()
    ids = [event["id"] for event in building.happenings(stage)]
    assert len(ids) == len(set(ids)) == 6


def test_pods_without_a_node_are_tried_twice_after_a_restart_too() -> None:
    """All unscheduled Pods: also those that the new controller did not see coming."""
    stage = _restarted(building.run(create(make_pod("p", cpu="9"))))
    add(stage, create(make_node("n1"), 1), done(1))
    stage.run_scenarios()
    rows = building.results(stage, "PodUnscheduled")["p"]["scheduleResult"]
    assert [row["step"] for row in rows] == [0, 0, 1, 1]


def test_a_pod_that_waited_behind_a_gate_is_dated_by_its_creation_after_a_restart() -> None:
    """CreatedAt indicates when the Pod was created, not when it was first heard of."""
    gated = make_pod("p")
    gated["spec"]["schedulingGates"] = [{"name": "wait"}]
    stage = _restarted(building.run(create(gated, 1), create(make_node("n1"), 2)))
    add(stage, building.patch(POD, "p", {"spec": {"schedulingGates": None}}, 3), done(3))
    stage.run_scenarios()
    told = building.results(stage, "PodScheduled")["p"]
    assert (told["createdAt"], told["boundAt"]) == (1, 3)


def test_events_that_were_ignored_before_a_restart_are_told_after_it() -> None:
    """What had been run is known from the timeline; what had not is counted as before."""
    before = building.run(create(make_node("n1"), 1))
    add(before, create(make_node("late"), 0))
    before.run_scenarios()
    stage = _restarted(before)
    stage.run_scenarios()
    assert building.message(stage) == building.message(before)
    assert "1 event ignored" in building.message(stage)


@pytest.mark.parametrize("strategy", list(Strategy))
def test_no_event_is_run_twice_after_a_restart_with_any_strategy(strategy: Strategy) -> None:
    """Where no result was written, the step tells how far the Scenario was."""
    settings = Settings(strategy=strategy)
    stage = _restarted(building.run(create(make_node("n1")), settings=settings), settings)
    add(stage, create(make_node("n2"), 1), done(1))
    stage.run_scenarios()
    assert (building.phase(stage), building.message(stage)) == ("Succeeded", "")
    assert sorted(stage.store.read(building.NODE)) == ["n1", "n2"]


def test_a_living_cluster_goes_on_after_a_restart() -> None:
    """Controllers find the objects of a paused Scenario as they were."""
    stage = _restarted(
        building.run(
            create(make_node("n1")), create(make_deployment("web", replicas=2)), alive=True
        ),
        alive=True,
    )
    add(stage, building.patch(building.DEPLOYMENT, "web", {"spec": {"replicas": 3}}, 1), done(1))
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"
    assert [what for step, what, _ in building.summary(stage) if step == 1] == [
        "Patch",
        "Done",
        "PodScheduled",
    ]


def test_attempts_are_numbered_on_after_a_restart() -> None:
    """A number names one attempt of the whole run, whoever made it."""
    before = building.run(
        create(make_node("n1", cpu="1")),
        create(make_pod("a", cpu="1")),
        create(make_pod("b", cpu="1")),
    )
    stage = _restarted(before)
    add(stage, create(make_node("n2", cpu="1"), 1), done(1))
    stage.run_scenarios()
    told = building.results(stage, "PodScheduled")["b"]
    assert [row["attempt"] for row in told["scheduleResult"]] == [2, 3, 4]


def test_no_id_is_made_up_twice_after_a_restart() -> None:
    """An event of the Scenario's own that is called like a made up one shifts the numbers."""
    named = {**create(make_node("n1", cpu="2")), "id": "podscheduled-1"}
    stage = _restarted(building.run(named, create(make_pod("a", cpu="1"))))
    add(stage, create(make_pod("b", cpu="1"), 1), done(1))
    stage.run_scenarios()
    ids = [event["id"] for event in building.happenings(stage)]
    assert len(ids) == len(set(ids))
    assert building.node_of(stage, "b") == "n1"
