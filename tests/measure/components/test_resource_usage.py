"""ResourceUsageSummary asks kubelets and tells percentiles of what containers use."""

from __future__ import annotations

import json
from typing import Any

import pytest

from kubestage.cluster.access import Page
from kubestage.measure.components import resource_usage
from kubestage.measure.facilities import Facilities
from tests.measure.components.measured import Measured, document, node, pod

PAGE = "/api/v1/nodes/{}/proxy/stats/summary?only_cpu_and_memory=true"


def stats(name: str, cores: float, held: int) -> dict[str, Any]:
    return {
        "name": name,
        "cpu": {"usageNanoCores": round(cores * 1e9)},
        "memory": {"workingSetBytes": held},
    }


def page(*containers: dict[str, Any], system: tuple[dict[str, Any], ...] = ()) -> Page:
    pods = [
        {"podRef": {"name": f"{each['name']}-pod"}, "containers": [each]} for each in containers
    ]
    return Page(200, json.dumps({"node": {"systemContainers": list(system)}, "pods": pods}))


def system_pod(container: str, place: str, owner: str = "") -> dict[str, Any]:
    meta = {"ownerReferences": [{"kind": owner, "controller": True}]} if owner else {}
    return pod(
        f"{container}-pod",
        metadata=meta,
        spec={"nodeName": place},
        status={"containerStatuses": [{"name": container}]},
    )


def real(nodes: int = 2, **more: Any) -> Measured:
    measured = Measured(
        "ResourceUsageSummary", is_stage=False, facilities=Facilities(nodes=nodes, **more)
    )
    for name in ("n1", "n2"):
        measured.cluster.put(node(name))
    return measured


def test_percentiles_are_of_each_container_by_nearest_rank() -> None:
    measured = real()
    measured.cluster.put(system_pod("dns", "n1"))
    for step in range(1, 5):
        held = page(
            stats("dns", step / 8, step * 100),
            stats("other", 9, 9),
            system=(stats("kubelet", 0.5, 7),),
        )
        measured.cluster.pages[PAGE.format("n1")] = held
        if step == 1:
            measured.perform("start")
        else:
            measured.cluster.moments.run(60)
    outcome = measured.perform("gather")
    kubelet = {"Name": "n1/kubelet", "CPU": 0.5, "Mem": 7}
    assert document(outcome) == {
        "100": [{"Name": "dns-pod/dns", "CPU": 0.5, "Mem": 400}, kubelet],
        "50": [{"Name": "dns-pod/dns", "CPU": 0.25, "Mem": 200}, kubelet],
        "90": [{"Name": "dns-pod/dns", "CPU": 0.5, "Mem": 400}, kubelet],
        "99": [{"Name": "dns-pod/dns", "CPU": 0.5, "Mem": 400}, kubelet],
    }
    assert list(document(outcome)) == ["100", "50", "90", "99"]
    assert outcome.warnings == ("ResourceUsageSummary: node n2 answered 404",)


def test_nodes_are_asked_in_turn_each_once_a_minute_and_masters_every_ten_seconds() -> None:
    measured = real()
    measured.cluster.put(node("m", role=True))
    asked: list[tuple[int, str]] = []
    raw = measured.cluster.raw

    def ask(path: str, done: Any) -> None:
        asked.append((round(measured.cluster.moments.now_ns / 1e9), path.split("/")[4]))
        raw(path, done)

    measured.cluster.raw = ask  # type: ignore[method-assign]
    measured.perform("start", seconds=0)
    measured.cluster.moments.run(65)
    assert [at for at, name in asked if name == "n1"] == [0, 60]
    assert [at for at, name in asked if name == "n2"] == [20]
    assert [at for at, name in asked if name == "m"] == [40, 50, 60]
    measured.measurements.dispose()
    assert measured.cluster.moments.pending == 0


@pytest.mark.parametrize(
    ("nodes", "asked"), [(resource_usage.MOST_NODES, ["n1", "n2"]), (1001, ["n2"])]
)
def test_in_a_large_cluster_nodes_that_have_only_daemons_are_not_asked(
    nodes: int, asked: list[str]
) -> None:
    measured = real(nodes)
    measured.cluster.put(system_pod("proxy", "n1", "DaemonSet"))
    measured.cluster.put(system_pod("dns", "n2", "ReplicaSet"))
    for name in ("n1", "n2"):
        held = page(system=(stats("kubelet", 1, 1),))
        measured.cluster.pages[PAGE.format(name)] = held
    measured.perform("start")
    measured.cluster.moments.run(60)
    rows = document(measured.perform("gather"))["99"]
    assert [row["Name"].partition("/")[0] for row in rows] == asked


def test_on_a_stage_the_modelled_control_plane_is_asked_too() -> None:
    measured = Measured("ResourceUsageSummary")
    measured.cluster.put(node("n1"))
    held = page(stats("kube-apiserver", 1, 1), stats("etcd-container", 1, 1))
    measured.cluster.pages[PAGE.format("master")] = held
    measured.perform("start")
    rows = document(measured.perform("gather"))["50"]
    assert [row["Name"] for row in rows] == [
        "etcd-container-pod/etcd-container",
        "kube-apiserver-pod/kube-apiserver",
    ]


def limits(path: str, mapping: Any) -> list[dict[str, Any]]:
    assert path == "limits.yaml"
    return [
        {
            "dns": {"cpuConstraint": 0.25, "memoryConstraint": 1024 * 1024 * mapping["Nodes"]},
            "unused": {"cpuConstraint": 1},
        }
    ]


def used(cores: float, held: int) -> Measured:
    measured = real(objects=limits)
    measured.cluster.put(system_pod("dns", "n1"))
    measured.cluster.pages[PAGE.format("n1")] = page(stats("dns", cores, held))
    measured.perform("start", resourceConstraints="limits.yaml")
    return measured


def test_constraints_of_a_file_are_judged() -> None:
    outcome = used(0.25, 2 * 1024 * 1024).perform("gather")
    assert not outcome.errors
    assert [verdict.passed for verdict in outcome.verdicts] == [True, True]
    (error,) = used(0.5, 3 * 1024 * 1024).perform("gather").errors
    assert error == (
        "resource constraints: 2 constraints violated: "
        "[container dns-pod/dns is using 0.5/0.25 CPU "
        "container dns-pod/dns is using 3/2 MB of memory]"
    )


def test_constraints_that_cannot_be_read_are_refused() -> None:
    measured = real(objects=lambda path, mapping: [{"dns": {"cpuConstraint": "much"}}])
    (error,) = measured.perform("start", resourceConstraints="limits.yaml").errors
    assert "limits.yaml" in error
    assert "cpuConstraint" in error
    (error,) = real().perform("start", resourceConstraints="limits.yaml").errors
    assert "params.resourceConstraints" in error


def test_gathering_without_a_start_is_no_error() -> None:
    outcome = real().perform("gather")
    assert not outcome.errors
    assert not outcome.summaries
    assert outcome.skipped == "it is not started"


def test_a_page_that_is_no_summary_is_told_and_passed_over() -> None:
    measured = real()
    measured.cluster.pages[PAGE.format("n1")] = Page(200, "<html>")
    measured.perform("start")
    outcome = measured.perform("gather")
    assert document(outcome) == {}
    assert "n1" in outcome.warnings[0]


def test_the_99th_percentile_is_judged() -> None:
    measured = used(0.125, 1)
    for cores in (0.125, 0.125, 0.5):
        measured.cluster.pages[PAGE.format("n1")] = page(stats("dns", cores, 1))
        measured.cluster.moments.run(60)
    assert measured.perform("gather").errors


def test_a_container_that_says_half_of_it_is_passed_over() -> None:
    measured = real()
    measured.cluster.put(system_pod("dns", "n1"))
    held = page({"name": "dns", "cpu": {}}, system=({"name": "kubelet", "cpu": {}, "memory": {}},))
    measured.cluster.pages[PAGE.format("n1")] = held
    measured.perform("start")
    rows = document(measured.perform("gather"))["50"]
    assert rows == [{"Name": "n1/kubelet", "CPU": 0, "Mem": 0}]
