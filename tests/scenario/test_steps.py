"""The documents on ScenarioStep: what a step is, what happens in it and why, by sentences."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

import kubestage
from kubestage.scenario import phases
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import NODE, POD, Writes, create, delete, done, patch, scenario

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json
    from kubestage.store.log import Change


PHASES = [
    "OperatingEvents",
    "OperatingEventsFinished",
    "Scheduling",
    "SchedulingFinished",
    "Finished",
]


class Diary:
    """Every change of the cluster with the phase of the step in which it was made."""

    def __init__(self, stage: Stage) -> None:
        self.entries: list[tuple[str, Change]] = []
        self._phase = ""
        stage.store.subscribe(self._hear)

    def during(self, *step_phases: str) -> list[Change]:
        """The changes of these phases."""
        return [change for phase, change in self.entries if phase in step_phases]

    def _hear(self, change: Change) -> None:
        if change.kind.kind == "Scenario":
            status = change.new.get("status") or {}
            self._phase = (status.get("stepStatus") or {}).get("phase", "")
        elif change.kind.kind != "Event":
            self.entries.append((self._phase, change))


def _is_bound(change: Change) -> bool:
    return change.kind.kind == "Pod" and bool(change.new["spec"].get("nodeName"))


def _two_steps() -> list[Json]:
    return [
        create(make_node("n1", cpu="2")),
        create(make_pod("a", cpu="1")),
        create(make_pod("b", cpu="4"), 1),
        done(1),
    ]


def test_a_step_is_simply_represented_by_a_number() -> None:
    """ScenarioStep is simply represented by numbers, like 1, 2, 3."""
    stage = building.run(*_two_steps())
    assert list(building.timeline(stage)) == ["0", "1"]
    assert [event["step"] for event in building.timeline(stage)["1"]] == [1, 1, 1]
    assert building.status(stage)["stepStatus"]["step"] == 1


def test_the_step_moves_on_only_when_no_more_pods_can_be_scheduled() -> None:
    """It is moved to the next step when it can no longer schedule any more Pods."""
    stage = building.stage_with(
        scenario(
            create(make_node("n1", cpu="2")),
            *(create(make_pod(f"p{i}", cpu="1")) for i in range(3)),
            done(1),
        )
    )
    bound_when_moving: list[int] = []

    def hear(change: Change) -> None:
        step = (change.new.get("status") or {}).get("step")
        if change.kind.kind == "Scenario" and step == 1 and not bound_when_moving:
            bound_when_moving.append(sum(map(bool, building.placements(stage).values())))

    stage.store.subscribe(hear)
    stage.run_scenarios()
    assert bound_when_moving == [2]
    assert len(building.results(stage, "PodUnscheduled")["p2"]["scheduleResult"]) >= 2


def test_within_a_step_the_phases_proceed_in_the_documents_order() -> None:
    """OperatingEvents, OperatingEventsFinished, Scheduling, SchedulingFinished, Finished."""
    stage = building.stage_with(scenario(*_two_steps()))
    writes = Writes(stage)
    stage.run_scenarios()
    told = [each for each in writes.of("stepStatus") if each is not None]
    assert told == [{"step": step, "phase": phase} for step in (0, 1) for phase in PHASES]


def test_the_schedulers_status_goes_from_will_run_to_stoped_in_every_step() -> None:
    """WillRun, then Running as scheduling starts; WillStop at its end, then Stoped."""
    stage = building.stage_with(scenario(*_two_steps()))
    writes = Writes(stage)
    stage.run_scenarios()
    cycle = ["WillRun", "Running", "WillStop", "Stoped"]
    assert writes.of("schedulerStatus") == [None, "Stoped", *cycle, *cycle]


def test_the_schedulers_status_changes_in_the_phase_in_which_the_document_has_it() -> None:
    """The scheduler runs in Scheduling and has stopped by SchedulingFinished."""
    stage = building.stage_with(scenario(*_two_steps()))
    writes = Writes(stage)
    stage.run_scenarios()
    seen = {
        (each["stepStatus"]["phase"], each["schedulerStatus"])
        for each in writes.statuses
        if "stepStatus" in each
    }
    assert seen == {
        ("OperatingEvents", "Stoped"),
        ("OperatingEventsFinished", "Stoped"),
        ("Scheduling", "WillRun"),
        ("Scheduling", "Running"),
        ("Scheduling", "WillStop"),
        ("SchedulingFinished", "Stoped"),
        ("Finished", "Stoped"),
    }


def test_the_step_of_the_older_document_is_that_of_the_step_status() -> None:
    """Step indicates the current step, in status.step and in status.stepStatus.step."""
    stage = building.stage_with(scenario(*_two_steps()))
    writes = Writes(stage)
    stage.run_scenarios()
    told = [each for each in writes.statuses if "stepStatus" in each]
    assert {each["step"] for each in told} == {0, 1}
    assert all(each["step"] == each["stepStatus"]["step"] for each in told)


def test_all_events_of_the_step_are_run_in_its_first_phase_and_no_others() -> None:
    """Run all scenario.Spec.Events defined for that step (OperatingEvents)."""
    stage = building.stage_with(
        scenario(create(make_node("n1"), 2), create(make_node("n2"), 5), create(make_node("n3"), 2))
    )
    diary = Diary(stage)
    stage.run_scenarios()
    operated = [change.key for change in diary.during(phases.OPERATING_EVENTS)]
    assert operated == ["n1", "n3", "n2"]
    assert list(building.timeline(stage)) == ["2", "5"]


def test_events_of_one_step_are_run_in_the_order_in_which_they_are_written() -> None:
    """Events of one step may build on each other."""
    stage = building.run(
        create(make_pod("a")),
        patch(POD, "a", {"metadata": {"labels": {"x": "1"}}}),
        delete(POD, "a"),
        {**create(make_pod("a", labels={"y": "2"})), "id": "again"},
        done(),
    )
    assert building.phase(stage) == "Succeeded"
    assert stage.store.get(POD, "a")["metadata"]["labels"] == {"y": "2"}


def test_steps_are_run_in_the_order_of_their_numbers_wherever_they_are_written() -> None:
    """A step comes after every step with a smaller number."""
    events = [create(make_node(f"n{step}"), step) for step in (3, 0, 2)]
    stage = building.run(*events, done(4))
    assert [name for _, _, name in building.summary(stage)] == ["n0", "n2", "n3", ""]


def test_nothing_is_scheduled_while_events_are_being_operated() -> None:
    """The scheduler needs to be stopped until all Nodes of the step are created."""
    stage = building.stage_with(
        scenario(
            *(create(make_pod(f"p{i}", cpu="1")) for i in range(5)),
            *(create(make_node(f"n{i}"), 1) for i in range(40)),
            create(make_pod("late", cpu="1"), 1),
            done(1),
        )
    )
    diary = Diary(stage)
    stage.run_scenarios()
    operating = diary.during(phases.OPERATING_EVENTS, phases.OPERATING_EVENTS_FINISHED)
    assert len(operating) == 46
    assert not [change for change in operating if _is_bound(change)]
    assert all(building.placements(stage).values())


@pytest.mark.parametrize("order", list(itertools.permutations(["small", "middle", "large"])))
def test_the_order_in_which_nodes_of_a_step_are_created_does_not_matter(
    order: tuple[str, ...],
) -> None:
    """Pending Pods must not go to the Nodes that happen to be created first."""
    sizes = {"small": "2", "middle": "4", "large": "8"}
    nodes = [create(make_node(name, cpu=sizes[name]), 1) for name in order]
    stage = building.run(create(make_pod("p", cpu="1")), *nodes, done(1))
    assert building.node_of(stage, "p") == "large"


def test_an_event_that_comes_last_in_its_step_still_counts_for_its_scheduling() -> None:
    """Users expect operations of the same time to be run at the same time."""
    stage = building.run(
        create(make_pod("p", cpu="1")),
        create(make_node("small", cpu="2"), 1),
        create(make_node("large", cpu="8"), 1),
        delete(NODE, "large", 1),
        done(1),
    )
    assert building.node_of(stage, "p") == "small"


def test_during_scheduling_pods_are_only_bound_or_preempted() -> None:
    """Resources change in OperatingEvents only; then there is only preemption or binding."""
    stage = building.stage_with(
        scenario(
            building.importance(),
            create(make_node("n1", cpu="2")),
            create(make_pod("low", cpu="2")),
            create(building.important("high", cpu="2"), 1),
            create(make_pod("none", cpu="9"), 1),
            done(1),
        )
    )
    diary = Diary(stage)
    stage.run_scenarios()
    scheduling = diary.during(phases.SCHEDULING)
    assert {(change.kind.kind, change.type) for change in scheduling} == {
        ("Pod", "MODIFIED"),
        ("Pod", "DELETED"),
    }
    assert {change.key for change in scheduling if change.type == "DELETED"} == {"default/low"}
    rest = diary.during(phases.SCHEDULING_FINISHED, phases.STEP_FINISHED)
    assert not rest


def test_the_result_is_updated_just_before_the_step_advances() -> None:
    """Update status.scenarioResult and move to the next step (StepFinished)."""
    stage = building.stage_with(scenario(*_two_steps()))
    writes = Writes(stage)
    stage.run_scenarios()
    for each in writes.statuses:
        told = list((each.get("scenarioResult") or {"timeline": {}})["timeline"])
        finished = each.get("stepStatus", {}).get("phase") == "Finished"
        step = each.get("step", 0)
        assert told == [str(number) for number in range(step + finished)]


def test_the_result_names_the_version_of_the_simulator() -> None:
    """SimulatorVersion represents the version of the simulator that runs this scenario."""
    stage = building.run(done())
    assert building.status(stage)["scenarioResult"]["simulatorVersion"] == kubestage.__version__


def test_a_step_that_has_no_events_is_not_gone_through() -> None:
    """Without time in the steps, one without events could change nothing."""
    stage = building.stage_with(scenario(create(make_pod("p")), done(1_000_000)))
    writes = Writes(stage)
    stage.run_scenarios()
    assert [step for step in writes.of("step") if step is not None] == [0, 1_000_000]


def test_pods_left_over_are_tried_again_in_every_later_step() -> None:
    """Each step schedules until it can no longer: also what earlier steps could not."""
    stage = building.run(
        create(make_pod("p", cpu="4")),
        create(make_node("n1", cpu="2"), 1),
        create(make_node("n2", cpu="8"), 2),
        done(2),
    )
    told = [(step, what) for step, what, name in building.summary(stage) if name == "p"]
    assert told == [
        (0, "Create"),
        (0, "PodUnscheduled"),
        (1, "PodUnscheduled"),
        (2, "PodScheduled"),
    ]
    assert building.results(stage, "PodScheduled")["p"]["boundTo"] == "n2"
