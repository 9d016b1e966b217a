"""Whatever a Scenario does to nodes and pods, it ends, and its timeline tells the whole story."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.objects import quantity
from tests.scenario import building
from tests.scenario.building import NODE, POD
from tests.scenario.own_schedulers import Preempting
from tests.scenario.random_scenarios import Replay, Script

if TYPE_CHECKING:
    from kubestage import Stage


def _last_step(stage: Stage) -> int:
    return int(building.status(stage)["step"])


def _tried_in_the_last_step(stage: Stage) -> dict[str, int]:
    """How often each pod was tried in the last step, by what is told of it at its end."""
    last = _last_step(stage)
    return {
        building.subject(event): [
            row["step"] for row in event["podUnscheduled"]["scheduleResult"]
        ].count(last)
        for event in building.timeline(stage)[str(last)]
        if event["operation"] == "PodUnscheduled"
    }


def _left(stage: Stage) -> list[str]:
    return [name for name, node in building.placements(stage).items() if node is None]


def _check_no_node_has_more_than_it_can_hold(stage: Stage) -> None:
    for node in stage.store.list(NODE).items:
        room = quantity.parse(node["status"]["allocatable"]["cpu"]).milli_value
        for pod in stage.store.list(POD).items:
            if pod["spec"].get("nodeName") == node["metadata"]["name"]:
                requests = pod["spec"]["containers"][0]["resources"]["requests"]
                room -= quantity.parse(requests["cpu"]).milli_value
        assert room >= 0


@given(st.data())
@settings(max_examples=60)
def test_a_scenario_of_pods_and_nodes_ends_and_its_timeline_is_the_whole_story(
    data: st.DataObject,
) -> None:
    """Replaying the timeline gives every pod and node as it is in the end, to the last field."""
    stage = building.run(*Script(data, workloads=False).write())
    assert building.phase(stage) == "Succeeded", building.message(stage)
    replay = Replay(building.timeline(stage))
    assert replay.pods == dict(stage.store.read(POD))
    assert replay.nodes == dict(stage.store.read(NODE))
    _check_no_node_has_more_than_it_can_hold(stage)


@given(st.data())
@settings(max_examples=60)
def test_no_pod_is_left_that_was_not_tried_twice_in_the_last_step(data: st.DataObject) -> None:
    """All unscheduled Pods are tried to be scheduled twice or more."""
    stage = building.run(*Script(data, workloads=False).write())
    tried = _tried_in_the_last_step(stage)
    assert sorted(tried) == sorted(_left(stage))
    assert all(count >= 2 for count in tried.values())


@given(st.data())
@settings(max_examples=25)
def test_a_living_scenario_ends_and_its_timeline_tells_of_every_pod(data: st.DataObject) -> None:
    """Controllers make and take pods, and kubelets end them: none is lost and none made up."""
    stage = building.run(*Script(data, workloads=True).write(), alive=True)
    # A node that is gone takes its pods along after a while, also one that is deleted by name.
    assert building.phase(stage) in ("Succeeded", "Failed")
    if building.phase(stage) == "Failed":
        assert "not found" in building.message(stage)
        return
    replay = Replay(building.timeline(stage))
    assert {key: pod["metadata"]["uid"] for key, pod in replay.pods.items()} == {
        key: pod["metadata"]["uid"] for key, pod in stage.store.read(POD).items()
    }
    assert {key: pod["spec"].get("nodeName") for key, pod in replay.pods.items()} == {
        key: pod["spec"].get("nodeName") for key, pod in stage.store.read(POD).items()
    }
    assert set(replay.nodes) == set(stage.store.read(NODE))
    assert all(count >= 2 for count in _tried_in_the_last_step(stage).values())
    assert sorted(_tried_in_the_last_step(stage)) == sorted(_left(stage))


@given(st.data(), st.sampled_from(("1s", "20s", "10m")))
@settings(max_examples=25)
def test_a_scenario_with_time_in_it_ends_when_it_should(data: st.DataObject, duration: str) -> None:
    """Steps last as long as they say, and the timeline is the whole story there too."""
    events = Script(data, workloads=True).write()
    stage = building.run(*events, step_duration=duration, alive=True)
    assert building.phase(stage) in ("Succeeded", "Failed")
    if building.phase(stage) == "Succeeded":
        seconds = {"1s": 1, "20s": 20, "10m": 600}[duration]
        first = min(event["step"] for event in events)
        steps = _last_step(stage) - first + 1
        assert stage.clock.now_ns // 1_000_000_000 == steps * seconds
    told = Replay(building.timeline(stage)).pods
    pods = dict(stage.store.read(POD))
    assert set(told) <= set(pods)
    for key, pod in pods.items():
        if key in told:
            assert told[key]["spec"].get("nodeName") == pod["spec"].get("nodeName")
        else:
            # It was told to go, and takes its time.
            assert "deletionTimestamp" in pod["metadata"]


@given(st.data(), st.booleans())
@settings(max_examples=25)
def test_a_scheduler_of_ones_own_ends_every_scenario_too(data: st.DataObject, alive: bool) -> None:
    """The hook stops it in every step, and what it did is told."""
    events = Script(data, workloads=False).write()
    stage = building.run(*events, scheduler=Preempting(), alive=alive)
    if not alive:
        assert building.phase(stage) == "Succeeded", building.message(stage)
    if building.phase(stage) == "Succeeded":
        replay = Replay(building.timeline(stage))
        placed = {key: pod["spec"].get("nodeName") for key, pod in stage.store.read(POD).items()}
        assert {key: pod["spec"].get("nodeName") for key, pod in replay.pods.items()} == placed
        assert sorted(_tried_in_the_last_step(stage)) == sorted(_left(stage))
