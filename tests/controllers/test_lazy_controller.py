from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, Final

import hypothesis
import pytest

from kubestage.controllers import registry
from kubestage.controllers.controller import ANY
from kubestage.controllers.lazy_controller import LazyController, Placeholder
from kubestage.stage import Stage
from tests.controllers.worlds import manifests, strategies
from tests.controllers.worlds.chronicle import BUSY, EVENTFUL, Chronicle
from tests.controllers.worlds.world import Operation, World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.controller import Loop

LAZY: Final = registry.ALL
LOADED: Final = [each.load() for each in LAZY]
_LOADED: Final = """
import sys
from kubestage.stage import Stage
stage = Stage()
stage.load([{"apiVersion": "v1", "kind": "Node", "metadata": {"name": "a"}}])
stage.add_scheduler()
stage.add_controllers()
stage.run("1m")
rooms = {n: m for n, m in sys.modules.items() if n.startswith("kubestage.controllers.")}
print(*(name for name, module in rooms.items() if type(module) is type(sys)))
"""


def _asleep(stage: Stage) -> set[str]:
    assert stage.controllers is not None
    return {each.name for each in stage.controllers.controllers if isinstance(each, Placeholder)}


def _pod(**parts: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "a", "image": "a"}], **parts.pop("spec", {})}
    metadata = {"name": "a", "namespace": "default", **parts}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def _result(story: list[Operation], loops: Sequence[Loop]) -> tuple[Any, ...]:
    world = World(3, loops=loops)
    record = Chronicle(world.stage)
    world.perform([*story, ("wait", "2h")])
    # A collection that is only read exists as well, and means nothing.
    kinds = [each.kind.kind for each in world.stage.store.collections() if each.objects]
    return record.count, record.digest, world.stage.environment.completed_count, kinds


@pytest.mark.parametrize("lazy", LAZY, ids=lambda each: each.name)
def test_what_stands_for_a_loop_has_its_name_and_waits_for_kinds_that_it_hears_of(
    lazy: LazyController,
) -> None:
    stage = Stage()
    stage.add_controllers(loops=[lazy.load()])
    assert stage.controllers is not None
    (loop,) = stage.controllers.controllers
    assert lazy.name == loop.name
    heard = loop.handlers().keys()
    assert ANY in heard or heard >= set(lazy.kinds)


def test_a_cluster_of_nodes_loads_no_loop_of_workloads() -> None:
    run = subprocess.run(
        [sys.executable, "-c", _LOADED], capture_output=True, text=True, check=True
    )
    loaded = {name.removeprefix("kubestage.controllers.") for name in run.stdout.split()}
    assert {"kubelet.loop", "node_lifecycle.loop"} <= loaded
    assert not {"deployment.loop", "job.loop", "volumes.binder", "kwok.player"} & loaded


def test_a_loop_wakes_with_the_first_object_that_concerns_it() -> None:
    stage = Stage()
    stage.add_controllers()
    before = _asleep(stage)
    assert {"deployment-controller", "replicaset-controller"} <= before
    stage.apply([manifests.deployment("web", 2)])
    assert before - _asleep(stage) == {"deployment-controller"}
    stage.run("1s")
    assert before - _asleep(stage) == {"deployment-controller", "replicaset-controller"}
    assert len(stage.store.read(("v1", "Pod"))) == 2


@pytest.mark.parametrize(
    ("pod", "name"),
    [
        (_pod(finalizers=["batch.kubernetes.io/job-tracking"]), "job-controller"),
        (
            _pod(spec={"volumes": [{"name": "v", "persistentVolumeClaim": {"claimName": "c"}}]}),
            "pvc-protection-controller",
        ),
    ],
)
def test_of_pods_only_those_wake_a_loop_that_it_may_have_to_do_with(
    pod: dict[str, Any], name: str
) -> None:
    for found, is_asleep in ((_pod(), True), (pod, False)):
        there = Stage()
        there.load([found])
        there.add_controllers()
        assert (name in _asleep(there)) is is_asleep
        comes = Stage()
        comes.add_controllers()
        comes.load([found])
        assert (name in _asleep(comes)) is is_asleep


def test_a_fork_of_a_cluster_whose_loops_sleep_goes_on_identically() -> None:
    world = World(nodes=3)
    fork = world.stage.fork()
    assert _asleep(fork) == _asleep(world.stage) != set()
    told = []
    for stage in (world.stage, fork):
        record = Chronicle(stage)
        stage.apply([manifests.deployment("web", 3), manifests.stateful_set("db", 2)])
        stage.run("1h")
        told.append((record.count, record.digest))
    assert told[0] == told[1]


def test_a_loop_that_wakes_late_does_what_one_does_that_was_awake() -> None:
    story: list[Operation] = [*BUSY, *EVENTFUL]
    assert _result(story, LAZY) == _result(story, LOADED)


@hypothesis.given(story=strategies.stories(made=6, done=8))
@hypothesis.settings(max_examples=hypothesis.settings().max_examples // 10)
def test_in_any_story_loops_may_wake_late(story: list[Operation]) -> None:
    assert _result(story, LAZY) == _result(story, LOADED)
