"""Nodes: what their kubelet writes on them, their heartbeats, their failures."""

from __future__ import annotations

import pytest

from kubestage.controllers import leases
from kubestage.controllers.kubelet import progress
from kubestage.objects import timestamps
from tests.controllers.kubelet.clusters import NODE, POD, Cluster, at

STOPPED = {"kubestage.dev/heartbeat": "stopped"}


def renewed(cluster: Cluster, name: str = "n1") -> str:
    found = leases.renewed_at_ns(cluster.lease(name), cluster.stage.clock.unix_ns)
    assert found is not None
    return timestamps.format_time(found)


def annotate(cluster: Cluster, name: str, **notes: str | None) -> None:
    named = {f"kubestage.dev/{key.replace('_', '-')}": text for key, text in notes.items()}
    cluster.store.patch(NODE, name, {"metadata": {"annotations": named}})


def test_a_bare_node_is_registered() -> None:
    cluster = Cluster()
    cluster.node(labels={"kubernetes.io/os": "linux", "disk": "ssd"})
    cluster.run("1s")
    node = cluster.store.get(NODE, "n1")
    assert node["metadata"]["labels"]["kubernetes.io/hostname"] == "n1"
    assert node["metadata"]["labels"]["disk"] == "ssd"
    status = node["status"]
    assert status["allocatable"] == status["capacity"]
    assert status["addresses"] == [
        {"type": "InternalIP", "address": "172.18.0.2"},
        {"type": "Hostname", "address": "n1"},
    ]
    ready = status["conditions"][-1]
    assert (ready["type"], ready["status"], ready["reason"]) == ("Ready", "True", "KubeletReady")
    assert status["nodeInfo"]["kubeletVersion"] == "v1.36.4"
    assert cluster.reasons("n1") == [
        "Starting",
        "NodeAllocatableEnforced",
        "NodeHasSufficientMemory",
        "NodeHasNoDiskPressure",
        "NodeHasSufficientPID",
        "NodeReady",
    ]


def test_what_a_node_says_of_itself_is_kept() -> None:
    cluster = Cluster()
    capacity, allocatable = {"cpu": "8", "memory": "9Gi"}, {"cpu": "7", "memory": "8Gi"}
    given = [{"type": "InternalIP", "address": "192.168.1.5"}]
    cluster.node(
        status={"capacity": capacity, "allocatable": allocatable, "addresses": given},
        spec={"podCIDR": "10.9.8.0/24", "podCIDRs": ["10.9.8.0/24"]},
    )
    cluster.node("n2", status={"capacity": {**capacity, "pods": "5"}, "conditions": _ready("True")})
    cluster.run("1s")
    status = cluster.node_status()
    assert (status["capacity"], status["allocatable"]) == (capacity, allocatable)
    assert status["addresses"][0] == given[0]
    assert cluster.reasons("n2") == []
    assert cluster.lease("n2")
    cluster.pod("b", on="n2")
    cluster.run("5s")
    assert cluster.status("b")["hostIP"] == "172.18.0.2"


def test_pods_get_addresses_of_their_nodes_range_and_those_of_the_host_its_own() -> None:
    cluster = Cluster()
    many = {"capacity": {"cpu": "8", "memory": "9Gi", "pods": "99"}}
    cidr = {"podCIDR": "10.9.8.0/29", "podCIDRs": ["10.9.8.0/29"]}
    cluster.node(status=many, spec=cidr)
    cluster.node("n2", status=many)
    cluster.run("1s")
    for number in range(4):
        cluster.pod(f"a{number}")
        cluster.run("5s")
    cluster.delete("a0")
    cluster.run("5s")
    names = ["b0", "b1", "b2", "b3"]
    for name in names:
        cluster.pod(name)
        cluster.run("5s")
    cluster.pod("host", hostNetwork=True)
    cluster.pod("c", on="n2")
    cluster.run("5s")
    addresses = [cluster.status(name)["podIP"] for name in (*names, "host", "c")]
    assert cluster.status("a3")["podIP"] == "10.9.8.5"
    assert addresses == [
        "10.9.8.6",
        "10.9.8.2",
        "100.64.0.1",
        "100.64.0.2",
        "172.18.0.2",
        "10.244.0.2",
    ]


def _ready(status: str) -> list[dict[str, str]]:
    return [{"type": "Ready", "status": status, "lastTransitionTime": at(0)}]


def test_heartbeats_cost_nothing_and_stop_with_the_node() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.run("1s")
    written = cluster.store.resource_version
    cluster.run("24h")
    assert cluster.store.resource_version == written
    assert cluster.stage.environment.pending_count == 0
    assert renewed(cluster) == "2026-01-02T00:00:00Z"
    annotate(cluster, "n1", heartbeat="stopped")
    cluster.run("1h")
    assert not leases.renews_itself(cluster.lease())
    assert cluster.lease()["spec"]["renewTime"] == "2026-01-02T00:00:00.000000Z"
    annotate(cluster, "n1", heartbeat=None)
    cluster.run("15s")
    assert renewed(cluster) == "2026-01-02T01:00:11Z"


def test_a_lease_goes_with_its_node() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.run("1s")
    cluster.store.delete(NODE, "n1")
    cluster.run("1s")
    assert cluster.store.list(("coordination.k8s.io/v1", "Lease")).items == []


def test_nothing_happens_on_a_silent_node_until_it_is_back() -> None:
    cluster = Cluster(launch_delay="0s")
    cluster.node()
    cluster.pod("old", annotations={"run-duration": "1m", "exit-code": "1"})
    cluster.pod("doomed")
    cluster.run("10s")
    annotate(cluster, "n1", heartbeat="stopped")
    cluster.pod("new")
    cluster.delete("doomed")
    before = cluster.status("old")
    cluster.run("10m")
    assert cluster.status("old") is before
    assert cluster.status("new")["phase"] == "Pending"
    assert cluster.get("doomed") is not None
    patch = {
        "status": {"conditions": [{"type": "Ready", "status": "False", "reason": "NodeNotReady"}]}
    }
    cluster.store.patch(POD, "old", patch, subresource="status")
    annotate(cluster, "n1", heartbeat=None)
    cluster.run("5s")
    assert cluster.container("old")["restartCount"] == 1
    assert cluster.container("old")["lastState"]["terminated"]["finishedAt"] == at(610)
    assert cluster.condition("Ready", "old")["status"] == "True"
    assert cluster.status("new")["phase"] == "Running"
    assert cluster.get("doomed") is None


def test_a_node_that_was_given_up_reports_itself_ready_again() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.run("1s")
    annotate(cluster, "n1", heartbeat="stopped")
    cluster.run("1m")
    status = cluster.node_status()
    unknown = [{**each, "status": "Unknown"} for each in status["conditions"]]
    cluster.store.record_status(NODE, "n1", {**status, "conditions": unknown})
    annotate(cluster, "n1", heartbeat=None)
    cluster.run("1m")
    ready = cluster.node_status()["conditions"][-1]
    assert (ready["status"], ready["lastTransitionTime"]) == ("True", at(61))
    told = list(cluster.store.read(("v1", "Event")).values())
    assert {event["count"] for event in told if event["reason"] == "NodeReady"} == {2}


def test_nodes_fail_and_recover_by_their_annotations_again_and_again() -> None:
    cluster = Cluster()
    notes = {"kubestage.dev/fails-after": "10m", "kubestage.dev/recovers-after": "5m"}
    cluster.node(annotations=notes)
    cluster.run("41m")
    moves = [(at_ms // 60_000, kind) for at_ms, kind, _ in cluster.movements("Node")]
    fails = [(minute, "fail") for minute in (10, 25, 40)]
    recovers = [(minute, "recover") for minute in (15, 30)]
    assert moves == [(0, "register"), *sorted(fails + recovers)]
    assert progress.current_progress(cluster.kubelet).nodes_silent == 1


def test_each_failure_of_a_node_is_drawn_anew() -> None:
    cluster = Cluster(seed=4)
    notes = {"kubestage.dev/fails-after": "exp(1h)", "kubestage.dev/recovers-after": "0s"}
    for name in ("n1", "n2"):
        cluster.node(name, annotations=notes)
    cluster.run("100h")
    times = [at_ms for at_ms, kind, _ in cluster.movements("Node") if kind == "fail"]
    assert 120 < len(times) < 280
    assert len(set(times)) == len(times)


def test_a_node_that_fails_and_recovers_in_no_time_does_not_stop_the_clock() -> None:
    cluster = Cluster()
    notes = {"kubestage.dev/fails-after": "0s", "kubestage.dev/recovers-after": "0s"}
    cluster.node(annotations=notes)
    cluster.run("10500ms")
    assert len([1 for _, kind, _ in cluster.movements("Node") if kind == "fail"]) == 11


def test_a_hand_on_the_switch_counts_more_than_chance() -> None:
    cluster = Cluster()
    cluster.node(
        annotations={"kubestage.dev/fails-after": "10m", "kubestage.dev/recovers-after": "1m"}
    )
    cluster.run("5m")
    annotate(cluster, "n1", heartbeat="stopped")
    cluster.run("1h")
    assert progress.current_progress(cluster.kubelet).nodes_silent == 1
    annotate(cluster, "n1", heartbeat="running")
    cluster.run("9m")
    assert progress.current_progress(cluster.kubelet).nodes_ready == 1
    cluster.run("90s")
    assert progress.current_progress(cluster.kubelet).nodes_silent == 1
    annotate(cluster, "n1", fails_after=None)
    cluster.run("1h")
    assert progress.current_progress(cluster.kubelet).nodes_ready == 1


def test_nodes_that_were_recorded_as_lost_stay_silent_until_told() -> None:
    cluster = Cluster()
    cluster.node(status={"conditions": _ready("Unknown")})
    cluster.pod()
    cluster.run("1h")
    assert cluster.status()["phase"] == "Pending"
    assert cluster.store.list(("coordination.k8s.io/v1", "Lease")).items == []
    annotate(cluster, "n1", heartbeat="running")
    cluster.run("1m")
    assert cluster.status()["phase"] == "Running"


def test_what_cannot_be_read_on_a_node_is_told_and_ignored() -> None:
    cluster = Cluster()
    cluster.node(annotations={"kubestage.dev/fails-after": "someday"})
    cluster.run("1h")
    assert progress.current_progress(cluster.kubelet).nodes_ready == 1
    told = [text for reason, text in cluster.events("n1") if reason == "InvalidAnnotation"]
    assert told[0].startswith("Annotation kubestage.dev/fails-after is ignored: 'someday' cannot")


@pytest.mark.parametrize(("cordoned", "reason"), [(True, "NodeNotSchedulable")])
def test_a_cordon_is_told(cordoned: bool, reason: str) -> None:
    cluster = Cluster()
    cluster.node()
    cluster.run("1s")
    for value in (cordoned, not cordoned):
        cluster.store.patch(NODE, "n1", {"spec": {"unschedulable": value}})
    assert cluster.reasons("n1")[-2:] == [reason, "NodeSchedulable"]


def test_a_node_that_comes_back_under_its_name_has_its_pods() -> None:
    cluster = Cluster()
    cluster.node()
    cluster.pod()
    cluster.run("10s")
    address = cluster.status()["podIP"]
    cluster.store.delete(NODE, "n1")
    cluster.run("1m")
    cluster.node()
    cluster.pod("second")
    cluster.run("10s")
    assert cluster.status()["podIP"] == address
    cluster.delete()
    cluster.run("10s")
    assert cluster.get() is None
    node = cluster.kubelet.nodes.get("n1")
    assert node is not None
    assert node.count == 1


def test_nodes_and_pods_can_be_left_to_kwok() -> None:
    cluster = Cluster(nodes_by_kwok=True, pods_by_kwok=True)
    cluster.node()
    cluster.pod()
    cluster.run("1h")
    assert "conditions" not in cluster.node_status()
    assert cluster.status()["phase"] == "Pending"
    assert cluster.reasons("n1") == []


def test_pods_live_on_nodes_that_are_kwoks() -> None:
    cluster = Cluster(nodes_by_kwok=True)
    cluster.node(status={"capacity": {"cpu": "1", "memory": "1Gi", "pods": "9"}})
    cluster.pod()
    cluster.run("1h")
    assert cluster.status()["phase"] == "Running"
