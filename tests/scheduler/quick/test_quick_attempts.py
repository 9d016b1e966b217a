"""A quick attempt ends as the ordinary one would: same node, same counts, same rows, same turn."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.scheduler.quick import kernels
from kubestage.scheduler.quick.attempt import QuickAttempt
from kubestage.scheduler.record import Recording
from kubestage.stage import Stage
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod, make_priority_class, make_service

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.scheduler.scheduler import Scheduler

Json = dict[str, Any]

POD = ("v1", "Pod")
NODE = ("v1", "Node")
NOW = DeleteOptions(grace_period_seconds=0)
PACKING = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- pluginConfig:
  - name: NodeResourcesFit
    args:
      scoringStrategy:
        type: MostAllocated
        resources: [{name: cpu, weight: 3}, {name: memory, weight: 1}]
"""
ANTI_AFFINITY = {
    "podAntiAffinity": {
        "requiredDuringSchedulingIgnoredDuringExecution": [
            {
                "labelSelector": {"matchLabels": {"app": "db"}},
                "topologyKey": "kubernetes.io/hostname",
            }
        ]
    }
}

TEMPLATES: list[Json] = [
    {"cpu": "100m", "memory": "128Mi"},
    {"cpu": "1"},
    {"memory": "2Gi", "labels": {"app": "web"}},
    {"cpu": "250m", "node_selector": {"disk": "ssd"}},
    {"cpu": "100m", "tolerations": [{"key": "gpu", "operator": "Exists"}]},
    {"cpu": "500m", "image": "registry.example/large:1"},
    {"cpu": "200m", "labels": {"app": "db"}, "affinity": ANTI_AFFINITY},
    {"cpu": "3", "priority_class_name": "high"},
    {},
]


def _node(number: int) -> Json:
    labels = {"kubernetes.io/hostname": f"n{number}"} | ({"disk": "ssd"} if number % 2 else {})
    taints = [{"key": "gpu", "effect": "NoSchedule"}] if number % 5 == 4 else []
    node = make_node(f"n{number}", cpu=str(2 + number % 3), memory="8Gi", labels=labels)
    node["spec"] = {"taints": taints} if taints else {}
    if number % 3 == 0:
        image = {"names": ["registry.example/large:1"], "sizeBytes": 800_000_000}
        node["status"]["images"] = [image]
    return node


# What somebody does between attempts, by a number that says with which object.
_STEPS = st.lists(
    st.tuples(
        st.sampled_from(["pods", "pods", "pods", "pods", "delete", "node", "gone", "service"]),
        st.integers(0, 40),
    ),
    min_size=3,
    max_size=14,
)


class _World:
    def __init__(self, configuration: str | None, nodes: int) -> None:
        self.stage = Stage(seed=1)
        self.scheduler = self.stage.add_scheduler(configuration, recording=Recording.DECISIONS)
        self.stage.load([make_priority_class("high", 1000), *map(_node, range(nodes))])
        self.made = 0
        self.nodes = nodes

    def do(self, what: str, number: int) -> None:
        store = self.stage.store
        pods, nodes = list(store.read(POD)), list(store.read(NODE))
        if what == "pods":
            template = TEMPLATES[number % len(TEMPLATES)]
            for _ in range(1 + number % 7):
                self.made += 1
                store.create(make_pod(f"p{self.made}", **template))
        elif what == "delete" and pods:
            namespace, name = pods[number % len(pods)].split("/")
            store.delete(POD, name, namespace, NOW)
        elif what == "node" and nodes:
            name = nodes[number % len(nodes)]
            store.patch(NODE, name, {"metadata": {"labels": {"disk": "ssd", "x": str(number)}}})
        elif what == "gone" and len(nodes) > 1:
            store.delete(NODE, nodes[number % len(nodes)], None, NOW)
        elif what == "service":
            self.made += 1
            store.create(make_service(f"s{self.made}", selector={"app": "web"}))


def _quickly(scheduler: Scheduler) -> None:
    scheduler.run_until_idle()


def _ordinarily(scheduler: Scheduler) -> None:
    while scheduler.schedule_one() is not None:
        pass


def _story(
    steps: list[tuple[str, int]], nodes: int, configuration: str | None, run: Callable[[Any], None]
) -> tuple[Any, ...]:
    world = _World(configuration, nodes)
    for what, number in steps:
        world.do(what, number)
        run(world.scheduler)
    scheduler = world.scheduler
    placed = {key: pod["spec"].get("nodeName") for key, pod in world.stage.store.read(POD).items()}
    return scheduler.record.decisions, placed, scheduler.metrics.exposition()


@settings(max_examples=60, deadline=None)
@given(steps=_STEPS, nodes=st.integers(1, 130), packing=st.booleans(), compiled=st.booleans())
def test_quick_attempts_end_as_ordinary_ones_do(
    steps: list[tuple[str, int]], nodes: int, packing: bool, compiled: bool
) -> None:
    configuration = PACKING if packing else None
    loaded = kernels.Compiled(1 if compiled else 1 << 62)
    with mock.patch.object(kernels, "COMPILED", loaded):
        quick = _story(steps, nodes, configuration, _quickly)
    assert quick == _story(steps, nodes, configuration, _ordinarily)


def _spied(scheduler: Scheduler, monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """Whether each attempt was quick."""
    seen: list[bool] = []
    assume = scheduler._binding.assume

    def spy(number: int, queued: Any, attempt: Any, started_ns: int) -> Any:
        seen.append(isinstance(attempt, QuickAttempt))
        return assume(number, queued, attempt, started_ns)

    monkeypatch.setattr(scheduler._binding, "assume", spy)
    return seen


@pytest.mark.parametrize(
    ("template", "is_quick"),
    [
        ({"cpu": "100m"}, True),
        ({}, True),
        ({"cpu": "100m", "node_selector": {"disk": "ssd"}}, True),
        ({"cpu": "100m", "labels": {"app": "db"}, "affinity": ANTI_AFFINITY}, False),
    ],
)
def test_the_third_pod_of_a_plain_template_is_quick(
    template: Json, is_quick: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    world = _World(None, 20)
    seen = _spied(world.scheduler, monkeypatch)
    for number in range(5):
        world.stage.store.create(make_pod(f"p{number}", **template))
    world.scheduler.run_until_idle()
    assert seen == [False, False, *[is_quick] * 3]


def test_pods_that_a_default_spreads_are_not_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    world = _World(None, 20)
    world.stage.store.create(make_service("web", selector={"app": "web"}))
    seen = _spied(world.scheduler, monkeypatch)
    for number in range(4):
        world.stage.store.create(make_pod(f"p{number}", labels={"app": "web"}))
    world.scheduler.run_until_idle()
    assert seen == [False] * 4


def test_a_plugin_that_only_scores_is_asked_each_time_too(monkeypatch: pytest.MonkeyPatch) -> None:
    scoring_only = PACKING.replace(
        "- pluginConfig:",
        "- plugins: {preFilter: {disabled: [{name: PodTopologySpread}]}, "
        "filter: {disabled: [{name: PodTopologySpread}]}}\n  pluginConfig:",
    )
    world = _World(scoring_only, 20)
    seen = _spied(world.scheduler, monkeypatch)
    for number in range(6):
        if number == 4:
            world.stage.store.create(make_service("web", selector={"app": "web"}))
        world.stage.store.create(make_pod(f"p{number}", labels={"app": "web"}))
        world.scheduler.run_until_idle()
    assert seen == [False, False, True, True, False, False]


def test_what_is_to_be_explained_is_tried_in_the_ordinary_way(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    world = _World(None, 20)
    seen = _spied(world.scheduler, monkeypatch)
    world.scheduler.record.explain_at(4)
    for number in range(5):
        world.stage.store.create(make_pod(f"p{number}", cpu="100m"))
    world.scheduler.run_until_idle()
    assert seen == [False, False, True, False, True]
    assert set(world.scheduler.record.explanations) == {4}


def test_a_plugin_of_ones_own_keeps_attempts_ordinary(monkeypatch: pytest.MonkeyPatch) -> None:
    class Odd:
        name = "Odd"

        def __init__(self, args: Json, handle: Any) -> None:
            pass

        def filter_node(self, state: Any, pod: Any, node: Any) -> Any:
            from kubestage.scheduler.framework import SUCCESS

            return SUCCESS

    stage = Stage()
    enabling = PACKING.replace(
        "- pluginConfig:", "- plugins: {filter: {enabled: [{name: Odd}]}}\n  pluginConfig:"
    )
    scheduler = stage.add_scheduler(enabling, plugins={"Odd": Odd})
    stage.load(map(_node, range(4)))
    seen = _spied(scheduler, monkeypatch)
    for number in range(4):
        stage.store.create(make_pod(f"p{number}"))
    scheduler.run_until_idle()
    assert seen == [False] * 4


def test_a_fork_goes_on_with_what_was_kept() -> None:
    world = _World(None, 30)
    for number in range(8):
        world.stage.store.create(make_pod(f"p{number}", cpu="100m"))
    world.scheduler.run_until_idle()
    copy: Stage = pickle.loads(pickle.dumps(world.stage))
    for stage in (world.stage, copy):
        assert stage.scheduler is not None
        stage.store.create(make_pod("late", cpu="100m"))
        stage.scheduler.run_until_idle()
    one, two = (stage.store.get(POD, "late")["spec"]["nodeName"] for stage in (world.stage, copy))
    assert one == two
