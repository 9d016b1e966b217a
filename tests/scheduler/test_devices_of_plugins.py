"""Devices that pods share are counted right, whatever happens to pods and nodes."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, ClassVar

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.scheduler.framework import SUCCESS, Devices, unschedulable
from kubestage.stage import Stage
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod
from tests.scheduler.quick import stories

if TYPE_CHECKING:
    from kubestage.aliases import Json

COUNT, SHARE = "alibabacloud.com/gpu-count", "alibabacloud.com/gpu-milli"
INDEX = "alibabacloud.com/gpu-index"
AT_ONCE = DeleteOptions(grace_period_seconds=0)
CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: Sharing}]}}
"""


class Sharing:
    """Puts pods on nodes with room; pods that are labelled refused are not bound at first."""

    name = "Sharing"
    devices = Devices()
    refused: ClassVar[set[str]] = set()

    def __init__(self, args: Any, handle: Any) -> None: ...

    def filter(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        request = self.devices.request_of(pod)
        if request is None:
            return None
        fitting = columns.devices("gpu").fitting(request.share)
        return (fitting[rows] < request.number).astype(np.int32)

    def status(self, state: Any, pod: Any, code: int) -> Any:
        return unschedulable("no room on devices")

    def pre_bind(self, state: Any, pod: Any, node_name: str) -> Any:
        return unschedulable("not yet") if pod.labels.get("refused") else SUCCESS


class Picking(Sharing):
    """Takes the emptiest devices."""

    def pick_devices(self, state: Any, pod: Any, node_name: str, free: Any) -> Any:
        request = self.devices.request_of(pod)
        assert request is not None
        order = np.argsort(-free, kind="stable")[: request.number]
        return None if free[order[-1]] < request.share else order


class OneNode(Sharing):
    """Sees the same, one node at a time."""

    def filter_node(self, state: Any, pod: Any, node: Any) -> Any:
        request = self.devices.request_of(pod)
        if request is None:
            return SUCCESS
        fitting = sum(free >= request.share for free in node.devices["gpu"].tolist())
        return SUCCESS if fitting >= request.number else unschedulable("no room on devices")


def gpu_node(name: str, count: int, **fields: Any) -> Json:
    return make_node(name, labels={COUNT: str(count)}, **fields)


def gpu_pod(name: str, share: int, number: int = 1, **fields: Any) -> Json:
    annotations = {SHARE: str(share), COUNT: str(number), **fields.pop("annotations", {})}
    return make_pod(name, annotations=annotations, **fields)


def staged(plugin: type[Any], *nodes: Json) -> Stage:
    stage = Stage()
    stage.apply(list(nodes))
    stage.add_scheduler(CONFIG, plugins={"Sharing": plugin}, recording="decisions")
    return stage


def free_of(stage: Stage) -> dict[str, list[int]]:
    assert stage.scheduler is not None
    columns = stage.scheduler.cache.columns
    table = columns.devices("gpu")
    shown = {info.name: info.devices["gpu"].tolist() for info in columns.infos if info.devices}
    free = {
        name: table.free[row, : table.count[row]].tolist() for row, name in enumerate(columns.names)
    }
    assert shown == free
    return free


def indexes_of(stage: Stage) -> dict[str, tuple[int, ...]]:
    assert stage.scheduler is not None
    assigned = stage.scheduler.cache.own.assigned["gpu"]
    pods = stage.store.list(("v1", "Pod")).items
    return {each["metadata"]["name"]: assigned.get(each["metadata"]["uid"], ()) for each in pods}


def test_a_pod_takes_the_fullest_device_with_room() -> None:
    stage = staged(Sharing, gpu_node("n1", 3))
    stage.apply([gpu_pod("a", 600), gpu_pod("b", 600), gpu_pod("c", 300), gpu_pod("d", 500, 2)])
    stage.run("1s")
    assert indexes_of(stage) == {"a": (0,), "b": (1,), "c": (0,), "d": ()}
    assert free_of(stage) == {"n1": [100, 400, 1000]}
    message = stage.scheduler.record.decisions[-1].message if stage.scheduler else ""
    assert "1 no room on devices" in message


def test_a_plugin_picks_the_devices() -> None:
    stage = staged(Picking, gpu_node("n1", 2))
    stage.apply([gpu_pod("a", 300), gpu_pod("b", 300), gpu_pod("c", 400, 2)])
    stage.run("1s")
    assert indexes_of(stage) == {"a": (0,), "b": (1,), "c": (0, 1)}


@pytest.mark.parametrize("picked", [(2,), (0, 1), (-1,), (), "x", (0.5,), (1,), (0, 0), 7])
def test_picked_devices_are_checked(picked: Any) -> None:
    plugin = type("Sharing", (Sharing,), {"pick_devices": lambda *_: picked})
    stage = staged(plugin, gpu_node("n1", 2))
    stage.apply([gpu_pod("full", 900, annotations={INDEX: "1"}, node_name="n1")])
    stage.apply([gpu_pod("a", 300)])
    with pytest.raises(InputError, match=r"pick_devices returned .*, not 1 of 2 devices"):
        stage.run("1s")


def test_no_pick_is_no_room() -> None:
    stage = staged(
        type("Sharing", (Sharing,), {"pick_devices": lambda *_: None}), gpu_node("n1", 2)
    )
    stage.apply([gpu_pod("a", 300)])
    stage.run("1s")
    assert free_of(stage) == {"n1": [1000, 1000]}
    assert stage.store.list(("v1", "Pod")).items[0]["spec"].get("nodeName") is None


def test_pods_that_are_there_have_the_devices_that_they_state() -> None:
    stage = Stage()
    stage.apply([gpu_node("n1", 4)])
    stage.apply([gpu_pod("a", 250, 2, annotations={INDEX: "1-3"}, node_name="n1")])
    stage.apply([gpu_pod("b", 100, node_name="n1")])
    stage.add_scheduler(CONFIG, plugins={"Sharing": Sharing})
    assert free_of(stage) == {"n1": [1000, 650, 1000, 750]}


@pytest.mark.parametrize(
    ("node", "pod", "problem"),
    [
        ({COUNT: "two"}, {}, f'node n1: label {COUNT} is "two", not a whole number'),
        ({COUNT: "2"}, {SHARE: "half"}, f'annotation {SHARE} is "half", not a whole number'),
        ({COUNT: "2"}, {SHARE: "5", INDEX: "2"}, f'annotation {INDEX} is "2", of 2 devices'),
    ],
)
def test_what_is_no_number_is_refused(node: Json, pod: Json, problem: str) -> None:
    stage = Stage()
    stage.apply([make_node("n1", labels=node)])
    stage.apply([make_pod("a", annotations=pod, node_name="n1")])
    with pytest.raises(InputError) as raised:
        _ = stage.add_scheduler(CONFIG, plugins={"Sharing": Sharing}).cache.columns
    assert problem in str(raised.value)


def test_a_node_may_get_more_devices() -> None:
    stage = staged(Sharing, gpu_node("n1", 1), gpu_node("n2", 2))
    stage.apply([gpu_pod("a", 700), gpu_pod("b", 700), gpu_pod("c", 700)])
    stage.run("1s")
    node = stage.store.get(("v1", "Node"), "n1")
    labels = {**node["metadata"]["labels"], COUNT: "3"}
    stage.store.update({**node, "metadata": {**node["metadata"], "labels": labels}})
    assert free_of(stage) == {"n1": [300, 1000, 1000], "n2": [300, 300]}


def test_preemption_frees_devices_in_its_trials() -> None:
    stage = staged(Sharing, gpu_node("n1", 1), gpu_node("n2", 1, unschedulable=True))
    stage.apply([gpu_pod("low", 800)])
    stage.run("1s")
    group = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass"}
    stage.apply([{**group, "metadata": {"name": "high"}, "value": 100}])
    stage.apply([gpu_pod("high", 800, priority_class_name="high")])
    stage.run("1s")
    (high,) = (each for each in stage.store.list(("v1", "Pod")).items
               if each["metadata"]["name"] == "high")  # fmt: skip
    assert high["status"]["nominatedNodeName"] == "n1"
    assert free_of(stage)["n1"] == [200]


def test_two_definitions_of_one_name_are_refused() -> None:
    class Other(Sharing):
        name = "Other"
        devices = Devices(whole=100)

    config = CONFIG.replace("{name: Sharing}", "{name: Sharing}, {name: Other}")
    with pytest.raises(InputError, match='devices "gpu": another plugin defines devices'):
        Stage().add_scheduler(config, plugins={"Sharing": Sharing, "Other": Other})


numbers = st.integers(0, 7)
moves = st.lists(
    st.one_of(
        st.tuples(st.just("pod"), st.sampled_from([200, 300, 500, 1000]), st.integers(1, 2)),
        st.tuples(st.just("refused"), st.sampled_from([200, 500]), st.just(1)),
        st.tuples(st.just("placed"), st.sampled_from([200, 500]), numbers),
        st.tuples(st.just("delete"), numbers, st.just(0)),
        st.tuples(st.just("end"), numbers, st.just(0)),
        st.tuples(st.just("node"), st.integers(0, 4), st.just(0)),
        st.tuples(st.just("gone"), numbers, st.just(0)),
        st.tuples(st.just("back"), st.integers(1, 4), st.just(0)),
        st.tuples(st.just("fork"), st.just(0), st.just(0)),
    ),
    max_size=16,
)


def _move(stage: Stage, turn: int, move: str, number: int, other: int) -> Stage:
    """One change; a fork goes on with the copy."""
    store = stage.store
    nodes = [each["metadata"]["name"] for each in store.list(("v1", "Node")).items]
    pods = list(store.list(("v1", "Pod")).items)
    if move == "pod":
        stage.apply([gpu_pod(f"p{turn}", number, other)])
    elif move == "refused":
        stage.apply([gpu_pod(f"p{turn}", number, other, labels={"refused": "yes"})])
    elif move == "placed" and nodes:
        stage.apply([gpu_pod(f"p{turn}", number, node_name=nodes[other % len(nodes)])])
    elif move == "delete" and pods:
        chosen = pods[number % len(pods)]["metadata"]
        options = AT_ONCE if number % 2 else None
        store.delete(("v1", "Pod"), chosen["name"], chosen["namespace"], options)
    elif move == "end" and pods:
        chosen = pods[number % len(pods)]
        store.update({**chosen, "status": {"phase": "Succeeded"}}, subresource="status")
    elif move == "node":
        stage.apply([gpu_node(f"m{turn}", number)])
    elif move == "gone" and nodes:
        store.delete(("v1", "Node"), nodes[number % len(nodes)])
    elif move == "back" and "n0" not in nodes:
        stage.apply([gpu_node("n0", number)])
    elif move == "fork":
        return pickle.loads(pickle.dumps(stage)) if turn % 2 else stage.fork()
    return stage


def _reference(stage: Stage) -> dict[str, list[int]]:
    """What is free, worked out from nothing but the objects and who has which device."""
    free = {
        node["metadata"]["name"]: [1000] * int(node["metadata"]["labels"][COUNT])
        for node in stage.store.list(("v1", "Node")).items
    }
    indexes = indexes_of(stage)
    for pod in stage.store.list(("v1", "Pod")).items:
        node = free.get(pod["spec"].get("nodeName", ""))
        if node is None or pod["status"]["phase"] == "Succeeded":
            continue
        for index in indexes[pod["metadata"]["name"]]:
            node[index] -= int(pod["metadata"]["annotations"][SHARE])
    return free


@pytest.mark.parametrize("plugin", [Sharing, Picking, OneNode])
@hypothesis.settings(max_examples=20)
@hypothesis.given(steps=moves)
def test_devices_are_as_in_the_slow_twin(
    plugin: type[Any], steps: list[tuple[str, int, int]]
) -> None:
    stage = staged(plugin, gpu_node("n0", 2), gpu_node("n1", 3))
    before: dict[str, tuple[int, ...]] = {}
    for turn, step in enumerate(steps):
        stage = _move(stage, turn, *step)
        stage.run("1s")
        free = free_of(stage)
        assert free == _reference(stage)
        after = indexes_of(stage)
        for pod in stage.store.list(("v1", "Pod")).items:
            name, is_placed = pod["metadata"]["name"], "nodeName" in pod["spec"]
            if not is_placed or pod["status"]["phase"] == "Succeeded":
                assert after[name] == (), "what is not on a node has no device"
            elif before.get(name):
                assert after[name] == before[name], "a pod keeps its devices"
            if is_placed and pod["spec"]["nodeName"] in free and step[0] == "pod":
                wanted = int(pod["metadata"]["annotations"][COUNT])
                assert len(after[name]) in (wanted, 0)
        before = after


class Only:
    """Has devices, and leaves everything else to others."""

    name = "Sharing"
    devices = Devices()

    def __init__(self, args: Any, handle: Any) -> None: ...


@pytest.mark.parametrize("are_used", [True, False])
def test_devices_are_counted_in_the_fast_lane(are_used: bool) -> None:
    with stories.compiled(are_used):
        stage = staged(Only, gpu_node("n0", 8), gpu_node("n1", 8))
        stage.apply([gpu_pod(f"p{number}", 300) for number in range(40)])
        stage.run("1s")
    assert free_of(stage) == _reference(stage)
    assert sum(map(len, indexes_of(stage).values())) == 40
