"""Time in the steps: with a stepDuration virtual time runs on at the end of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.testing import make_deployment, make_job, make_node, make_pod
from kubestage.units import SECOND_NS
from tests.scenario import building
from tests.scenario.building import NODE, POD, Writes, add, create, delete, done, patch, scenario

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json


START = "2026-01-01T00:0"


def _created(stage: Stage, kind: tuple[str, str]) -> dict[str, str]:
    return {
        obj["metadata"]["name"]: obj["metadata"]["creationTimestamp"]
        for obj in stage.store.list(kind).items
    }


def _told_of(stage: Stage, name: str) -> list[tuple[int, str]]:
    return [(step, what) for step, what, of in building.summary(stage) if of.startswith(name)]


def _job(duration: str, **options: Any) -> Json:
    pod = make_pod("work", annotations={"kubestage.dev/run-duration": duration}, **options)
    pod["spec"]["restartPolicy"] = "Never"
    return make_job("work", pod=pod)


def test_without_a_duration_no_time_passes_for_the_steps_themselves() -> None:
    """The extension is off by default."""
    stage = building.run(*(create(make_node(f"n{i}"), 10 * i) for i in range(5)), done(50))
    assert stage.clock.now_ns < SECOND_NS


@pytest.mark.parametrize("alive", [False, True])
def test_each_step_lasts_as_long_as_it_says(alive: bool) -> None:
    nodes = [create(make_node(f"n{step}"), step) for step in range(4)]
    stage = building.run(*nodes, done(4), step_duration="30s", alive=alive)
    assert stage.clock.now_ns // SECOND_NS == 5 * 30
    assert _created(stage, NODE) == {
        "n0": f"{START}0:00Z",
        "n1": f"{START}0:30Z",
        "n2": f"{START}1:00Z",
        "n3": f"{START}1:30Z",
    }


def test_events_happen_at_the_beginning_of_their_step_however_many_are_empty() -> None:
    stage = building.run(
        create(make_node("a"), 0),
        create(make_node("b"), 7),
        done(9),
        step_duration="10s",
        alive=True,
    )
    assert _created(stage, NODE) == {"a": f"{START}0:00Z", "b": f"{START}1:10Z"}
    assert stage.clock.now_ns // SECOND_NS == 100


def test_the_first_step_that_has_events_is_the_first() -> None:
    """There is nothing before it, and no time for that."""
    stage = building.run(create(make_node("a"), 5), done(6), step_duration="10s")
    assert _created(stage, NODE) == {"a": f"{START}0:00Z"}
    assert list(building.timeline(stage)) == ["5", "6"]


def test_steps_without_events_pass_in_one_go() -> None:
    """A year of seconds, and no more is written than for two steps."""
    year = 365 * 24 * 3600
    stage = building.stage_with(scenario(create(make_node("a")), done(year), step_duration="1s"))
    writes = Writes(stage)
    stage.run_scenarios()
    assert stage.clock.now_ns // SECOND_NS == year + 1
    assert len(writes.statuses) < 30
    assert [step for step in writes.of("step") if step is not None] == [0, year - 1, year]


def test_the_phases_of_a_step_are_the_documents_also_with_time() -> None:
    stage = building.stage_with(scenario(create(make_node("a")), done(3), step_duration="1s"))
    writes = Writes(stage)
    stage.run_scenarios()
    told = [(each["step"], each["phase"]) for each in writes.of("stepStatus") if each is not None]
    assert told == [
        (0, "OperatingEvents"),
        (0, "OperatingEventsFinished"),
        (0, "Scheduling"),
        (0, "SchedulingFinished"),
        (2, "SchedulingFinished"),
        (2, "Finished"),
        (3, "OperatingEvents"),
        (3, "OperatingEventsFinished"),
        (3, "Scheduling"),
        (3, "SchedulingFinished"),
        (3, "Finished"),
    ]


def test_the_scheduler_is_running_while_time_runs_on() -> None:
    stage = building.stage_with(scenario(create(make_node("a")), done(1), step_duration="1s"))
    writes = Writes(stage)
    stage.run_scenarios()
    cycle = ["WillRun", "Running", "WillStop", "Stoped", "Running", "Stoped"]
    assert writes.of("schedulerStatus") == [None, "Stoped", *cycle, *cycle]


def test_nothing_but_the_moment_of_the_events_passes_before_time_runs_on() -> None:
    """Scheduling is at the beginning of the step: pods of a step do not wait for its end."""
    stage = building.run(
        create(make_node("n1")), create(make_pod("p")), done(1), step_duration="1h", alive=True
    )
    scheduled = next(
        each
        for each in stage.store.get(POD, "p")["status"]["conditions"]
        if each["type"] == "PodScheduled"
    )
    assert scheduled["lastTransitionTime"] == f"{START}0:00Z"


def test_the_end_of_a_pod_is_told_in_the_step_in_which_it_comes() -> None:
    """Steps of 5 s; the pod is launched within 1 s and runs for 12 s."""
    stage = building.run(
        create(make_node("n1")), create(_job("12s")), done(9), step_duration="5s", alive=True
    )
    assert _told_of(stage, "work-") == [(0, "PodScheduled"), (2, "Patch")]


def test_a_pod_that_a_controller_makes_is_told_in_the_step_in_which_it_is_scheduled() -> None:
    """Every minute one; a step is 20 s."""
    tick = {
        "apiVersion": "batch/v1",
        "kind": "CronJob",
        "metadata": {"name": "tick", "namespace": "default"},
        "spec": {
            "schedule": "* * * * *",
            "jobTemplate": {"spec": {"template": _job("5s")["spec"]["template"]}},
        },
    }
    stage = building.run(
        create(make_node("n1")), create(tick), done(8), step_duration="20s", alive=True
    )
    told = [step for step, what in _told_of(stage, "tick-") if what == "PodScheduled"]
    minutes = [int(_minute(result)) for result in building.results(stage, "PodScheduled").values()]
    assert minutes == [1, 2]
    assert told == [3, 6]
    for result in building.results(stage, "PodScheduled").values():
        assert result["createdAt"] == result["boundAt"] == result["scheduleResult"][0]["step"]


def _minute(result: Json) -> str:
    return str(result["pod"]["metadata"]["creationTimestamp"][14:16])


def test_a_pod_that_finds_room_while_time_runs_on_is_told_in_that_step() -> None:
    stage = building.run(
        create(make_node("n1", cpu="1")),
        create(_job("32s", cpu="1")),
        create(make_pod("waits", cpu="1"), 1),
        done(8),
        step_duration="10s",
        alive=True,
    )
    told = building.results(stage, "PodScheduled")["waits"]
    assert (told["createdAt"], told["boundAt"]) == (1, 3)
    assert [row["step"] for row in told["scheduleResult"]] == [1, 3]


def test_a_pod_that_is_tried_in_vain_while_time_runs_on_is_told_in_that_step() -> None:
    """PodUnscheduled once per pod and step, at the end of the step, also of one without events."""
    stage = building.run(
        create(make_node("n1", cpu="2")),
        create(_job("32s", cpu="1")),
        create(make_pod("giant", cpu="2"), 1),
        create(make_pod("other", cpu="1"), 1),
        done(8),
        step_duration="10s",
        alive=True,
    )
    told = [step for step, what in _told_of(stage, "giant") if what == "PodUnscheduled"]
    # Tried at its creation, and when the end of the other pod makes some room.
    assert told == [1, 3]
    for event in building.happenings(stage):
        if event["operation"] == "PodUnscheduled":
            assert event["podUnscheduled"]["scheduleResult"][-1]["step"] == event["step"]


@pytest.mark.parametrize("next_event", [2, 6])
def test_the_moment_in_which_a_step_ends_belongs_to_it_whether_or_not_events_follow(
    next_event: int,
) -> None:
    """2 s until it runs, 18 s of work, steps of 10 s: it ends in the last moment of step 1."""
    stage = building.run(
        create(make_node("n1")),
        create(_job("18s")),
        create(make_node("n2"), next_event),
        done(7),
        step_duration="10s",
        alive=True,
    )
    assert _told_of(stage, "work-") == [(0, "PodScheduled"), (1, "Patch")]


def test_room_that_is_freed_when_a_step_ends_is_there_for_the_next_one() -> None:
    stage = building.run(
        create(make_node("n1", cpu="1")),
        create(_job("8s", cpu="1")),
        create(make_pod("next", cpu="1"), 1),
        done(1),
        step_duration="10s",
        alive=True,
    )
    assert building.results(stage, "PodScheduled")["next"]["boundAt"] == 1


def test_a_rollout_takes_its_time() -> None:
    """With time in the steps a step does not wait for a rollout: it goes on through the next."""
    change = {"spec": {"template": {"spec": {"containers": [{"name": "app", "image": "app:2.0"}]}}}}
    stage = building.run(
        create(make_node("n1")),
        create(make_deployment("web", replicas=4)),
        patch(building.DEPLOYMENT, "web", change, 5),
        done(30),
        step_duration="1s",
        alive=True,
    )
    told = [step for step, what in _told_of(stage, "web-") if what == "PodScheduled" and step >= 5]
    assert len(told) == 4
    assert told[0] == 5 < told[-1] < 30


def test_after_done_the_step_lasts_to_its_end_and_no_longer() -> None:
    stage = building.run(done(0), create(make_node("late"), 5), step_duration="10s")
    assert stage.clock.now_ns // SECOND_NS == 10


def test_a_paused_scenario_stands_at_the_end_of_its_last_step() -> None:
    stage = building.run(create(make_node("a")), step_duration="10s", alive=True)
    assert (building.phase(stage), stage.clock.now_ns // SECOND_NS) == ("Paused", 10)


def test_time_goes_on_from_where_it_stood_when_events_are_added() -> None:
    """Steps between the last one and the next event take their time."""
    stage = building.run(create(make_node("a")), step_duration="10s", alive=True)
    add(stage, create(make_node("b"), 4), done(4))
    stage.run_scenarios()
    assert _created(stage, NODE)["b"] == f"{START}0:40Z"


def test_a_deletion_with_a_grace_period_ends_while_time_runs_on() -> None:
    slow = make_pod("slow", annotations={"kubestage.dev/terminate-delay": "25s"})
    stage = building.run(
        create(make_node("n1", cpu="1")),
        create(slow),
        delete(POD, "slow", 1),
        done(6),
        step_duration="10s",
        alive=True,
    )
    assert not stage.store.list(POD).items
    assert _told_of(stage, "slow") == [(0, "Create"), (0, "PodScheduled"), (1, "Delete")]


def test_with_time_in_the_steps_the_queue_says_when_a_pod_is_tried_again() -> None:
    """As in a cluster: a pod is not called back in every step, only when it may fit."""
    stage = building.run(
        create(make_node("n1", cpu="1")),
        create(make_pod("giant", cpu="9")),
        *(create(make_node(f"tiny{step}", cpu="1"), step) for step in range(1, 5)),
        create(make_node("large", cpu="16"), 5),
        done(60),
        step_duration="10s",
        alive=True,
    )
    told = building.results(stage, "PodScheduled")["giant"]
    steps = [row["step"] for row in told["scheduleResult"]]
    assert steps == [0, 5]
    assert told["boundTo"] == "large"
