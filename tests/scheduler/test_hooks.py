"""Hooks of plugins: nodes and pods as they come and go, whatever brought it about."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.scheduler.framework import SUCCESS, unschedulable
from kubestage.stage import Stage
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.scheduler.handle import Handle

AT_ONCE = DeleteOptions(grace_period_seconds=0)
CONFIG = """
apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
- plugins: {multiPoint: {enabled: [{name: Watching}]}}
"""


class Watching:
    """Keeps a diary, and how many pods were ever bound to each node."""

    name = "Watching"

    def __init__(self, args: Any, handle: Handle) -> None:
        self.diary: list[str] = []
        self.handle = handle
        handle.add_column("bound", dtype="int32")
        handle.add_column("heat", dtype=float, width=2, fill=0.5)

    def filter_node(self, state: Any, pod: Any, node: Any) -> Any:
        return unschedulable("never") if pod.labels.get("never") else SUCCESS

    def pre_bind(self, state: Any, pod: Any, node_name: str) -> Any:
        return unschedulable("refused") if pod.labels.get("refused") else SUCCESS

    def on_node(self, node: Any) -> None:
        self.diary.append(f"node {node.name} {node.labels.get('zone', '-')}")

    def on_node_removed(self, node_name: str) -> None:
        self.diary.append(f"node {node_name} gone")

    def on_pod_bound(self, pod: Any, node_name: str) -> None:
        self.diary.append(f"{pod.name} on {node_name}")
        columns = self.handle.columns
        columns.extended("bound")[columns.row_of[node_name]] += 1

    def on_pod_removed(self, pod: Any, node_name: str) -> None:
        self.diary.append(f"{pod.name} off {node_name}")


def own_plugin(stage: Stage) -> Watching:
    assert stage.scheduler is not None
    (found,) = (
        each.plugin.plugin
        for each in stage.scheduler.profiles["default-scheduler"].filter
        if each.name == "Watching"
    )
    plugin: Watching = found
    return plugin


def staged(*objects: Any) -> Stage:
    stage = Stage()
    stage.apply(list(objects))
    stage.add_scheduler(CONFIG, plugins={"Watching": Watching})
    return stage


def bound(stage: Stage) -> dict[str, int]:
    assert stage.scheduler is not None
    columns = stage.scheduler.cache.columns
    return dict(zip(columns.names, columns.extended("bound").tolist(), strict=True))


def test_what_was_there_before_is_announced() -> None:
    stage = staged(make_node("n1"), make_pod("old", node_name="n1"), make_pod("new"))
    stage.run("1s")
    assert own_plugin(stage).diary == ["node n1 -", "old on n1", "new on n1"]


def test_each_change_is_announced_once() -> None:
    stage = staged(make_node("n1"))
    stage.apply([make_pod("web")])
    stage.run("1s")
    store, plugin = stage.store, own_plugin(stage)
    node = store.get(("v1", "Node"), "n1")
    store.update({**node, "metadata": {**node["metadata"], "labels": {"zone": "a"}}})
    pod = store.get(("v1", "Pod"), "web", "default")
    store.update({**pod, "status": {**pod["status"], "phase": "Running"}}, subresource="status")
    store.delete(("v1", "Pod"), "web", "default", AT_ONCE)
    store.delete(("v1", "Node"), "n1")
    assert plugin.diary == [
        "node n1 -", "web on n1", "node n1 a", "web off n1", "node n1 gone",
    ]  # fmt: skip


def test_a_pod_that_ends_is_off_its_node() -> None:
    stage = staged(make_node("n1"), make_pod("job", node_name="n1"))
    pod = stage.store.get(("v1", "Pod"), "job", "default")
    stage.store.update({**pod, "status": {"phase": "Succeeded"}}, subresource="status")
    assert own_plugin(stage).diary[-1] == "job off n1"


@pytest.mark.parametrize("label", ["refused", "never"])
def test_a_pod_that_is_not_bound_is_not_announced(label: str) -> None:
    stage = staged(make_node("n1"))
    stage.apply([make_pod("web", labels={label: "yes"})])
    stage.run("1s")
    stage.store.delete(("v1", "Pod"), "web", "default", AT_ONCE)
    assert own_plugin(stage).diary == ["node n1 -"]


def test_columns_of_a_plugins_own_follow_their_nodes() -> None:
    stage = staged(make_node("n2"), make_node("n3"))
    stage.apply([make_pod("a", node_name="n2"), make_pod("b", node_name="n2")])
    stage.apply([make_pod("c", node_name="n3")])
    assert bound(stage) == {"n2": 2, "n3": 1}
    stage.apply([make_node("n1"), make_node("n0")])
    assert bound(stage) == {"n2": 2, "n3": 1, "n1": 0, "n0": 0}
    stage.store.delete(("v1", "Node"), "n2")
    assert bound(stage) == {"n3": 1, "n1": 0, "n0": 0}
    stage.apply([make_node("n2")])
    assert bound(stage) == {"n3": 1, "n1": 0, "n0": 0, "n2": 0}
    assert stage.scheduler is not None
    heat = stage.scheduler.cache.columns.extended("heat")
    assert (heat.shape, heat.dtype, heat.min(), heat.max()) == ((4, 2), float, 0.5, 0.5)


def test_trials_have_columns_of_their_own() -> None:
    stage = staged(make_node("n1"), make_node("n2"))
    stage.apply([make_pod("a", node_name="n2")])
    assert stage.scheduler is not None
    columns = stage.scheduler.cache.columns
    taken = columns.take([1])
    taken.extended("bound")[0] += 5
    assert taken.extended("bound").tolist() == [6]
    assert bound(stage) == {"n1": 0, "n2": 1}


@pytest.mark.parametrize("way", ["fork", "pickle"])
def test_copies_have_state_of_their_own(way: str) -> None:
    stage = staged(make_node("n1"))
    copied = stage.fork() if way == "fork" else pickle.loads(pickle.dumps(stage))
    copied.apply([make_pod("a", node_name="n1")])
    assert (bound(stage), bound(copied)) == ({"n1": 0}, {"n1": 1})
    assert own_plugin(stage).diary == ["node n1 -"]
    assert own_plugin(copied).diary == ["node n1 -", "a on n1"]


def test_two_definitions_of_a_column_are_refused() -> None:
    class Other(Watching):
        name = "Other"

        def __init__(self, args: Any, handle: Handle) -> None:
            handle.add_column("bound", dtype=float)

    config = CONFIG.replace("{name: Watching}", "{name: Watching}, {name: Other}")
    with pytest.raises(InputError, match='column "bound": another plugin defines column'):
        Stage().add_scheduler(config, plugins={"Watching": Watching, "Other": Other})
