"""Pods on nodes that are there: in their order, as long as everything suits."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter import labels
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.scheduling.passes import (
    Pass,
    expression,
    node,
    pod,
    required,
    spread,
)


def _starting(name: str, **spec: Any) -> list[Json]:
    """A node that has registered, but is not initialized."""
    claim, made = node(name, **spec)
    del made["metadata"]["labels"]["karpenter.sh/initialized"]
    claim["status"]["allocatable"] = {"cpu": "4", "memory": "16Gi", "pods": "110"}
    claim["status"]["capacity"] = claim["status"]["allocatable"]
    made["status"]["allocatable"] = {}
    return [claim, made]


def test_nodes_are_filled_by_name_and_those_that_start_come_last() -> None:
    cluster = [*_starting("node-a"), *node("node-b"), *node("node-c")]
    pods = [pod(f"p{number}", cpu="3") for number in range(4)]
    found = Pass([*cluster, *pods])
    assert found.existing == {"node-b": ["p0"], "node-c": ["p1"], "node-a": ["p2"]}
    assert found.new == [["p3"]]
    assert found.events[0].message == "Pod should schedule on: nodeclaim/node-b, node/node-b"


def test_a_node_claim_without_a_node_counts_too() -> None:
    claim = objects.node_claim("claim", objects.labels("m.4"))
    claim["status"]["allocatable"] = {"cpu": "4", "memory": "16Gi", "pods": "110"}
    found = Pass([claim, pod("p", cpu="3")])
    assert found.existing == {"claim": ["p"]}
    assert found.events[0].message == "Pod should schedule on: nodeclaim/claim"


@pytest.mark.parametrize(
    ("taint", "fits"),
    [
        ({"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}, True),
        ({"key": "readiness.k8s.io/network", "effect": "NoSchedule"}, True),
        ({"key": "startup", "effect": "NoSchedule"}, True),
        ({"key": "other", "effect": "NoSchedule"}, False),
    ],
)
def test_taints_that_pass_while_a_node_starts_do_not_matter(taint: Json, fits: bool) -> None:
    claim, made = _starting("node-a", taints=[taint])
    claim["spec"]["startupTaints"] = [{"key": "startup", "effect": "NoSchedule"}]
    assert bool(Pass([claim, made, pod("p")]).existing) is fits
    if taint["key"] != "startup":
        assert not Pass([*node("node-a", taints=[taint]), pod("p")]).existing


def test_what_daemon_sets_still_want_is_kept_free() -> None:
    container = {"name": "c", "resources": {"requests": {"cpu": "2"}}}
    daemon = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "d", "namespace": "default", "uid": "uid-d"},
        "spec": {"template": {"metadata": {}, "spec": {"containers": [container]}}},
    }
    waiting = pod("p", cpu="3")
    assert Pass([*node("node-a"), daemon, waiting]).existing == {}
    there = objects.pod("d-1", "node-a", cpu="1")
    there["metadata"]["ownerReferences"] = [
        {
            "apiVersion": "apps/v1",
            "kind": "DaemonSet",
            "name": "d",
            "uid": "uid-d",
            "controller": True,
        }
    ]
    # Its pod asks for less than its template by now, and what counts is what the newest pod asks.
    assert Pass([*node("node-a"), daemon, there, waiting]).existing == {"node-a": ["p"]}


def test_a_resource_that_no_node_has_needs_a_new_one() -> None:
    wants = {"requests": {"cpu": "1", "example.com/gpu": "1"}}
    nothing = {"requests": {"cpu": "1", "example.com/gpu": "0"}}
    cluster = node("node-a")
    assert not Pass([*cluster, pod("p", containers=[{"name": "c", "resources": wants}])]).existing
    assert Pass([*cluster, pod("p", containers=[{"name": "c", "resources": nothing}])]).existing


def test_host_ports_on_a_node_are_taken_once() -> None:
    ports = [{"containerPort": 80, "hostPort": 80, "protocol": "TCP"}]
    other = [{"containerPort": 80, "hostPort": 80, "protocol": "UDP"}]
    taken = objects.pod("taken", "node-a", cpu="100m")
    taken["spec"]["containers"][0]["ports"] = ports
    cluster = [*node("node-a"), taken]
    same = pod("p", containers=[{"name": "c", "ports": ports, "resources": {}}])
    udp = pod("p", containers=[{"name": "c", "ports": other, "resources": {}}])
    assert not Pass([*cluster, same]).existing
    assert Pass([*cluster, udp]).existing == {"node-a": ["p"]}
    everywhere = [{**ports[0], "hostIP": "::"}]
    six = pod("p", containers=[{"name": "c", "ports": everywhere, "resources": {}}])
    assert not Pass([*cluster, six]).existing
    twice = pod("q", containers=[{"name": "c", "ports": other, "resources": {}}])
    assert Pass([*cluster, udp, twice]).existing == {"node-a": ["p"]}


def _volume(name: str) -> list[Json]:
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"storageClassName": "fast"},
    }
    storage_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": "fast"},
        "provisioner": "csi.example.com",
        "volumeBindingMode": "WaitForFirstConsumer",
    }
    return [claim, storage_class]


def _with_volume(name: str, node_name: str = "") -> Json:
    made = objects.pod(name, node_name, cpu="100m")
    made["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": name}}]
    return made


@pytest.mark.parametrize(("limit", "placed"), [(1, False), (2, True)])
def test_volumes_are_mounted_up_to_the_limit_of_the_driver(limit: int, placed: bool) -> None:
    csi_node = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "CSINode",
        "metadata": {"name": "node-a"},
        "spec": {"drivers": [{"name": "csi.example.com", "allocatable": {"count": limit}}]},
    }
    mounted = [*_volume("old"), _with_volume("old", "node-a")]
    waiting = [*_volume("new"), _with_volume("new")]
    found = Pass([*node("node-a"), csi_node, *mounted, *waiting])
    assert bool(found.existing) is placed
    assert bool(found.new) is not placed


def test_a_pod_whose_volume_is_lost_goes_to_no_node_that_is_there() -> None:
    """It is unknown how it mounts there; a new node has no limits yet."""
    going, made = node("node-b")
    going["metadata"]["deletionTimestamp"] = objects.CREATED
    claim, storage_class = _volume("data")
    moved = _with_volume("data", "node-b")
    cluster = [*node("node-a"), going, made, storage_class, moved]
    assert Pass([*cluster, claim]).existing == {"node-a": ["data"]}
    claim["spec"]["volumeName"] = "lost"
    found = Pass([*cluster, claim])
    assert (found.existing, found.new) == ({}, [["data"]])


def test_a_label_counts_as_known_once_a_pod_says_what_it_must_not_be() -> None:
    # So does the real one, if by accident.
    negative = pod("a", cpu="2", affinity=required(expression("team", "NotIn", "x")))
    positive = pod("b", nodeSelector={"team": "y"})
    assert Pass([*node("node-a"), positive]).existing == {}
    assert Pass([*node("node-a"), negative, positive]).existing == {"node-a": ["a", "b"]}
    first = pod("c", cpu="3", nodeSelector={"team": "y"})
    small = pod("d", cpu="1", affinity=required(expression("team", "NotIn", "x")))
    assert Pass([*node("node-a"), first, small]).existing == {"node-a": ["d", "c"]}


def test_pods_of_nodes_that_go_are_scheduled_elsewhere() -> None:
    claim, made = node("node-a")
    claim["metadata"]["deletionTimestamp"] = objects.CREATED
    found = Pass([claim, made, objects.pod("p", "node-a")])
    assert found.existing == {}
    assert found.new == [["p"]]


def test_a_zone_that_only_a_node_has_counts_for_a_spread() -> None:
    constraint = spread(labels.ZONE)
    cluster = node("node-a", "zone-9", cpu="1")
    pods = [pod(f"p{number}", topologySpreadConstraints=[constraint]) for number in range(3)]
    there = objects.pod("there", "node-a", cpu="100m", labels={"app": "other"})
    found = Pass([*cluster, there, *pods])
    # The third has to wait for one in zone-9, where there is no room.
    assert sorted(found.zones()) == [["zone-1"], ["zone-2"]]
    assert "topology.kubernetes.io/zone In [zone-9]" in found.errors["p2"]


def test_a_node_that_is_overdrawn_takes_nothing() -> None:
    crowded = [*node("node-a", cpu="1"), objects.pod("big", "node-a", cpu="2")]
    only_memory = pod("p", containers=[{"name": "c", "resources": {"requests": {"memory": "1Mi"}}}])
    assert Pass([*crowded, only_memory]).existing == {}
    assert Pass([*node("node-a", cpu="1"), only_memory]).existing == {"node-a": ["p"]}
