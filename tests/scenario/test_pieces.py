"""Steps piece by piece, as a server runs them: the same as at one go, and others may interfere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scenario import resource
from kubestage.testing import make_deployment, make_node, make_pod
from tests.scenario import building
from tests.scenario.building import NODE, POD, create, done, important, scenario

if TYPE_CHECKING:
    from kubestage import Stage
    from kubestage.aliases import Json


def _events() -> list[Json]:
    return [
        create(make_node("n1", cpu="2")),
        building.importance(),
        create(make_deployment("web", replicas=3, cpu="500m")),
        create(important("boss", cpu="1"), 1),
        create(make_pod("big", cpu="99"), 1),
        building.patch(NODE, "n1", {"metadata": {"labels": {"x": "1"}}}, 2),
        done(3),
    ]


def _run_divided(stage: Stage, grain: int) -> int:
    """Run everything; how many pieces it took."""
    assert stage.scenarios is not None
    stage.scenarios.divide(grain)
    count = 0
    while True:
        pieces = stage.scenarios.pieces()
        try:
            while True:
                next(pieces)
                count += 1
        except StopIteration as end:
            if not end.value:
                return count


@pytest.mark.parametrize("alive", [False, True])
@pytest.mark.parametrize("step_duration", [None, "1m"])
@pytest.mark.parametrize("grain", [1, 7])
def test_a_scenario_in_pieces_is_the_same_as_at_one_go(
    grain: int, step_duration: str | None, *, alive: bool
) -> None:
    whole = building.run(*_events(), alive=alive, step_duration=step_duration)
    divided = building.stage_with(scenario(*_events(), step_duration=step_duration), alive=alive)
    assert _run_divided(divided, grain) >= len(_events())
    assert building.phase(whole) == "Succeeded"
    assert building.status(divided) == building.status(whole)
    assert divided.store.resource_version == whole.store.resource_version
    assert divided.now == whole.now


def test_a_wipe_in_pieces_leaves_nothing_behind() -> None:
    stage = building.stage_with(alive=True)
    stage.store.create(make_node("old"))
    stage.store.create(make_deployment("web", replicas=20))
    stage.run("10s")
    stage.store.create(scenario(create(make_node("new"))))
    _run_divided(stage, 3)
    assert list(stage.store.read(NODE)) == ["new"]
    assert not stage.store.read(POD)
    assert building.phase(stage) == "Paused"


def test_the_scenario_may_be_changed_while_the_cluster_is_wiped() -> None:
    stage = building.stage_with()
    for name in ("a", "b", "c"):
        stage.store.create(make_node(name))
    stage.store.create(scenario(create(make_node("new"))))
    assert stage.scenarios is not None
    stage.scenarios.divide(1)
    pieces = stage.scenarios.pieces()
    while len(stage.store.read(NODE)) == 3:
        next(pieces)
    building.add(stage, done(1))
    for _ in pieces:
        pass
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"
    assert list(stage.store.read(NODE)) == ["new"]


def _begun(stage: Stage, pieces: int = 3) -> Any:
    """The pieces of the first step, some of them done."""
    assert stage.scenarios is not None
    stage.scenarios.divide(1)
    stage.scenarios.advance()
    begun = stage.scenarios.pieces()
    for _ in range(pieces):
        next(begun)
    return begun


def test_a_change_between_pieces_fails_the_scenario_and_ends_its_step() -> None:
    stage = building.stage_with(scenario(*_events()), scenario(done(), name="next"), alive=True)
    pieces = _begun(stage)
    stage.store.create(make_node("foreign"))
    assert building.phase(stage) == "Failed"
    assert building.message(stage) == (
        "Node foreign was created by somebody else while the Scenario was running"
    )
    with pytest.raises(StopIteration) as end:
        next(pieces)
    assert end.value.value is True
    before = building.status(stage)
    stage.run_scenarios()
    assert building.status(stage) == before
    assert building.phase(stage, "next") == "Succeeded"


def test_events_may_be_added_between_pieces() -> None:
    stage = building.stage_with(scenario(create(make_node("n1"))), alive=True)
    pieces = _begun(stage, 1)
    building.add(stage, create(make_node("n2"), 1), done(2))
    for _ in pieces:
        pass
    stage.run_scenarios()
    assert building.phase(stage) == "Succeeded"
    assert list(stage.store.read(NODE)) == ["n1", "n2"]


def test_a_scenario_that_is_deleted_between_pieces_goes_no_further() -> None:
    stage = building.stage_with(scenario(*_events()), alive=True)
    pieces = _begun(stage, 1)
    stage.store.delete(resource.SCENARIO, building.NAME)
    with pytest.raises(StopIteration):
        next(pieces)
    assert stage.scenarios is not None
    assert stage.scenarios.current is None
    assert list(stage.store.read(NODE)) == ["n1"]


def test_closing_the_pieces_breaks_the_step_off() -> None:
    stage = building.stage_with(scenario(*_events()), alive=True)
    _begun(stage).close()
    assert building.phase(stage) == "Failed"
    assert building.message(stage) == "step 0 was broken off by an error or an interruption"


def test_a_step_is_being_prepared_until_its_events_have_had_their_effect() -> None:
    stage = building.stage_with(scenario(*_events()), alive=True)
    controller = stage.scenarios
    assert controller is not None
    controller.divide(1)
    assert not controller.is_preparing
    seen = []
    while True:
        pieces = controller.pieces()
        try:
            while True:
                next(pieces)
                step = building.status(stage).get("stepStatus") or {}
                seen.append((step.get("phase"), controller.is_preparing))
        except StopIteration as end:
            if not end.value:
                break
    assert ("OperatingEvents", True) in seen
    assert ("OperatingEventsFinished", True) in seen
    assert ("Scheduling", False) in seen
    assert ("OperatingEvents", False) not in seen
    assert ("Scheduling", True) not in seen
    assert not controller.is_preparing


def test_the_status_counts_pods() -> None:
    events = [
        create(make_node("n1", cpu="2")),
        building.importance(),
        create(make_pod("p", cpu="1500m")),
        create(make_pod("big", cpu="99")),
        create(important("boss", cpu="1"), 1),
        done(2),
    ]
    stage = building.stage_with(scenario(*events), alive=True)
    writes = building.Writes(stage)
    stage.run_scenarios()
    assert building.status(stage)["pods"] == {"scheduled": 2, "pending": 1, "preempted": 1}
    told = [each["pods"] for each in writes.statuses if "pods" in each]
    assert told[0] == {"scheduled": 0, "pending": 0, "preempted": 0}
    assert {"scheduled": 1, "pending": 1, "preempted": 0} in told
