"""The documents on when scenarioResult is updated, counted by the writes to the store."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.scenario.settings import Settings, Strategy
from kubestage.testing import make_node, make_pod
from tests.scenario import building
from tests.scenario.building import Writes, add, create, done, scenario

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json


STEPS = 4
ALL = list(Strategy)


def _steps(first: int = 0, count: int = STEPS) -> list[Json]:
    return [
        event
        for step in range(first, first + count)
        for event in (create(make_node(f"n{step}"), step), create(make_pod(f"p{step}"), step))
    ]


def _watched(strategy: Strategy | None, *events: Json) -> tuple[Stage, Writes]:
    settings = None if strategy is None else Settings(strategy=strategy)
    stage = building.stage_with(scenario(*events), settings=settings)
    writes = Writes(stage)
    stage.run_scenarios()
    return stage, writes


def _phases(writes: Writes) -> list[tuple[str, int]]:
    """In which phase, and at which step, each result was written."""
    return [(each["phase"], each["step"]) for each in writes.of_results]


def test_by_default_the_result_is_written_when_proceeding_to_the_next_step() -> None:
    """The controller only updates scenarioResult when proceeding to the next ScenarioStep."""
    _, writes = _watched(None, *_steps(), done(STEPS))
    assert _phases(writes) == [("Running", step) for step in range(STEPS + 1)]
    assert {each["stepStatus"]["phase"] for each in writes.of_results} == {"Finished"}


@pytest.mark.parametrize("held", ALL)
def test_what_a_scenario_says_itself_wins_over_the_setting(held: Strategy) -> None:
    own = scenario(*_steps(), done(STEPS))
    own["spec"]["resultStrategy"] = "OnDone"
    stage = building.stage_with(own, settings=Settings(strategy=held))
    writes = Writes(stage)
    stage.run_scenarios()
    assert _phases(writes) == [("Succeeded", STEPS)]


def test_at_moving_next_step_writes_the_result_once_a_step() -> None:
    """AtMovingNextStep: when proceeding to the next ScenarioStep."""
    stage, writes = _watched(Strategy.AT_MOVING_NEXT_STEP, *_steps())
    assert _phases(writes) == [("Running", step) for step in range(STEPS)]
    add(stage, done(STEPS))
    stage.run_scenarios()
    assert len(writes.of_results) == STEPS + 1


def test_on_pause_writes_the_result_when_the_scenario_is_paused_and_at_its_end() -> None:
    """OnPause: when the phase becomes Paused, Succeeded or Failed."""
    stage, writes = _watched(Strategy.ON_PAUSE, *_steps())
    assert _phases(writes) == [("Paused", STEPS - 1)]
    add(stage, *_steps(STEPS), done(2 * STEPS))
    stage.run_scenarios()
    assert _phases(writes) == [("Paused", STEPS - 1), ("Succeeded", 2 * STEPS)]


def test_on_done_writes_the_result_at_the_end_only() -> None:
    """OnDone: when the phase becomes Succeeded or Failed."""
    stage, writes = _watched(Strategy.ON_DONE, *_steps())
    assert building.phase(stage) == "Paused"
    assert not writes.of_results
    add(stage, *_steps(STEPS), done(2 * STEPS))
    stage.run_scenarios()
    assert _phases(writes) == [("Succeeded", 2 * STEPS)]


@pytest.mark.parametrize("strategy", ALL)
def test_every_strategy_writes_the_result_when_the_scenario_fails(strategy: Strategy) -> None:
    """OnPause and OnDone name Failed; with the default, the step that failed would be missing."""
    again = {**create(make_node("n0"), 2), "id": "again"}
    stage, writes = _watched(strategy, *_steps(count=2), create(make_node("a9"), 2), again)
    assert building.phase(stage) == "Failed"
    of_steps = 2 if strategy is Strategy.AT_MOVING_NEXT_STEP else 0
    assert len(writes.of_results) == of_steps + 1
    assert building.summary(stage)[-1] == (2, "Create", "a9")


@pytest.mark.parametrize("strategy", ALL)
def test_the_result_is_the_same_in_the_end_with_every_strategy(strategy: Strategy) -> None:
    """Strategies are about requests to the API server, not about what is told."""
    stage, _ = _watched(strategy, *_steps(), done(STEPS))
    plain, _ = _watched(None, *_steps(), done(STEPS))
    assert building.status(stage) == building.status(plain)


@pytest.mark.parametrize("strategy", ALL)
def test_the_rest_of_the_status_is_written_all_the_same(strategy: Strategy) -> None:
    """Only status.scenarioResult is held back."""
    _, writes = _watched(strategy, *_steps(), done(STEPS))
    _, plain = _watched(None, *_steps(), done(STEPS))
    assert writes.of("stepStatus") == plain.of("stepStatus")
    assert writes.of("schedulerStatus") == plain.of("schedulerStatus")
    assert writes.of("phase") == plain.of("phase")


@pytest.mark.parametrize("strategy", ALL)
def test_a_step_takes_seven_status_writes_with_every_strategy(strategy: Strategy) -> None:
    """The API server must not be so busy: a fixed number of writes a step, however many pods."""
    stage, few = _watched(strategy, *_steps(), done(STEPS))
    pods = [create(make_pod(f"more{i}"), 1) for i in range(50)]
    crowded, many = _watched(strategy, *_steps(), *pods, done(STEPS))
    assert len(few.statuses) == len(many.statuses)
    # Pending, Running and Succeeded; and in each of the steps: one for OperatingEvents, one for
    # OperatingEventsFinished, three for Scheduling, one for SchedulingFinished, one for Finished.
    assert len(few.statuses) == 3 + 7 * (STEPS + 1)
    assert building.phase(stage) == building.phase(crowded) == "Succeeded"


def test_what_was_written_does_not_change_later() -> None:
    """A result that somebody has read is that of its time."""
    stage, writes = _watched(None, *_steps(count=2))
    first = writes.of_results[0]["scenarioResult"]["timeline"]
    assert list(first) == ["0"]
    add(stage, create(make_pod("later", cpu="99"), 2), done(3))
    stage.run_scenarios()
    assert list(first) == ["0"]
    assert len(first["0"]) == 3


def test_a_result_is_not_written_again_when_nothing_is_new() -> None:
    """When watching the Scenario for dynamic event addition, fewer requests are better."""
    stage, writes = _watched(Strategy.ON_PAUSE, *_steps())
    count = len(writes.statuses)
    for _ in range(3):
        stage.run_scenarios()
    assert len(writes.statuses) == count


def test_strategies_are_called_as_in_the_environment_variable() -> None:
    """UPDATE_SCENARIO_RESULTS_STRATEGY=AtMovingNextStep, OnPause or OnDone."""
    assert [each.value for each in Strategy] == ["AtMovingNextStep", "OnPause", "OnDone"]
    assert Settings().strategy is Strategy.AT_MOVING_NEXT_STEP
