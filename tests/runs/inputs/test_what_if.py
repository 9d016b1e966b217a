"""A recorded cluster, and what would be different."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.objects import gvk
from kubestage.runs import rehearse
from kubestage.runs.compare import compare
from kubestage.runs.compare_options import CompareOptions
from kubestage.runs.run import run
from kubestage.runs.run_options import RunOptions

if TYPE_CHECKING:
    import pathlib

    from kubestage.aliases import Json
    from kubestage.runs.run_result import RunResult


def _node(name: str, zone: str) -> Json:
    return {
        "apiVersion": "v1", "kind": "Node",
        "metadata": {"name": name, "uid": name, "labels": {"topology.kubernetes.io/zone": zone}},
        "status": {
            "allocatable": {"cpu": "4", "memory": "8Gi", "pods": "110"},
            "conditions": [{"type": "Ready", "status": "True"}],
        },
    }  # fmt: skip


def _pod(name: str, node: str, created: int, owner: str = "", **spec: Any) -> Json:
    container = {"name": "c", "image": "i", "resources": {"requests": {"cpu": "1"}}}
    metadata: Json = {
        "name": name, "namespace": "default", "uid": f"uid-{name}", "labels": {"app": name[:1]},
        "creationTimestamp": f"2026-01-01T00:00:{created:02}Z",
    }  # fmt: skip
    if owner:
        reference = {"apiVersion": "apps/v1", "kind": owner, "name": "o", "uid": f"uid-{owner}"}
        metadata["ownerReferences"] = [{**reference, "controller": True}]
    return {
        "apiVersion": "v1", "kind": "Pod", "metadata": metadata,
        "spec": {"containers": [container], "nodeName": node, **spec},
        "status": {"phase": "Running", "qosClass": "Burstable"},
    }  # fmt: skip


_DAEMON_SET = {
    "apiVersion": "apps/v1", "kind": "DaemonSet",
    "metadata": {"name": "o", "namespace": "default", "uid": "uid-DaemonSet"},
    "spec": {
        "selector": {"matchLabels": {"app": "d"}},
        "template": {
            "metadata": {"labels": {"app": "d"}},
            "spec": {"containers": [{"name": "c", "image": "i"}]},
        },
    },
}  # fmt: skip
_PODS = [
    _pod("a-1", "n1", 3), _pod("a-2", "n2", 2), _pod("b-1", "n3", 1),
    _pod("d-1", "n1", 0, owner="DaemonSet"),
]  # fmt: skip


@pytest.fixture
def dump(tmp_path: pathlib.Path) -> str:
    nodes = [_node("n1", "a"), _node("n2", "a"), _node("n3", "b")]
    items = [*nodes, _DAEMON_SET, *_PODS]
    path = tmp_path / "dump.json"
    path.write_text(json.dumps({"apiVersion": "v1", "kind": "List", "items": items}))
    return str(path)


def _placed(result: RunResult) -> dict[str, str]:
    pods = result.stage.store.read(gvk.POD)
    return {key.partition("/")[2]: pod["spec"].get("nodeName", "") for key, pod in pods.items()}


def _attempted(result: RunResult) -> list[str]:
    decisions = result.decisions  # type: ignore[attr-defined]
    return [each.pod.partition("/")[2] for each in decisions]


def test_a_dump_of_placed_pods_names_the_flag(dump: str) -> None:
    result = run(dump)
    assert _attempted(result) == []
    assert any("--reschedule all" in note for note in result.notes)


def test_all_pods_but_those_of_their_nodes_are_scheduled_again(dump: str) -> None:
    result = run(dump, RunOptions(reschedule="all"))
    # Of one priority, in the order of their creation.
    assert _attempted(result) == ["b-1", "a-2", "a-1"]
    assert _placed(result)["d-1"] == "n1"
    assert "3 pods taken off their nodes" in result.notes
    assert not any("--reschedule" in note for note in result.notes)


def test_pods_of_a_selector(dump: str) -> None:
    result = run(dump, RunOptions(reschedule="app=a"))
    assert _attempted(result) == ["a-2", "a-1"]
    assert _placed(result)["b-1"] == "n3"


def _with_priorities(dump: str) -> None:
    with open(dump) as file:
        found = json.load(file)
    for each, priority in zip(found["items"][4:7], (10, 0, 5), strict=True):
        each["spec"]["priority"] = priority
    with open(dump, "w") as file:
        json.dump(found, file)


@pytest.mark.parametrize(
    ("order", "expected"),
    [("priority", ["a-1", "b-1", "a-2"]), ("creation", ["b-1", "a-2", "a-1"])],
)
def test_orders(dump: str, order: Any, expected: list[str]) -> None:
    _with_priorities(dump)
    result = run(dump, RunOptions(reschedule="all", reschedule_order=order))
    assert _attempted(result) == expected


def test_only_pending_ones(dump: str, tmp_path: pathlib.Path) -> None:
    waiting = _pod("w-1", "", 9)
    del waiting["spec"]["nodeName"]
    waiting["status"] = {"phase": "Pending", "nominatedNodeName": "n3"}
    more = tmp_path / "more.json"
    more.write_text(json.dumps(waiting))
    result = run(dump, RunOptions(reschedule="pending", add=(str(more),)))
    assert _attempted(result) == ["w-1"]
    assert "1 pending pod to be scheduled" in result.notes


def test_without_nodes_their_pods_are_scheduled_again(dump: str) -> None:
    result = run(dump, RunOptions(without=("zone/a",)))
    assert _placed(result) == {"a-1": "n3", "a-2": "n3", "b-1": "n3"}
    assert "without 2 nodes (zone/a): 2 pods lost their node" in result.notes


def test_without_an_object_and_what_it_owns(dump: str) -> None:
    result = run(dump, RunOptions(without=("ds/o",)))
    assert "d-1" not in _placed(result)
    assert "without ds/o and 1 object that it owns" in result.notes


def test_nodes_are_added(dump: str) -> None:
    result = run(dump, RunOptions(reschedule="all", without=("all",), nodes=1))
    assert set(_placed(result).values()) == {"node-0"}


def test_workloads_are_scaled(tmp_path: pathlib.Path, dump: str) -> None:
    options = RunOptions(scale=("deployment/web=3",), run_for="1m")
    file = tmp_path / "web.yaml"
    file.write_text(
        "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec:\n"
        "  selector: {matchLabels: {app: web}}\n  template:\n    metadata: {labels: {app: web}}\n"
        "    spec: {containers: [{name: c, image: i}]}\n"
    )
    result = run([dump, str(file)], options)
    assert sum(name.startswith("web-") for name in _placed(result)) == 3
    assert "deployment/web scaled from 1 to 3" in result.notes
    with pytest.raises(InputError, match="only with controllers"):
        run([dump, str(file)], RunOptions(scale=("deployment/web=3",)))


def test_living_pods_are_scheduled_again_and_start(dump: str) -> None:
    result = run(dump, RunOptions(reschedule="all", without=("n2", "n3"), run_for="2m"))
    pods = result.stage.store.read(gvk.POD)
    assert _placed(result)["a-1"] == "n1"
    assert pods["default/a-1"]["status"]["phase"] == "Running"
    assert pods["default/a-1"]["metadata"]["uid"] == "uid-a-1"


def test_time_begins_when_it_is_to(dump: str) -> None:
    result = run(dump, RunOptions(start="2026-02-01T00:00:00Z"))
    assert result.stage.now.startswith("2026-02-01")
    result = run(dump, RunOptions(start="2026-02-01T00:00:00Z", run_for="1m"))
    assert result.stage.now.startswith("2026-02-01T00:01")


def test_a_kept_run_begins_again_at_the_same_time(dump: str, tmp_path: pathlib.Path) -> None:
    kept = tmp_path / "kept"
    options = RunOptions(start="2026-02-01T00:00:00Z", run_for="1m", out=str(kept))
    ended = run(dump, options).stage
    again = rehearse.open_cluster(kept).stage
    assert again.clock.unix_ns - again.clock.now_ns == ended.clock.unix_ns - ended.clock.now_ns


def test_configurations_are_compared_on_it(dump: str, tmp_path: pathlib.Path) -> None:
    packing = tmp_path / "packing.yaml"
    packing.write_text(
        "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n"
        "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n"
        "      scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 100}]}\n"
    )
    options = CompareOptions(configs=("default", str(packing)), reschedule="all")
    compared = compare([dump], options)
    used = next(
        each
        for each in compared.comparison.measures  # type: ignore[union-attr]
        if each.key == "nodesUsed"
    )
    assert used.values[0] == 3
    assert used.values[1] is not None
    assert used.values[1] < 3


@pytest.mark.parametrize(
    ("options", "path", "problem", "fix"),
    [
        ({"without": ("n9",)}, "--without", "no node", "the nodes are n1"),
        ({"without": ("zone/c",)}, "--without", "no zone", "the zones are a, b"),
        ({"without": ("ds/oo",)}, "--without", "no DaemonSet", "did you mean ds/o?"),
        ({"without": ("wat/o",)}, "--without", "", ""),
        ({"scale": ("ds/o=3",)}, "--scale", "has no replicas", "Deployment"),
        ({"scale": ("ds/o",)}, "--scale", "no workload", "deployment/web=20"),
        ({"reschedule": "a=(b"}, "--reschedule", "", "label selector"),
        ({"reschedule_order": "creation"}, "--reschedule-order", "needs --reschedule", "add"),
        ({"start": "soon"}, "--start", "no time", "2026"),
        ({"start": "2020-01-01T00:00:00Z"}, "--start", "before the newest", "or later"),
        ({"reschedule": "all", "reschedule_order": "creation", "run_for": "1m"},
         "--reschedule-order", "no effect with --for", "priority"),
    ],
)  # fmt: skip
def test_errors(dump: str, options: Any, path: str, problem: str, fix: str) -> None:
    with pytest.raises(InputError) as raised:
        run(dump, RunOptions(**options))
    assert raised.value.path == path
    assert problem in raised.value.problem
    assert fix in (raised.value.fix or "")


def test_a_scenario_says_itself_what_happens(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "scenario.yaml"
    file.write_text(
        "apiVersion: simulation.kube-scheduler-simulator.x-k8s.io/v1alpha1\nkind: Scenario\n"
        "metadata: {name: s}\nspec: {events: []}\n"
    )
    with pytest.raises(InputError, match="a Scenario says what happens"):
        run(str(file), RunOptions(reschedule="all"))
