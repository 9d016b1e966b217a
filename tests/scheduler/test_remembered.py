"""Answers that depend on a node are kept until it changes, and are always as if they were not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.errors import InputError
from kubestage.scheduler.framework import SUCCESS, unschedulable
from kubestage.stage import Stage
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json

AT_ONCE = DeleteOptions(grace_period_seconds=0)
CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
percentageOfNodesToScore: 100
profiles:
- plugins: {multiPoint: {enabled: [{name: Packing, weight: 7}]}}
"""


class Packing:
    """Fills nodes up to their limit of CPU, which is an annotation of theirs."""

    name = "Packing"
    calls: ClassVar[list[str]] = []

    def __init__(self, args: Any, handle: Any) -> None: ...

    def filter_node(self, state: Any, pod: Any, node: Any) -> Any:
        self.calls.append(node.name)
        limit = int(node.view.annotations.get("limit", 4000))
        if node.requested.milli_cpu + pod.requests.milli_cpu > limit:
            return unschedulable(f"limit {limit} reached")
        return SUCCESS

    def score_node(self, state: Any, pod: Any, node: Any) -> int:
        share = 100 * node.requested.milli_cpu // node.allocatable.milli_cpu
        score: int = max(0, share - 3 * node.requested.allowed_pod_number)
        return score


class Remembered(Packing):
    depends_on = "node"


class RememberedByKey(Remembered):
    def pod_key(self, pod: Any) -> int:
        cpu: int = pod.requests.milli_cpu
        return cpu


class OnColumns:
    """The same on columns."""

    name = "Packing"

    def __init__(self, args: Any, handle: Any) -> None: ...

    def filter(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        limits = columns.derived("limits", _limits)[rows]
        over = columns.requested_of("cpu")[rows] + pod.requests.milli_cpu > limits
        return np.where(over, limits + 1, 0)

    def status(self, state: Any, pod: Any, code: int) -> Any:
        return unschedulable(f"limit {code - 1} reached")

    def score(self, state: Any, pod: Any, columns: Any, rows: Any) -> Any:
        share = 100 * columns.requested_of("cpu")[rows] // columns.allocatable_of("cpu")[rows]
        return np.maximum(share - 3 * columns.pod_count[rows], 0)


class RememberedColumns(OnColumns):
    depends_on = "node"


def _limits(columns: Any) -> Any:
    return np.array([int(info.view.annotations.get("limit", 4000)) for info in columns.infos])


VARIANTS = (Remembered, RememberedByKey, OnColumns, RememberedColumns)
numbers = st.integers(0, 5)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("pod"), st.integers(0, 2), st.just(0)),
        st.tuples(st.just("delete"), numbers, st.just(0)),
        st.tuples(st.just("node"), numbers, st.just(0)),
        st.tuples(st.just("limit"), numbers, st.sampled_from([0, 300, 900])),
        st.tuples(st.just("gone"), numbers, st.just(0)),
    ),
    min_size=5,
    max_size=14,
)


def _outcome(plugin: type[Any], moves: list[tuple[str, int, int]], seed: int) -> list[Any]:
    stage = Stage(seed=seed)
    stage.apply([make_node(f"n{number}", cpu="2") for number in range(3)])
    scheduler = stage.add_scheduler(CONFIG, plugins={"Packing": plugin}, recording="decisions")
    for turn, (move, number, value) in enumerate(moves):
        _move(stage, turn, move, number, value)
        stage.run("1s")
        if turn == len(moves) // 2:
            stage = stage.fork()
            assert stage.scheduler is not None
            scheduler = stage.scheduler
    return [(row.pod, row.node, row.message) for row in scheduler.record.decisions]


def _move(stage: Stage, turn: int, move: str, number: int, value: int) -> None:
    nodes: list[Json] = list(stage.store.list(("v1", "Node")).items)
    pods: list[Json] = list(stage.store.list(("v1", "Pod")).items)
    if move == "pod":
        stage.apply([make_pod(f"p{turn}", cpu=f"{100 * (1 + number)}m")])
    elif move == "delete" and pods:
        chosen = pods[number % len(pods)]["metadata"]
        stage.store.delete(("v1", "Pod"), chosen["name"], chosen["namespace"], AT_ONCE)
    elif move == "node":
        stage.apply([make_node(f"m{turn}", cpu=str(1 + number))])
    elif move == "limit" and nodes:
        node = nodes[number % len(nodes)]
        metadata = {**node["metadata"], "annotations": {"limit": str(value)}}
        stage.store.update({**node, "metadata": metadata})
    elif move == "gone" and len(nodes) > 1:
        stage.store.delete(("v1", "Node"), nodes[number % len(nodes)]["metadata"]["name"])


@hypothesis.settings(max_examples=15)
@hypothesis.given(steps, st.integers(0, 3))
def test_decisions_are_those_of_a_plugin_that_is_called_every_time(
    moves: list[tuple[str, int, int]], seed: int
) -> None:
    expected = _outcome(Packing, moves, seed)
    for variant in VARIANTS:
        assert _outcome(variant, moves, seed) == expected, variant


def test_a_plugin_is_called_for_rows_that_changed() -> None:
    stage = Stage()
    stage.apply([make_node(f"n{number}", cpu="8") for number in range(20)])
    stage.add_scheduler(CONFIG, plugins={"Packing": RememberedByKey})
    stage.apply([make_pod("first", cpu="100m")])
    stage.run("1s")
    RememberedByKey.calls.clear()
    stage.apply([make_pod("second", cpu="100m")])
    stage.run("1s")
    (first, _) = stage.store.list(("v1", "Pod")).items
    assert RememberedByKey.calls == [first["spec"]["nodeName"]]


def test_it_is_called_for_all_rows_for_a_pod_of_another_key() -> None:
    stage = Stage()
    stage.apply([make_node(f"n{number}", cpu="8") for number in range(20)])
    stage.add_scheduler(CONFIG, plugins={"Packing": RememberedByKey})
    stage.apply([make_pod("first", cpu="100m")])
    stage.run("1s")
    RememberedByKey.calls.clear()
    stage.apply([make_pod("second", cpu="200m")])
    stage.run("1s")
    assert len(RememberedByKey.calls) == 20


def test_what_a_node_has_and_what_its_pods_request_can_be_read() -> None:
    stage = Stage()
    stage.apply([make_node("n1", cpu="2", memory="4Gi", labels={"zone": "a"})])
    scheduler = stage.add_scheduler()
    stage.apply([make_pod("one", cpu="300m", memory="1Gi"), make_pod("two", cpu="200m")])
    stage.run("1s")
    (info,) = scheduler.cache.columns.infos
    assert (info.name, info.labels["zone"]) == ("n1", "a")
    assert (info.allocatable.milli_cpu, info.allocatable.memory) == (2000, 4 << 30)
    requested = info.requested
    assert (requested.milli_cpu, requested.memory) == (500, 1 << 30)
    assert requested.allowed_pod_number == 2
    stage.store.delete(("v1", "Pod"), "one", "default", AT_ONCE)
    stage.run("1m")
    assert info.requested.milli_cpu == 200


@pytest.mark.parametrize("value", ["nodes", True, "pod"])
def test_another_declaration_is_refused(value: Any) -> None:
    plugin = type("Packing", (Packing,), {"depends_on": value})
    with pytest.raises(InputError, match=r"depends_on is .*, not \"node\""):
        Stage().add_scheduler(CONFIG, plugins={"Packing": plugin})
