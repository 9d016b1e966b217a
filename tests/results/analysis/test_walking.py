"""The walk yields every event, in order, with the cluster as it is just after it."""

from __future__ import annotations

import collections

from kubestage.results import analysis
from tests.results.analysis.stories import Story, rivalry

GIB = 1024**3


def test_every_event_comes_in_order_with_its_step() -> None:
    story = rivalry()
    walked = [(moment.step, moment.event["id"]) for moment in analysis.walk(story.status())]
    written = [
        (int(step), event["id"]) for step, events in story.timeline.items() for event in events
    ]
    assert walked == written


def test_steps_are_in_the_order_of_numbers_not_of_texts() -> None:
    story = Story().step(10).node("late").step(2).node("early")
    assert [moment.step for moment in analysis.walk(story.status())] == [2, 10]


def test_a_scenario_is_as_good_as_its_status() -> None:
    story = rivalry()
    assert analysis.table(story.scenario(), "allocation") == analysis.table(
        story.status(), "allocation"
    )


def test_the_state_is_that_just_after_the_event() -> None:
    free = {}
    for moment in analysis.walk(rivalry().status()):
        if moment.event["operation"] == "PodScheduled":
            pod = moment.event["podScheduled"]
            key = pod["pod"]["metadata"]["name"]
            free[key] = moment.state.nodes[pod["boundTo"]].free("cpu")
    assert free == {"web": 1000, "batch": 0, "db": 0, "small": 500}


def test_a_node_knows_its_pods_and_what_they_request() -> None:
    *_, (_, state) = analysis.step_ends(rivalry().status())
    node = state.nodes["a"]
    assert set(node.pods) == {"default/web", "default/small"}
    assert node.requested == {"cpu": 1500, "memory": 4 * GIB, "pods": 2}
    assert (node.rate("cpu"), node.rate("memory"), node.rate("example.com/gpu")) == (
        0.75,
        1.0,
        None,
    )
    assert set(state.pending) == {"default/big"}


def test_values_of_ones_own_are_computed_on_the_way() -> None:
    bindings: collections.Counter[str] = collections.Counter()
    for _, event, state in analysis.walk(rivalry().status()):
        if event["operation"] == "PodScheduled":
            bindings[event["podScheduled"]["boundTo"]] += 1
            assert state.rate("cpu") is not None
    assert bindings == {"a": 2, "b": 2}


def test_a_step_in_which_nothing_happens_has_an_end() -> None:
    story = Story().step(0).node("a").step(1).step(2).pod("web").bind("web", "a")
    assert [step for step, _ in analysis.step_ends(story.status())] == [0, 1, 2]
    assert analysis.table(story.status(), "allocation").column("step") == [
        0,
        0,
        0,
        1,
        1,
        1,
        2,
        2,
        2,
    ]


def test_a_pod_that_is_created_on_a_node_takes_room_at_once() -> None:
    story = Story().step(1).node("a", cpu="4").pod("web", cpu="1", node_name="a")
    (_, state), *_ = analysis.step_ends(story.status())
    assert (state.requested["cpu"], state.pods["default/web"].bound) == (1000, 1)


def test_a_pod_that_has_come_to_its_end_takes_no_room() -> None:
    story = Story().step(1).node("a", cpu="4").pod("job", cpu="1").bind("job", "a").finish("job")
    (_, state), *_ = analysis.step_ends(story.status())
    assert (state.requested["cpu"], state.pods["default/job"].status) == (0, "Succeeded")
    assert not state.nodes["a"].pods


def test_a_pod_that_grows_in_place_takes_more() -> None:
    story = Story().step(1).node("a", cpu="4").pod("web", cpu="1").bind("web", "a")
    (event,) = [each for each in story.timeline["1"] if each["operation"] == "PodScheduled"]
    pod = event["podScheduled"]["pod"]
    container = {**pod["spec"]["containers"][0], "resources": {"requests": {"cpu": "3"}}}
    story.patch({**pod, "spec": {**pod["spec"], "containers": [container]}})
    (_, state), *_ = analysis.step_ends(story.status())
    assert state.requested["cpu"] == 3000


def test_requests_are_counted_as_the_scheduler_counts_them() -> None:
    init = {"name": "init", "resources": {"requests": {"cpu": "2", "memory": "100Mi"}}}
    sidecar = {**init, "name": "side", "restartPolicy": "Always"}
    story = Story().step(1).node("a", cpu="8")
    story.pod("init", cpu="1", init_containers=[init]).bind("init", "a")
    story.pod("side", cpu="1", init_containers=[sidecar]).bind("side", "a")
    (_, state), *_ = analysis.step_ends(story.status())
    cpu = {key: pod.requests["cpu"] for key, pod in state.pods.items()}
    assert cpu == {"default/init": 2000, "default/side": 3000}


def test_a_changed_node_offers_what_it_says_now() -> None:
    story = Story().step(1).node("a", cpu="4", memory="8Gi").pod("web", cpu="1").bind("web", "a")
    node = {**story.timeline["1"][0]["create"]["result"]}
    node["status"] = {"allocatable": {"cpu": "2", "memory": "8Gi", "pods": "10"}}
    story.step(2).patch(node)
    assert analysis.table(story.status(), "allocation").rows[3] == (2, "cpu", 1000, 2000, 0.5)


def test_a_node_that_keeps_nothing_back_offers_its_capacity() -> None:
    story = Story().step(1).node("a", cpu="4")
    del story.timeline["1"][0]["create"]["result"]["status"]["allocatable"]
    assert analysis.table(story.status(), "allocation").rows[0] == (1, "cpu", 0, 4000, 0.0)


def test_what_was_only_tried_changes_nothing() -> None:
    status = Story().step(0).node("a").status()
    (event,) = status["scenarioResult"]["timeline"]["0"]
    event["create"]["operation"]["createOptions"] = {"dryRun": ["All"]}
    ((_, state),) = analysis.step_ends(status)
    assert not state.nodes
