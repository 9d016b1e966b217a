from __future__ import annotations

import pickle

from kubestage.aliases import Json
from kubestage.controllers.karpenter.state.cluster_state import ClusterState
from kubestage.units import MINUTE_NS
from tests.controllers.karpenter import objects

NOW_NS = objects.START_NS
GI = 1000 << 30


def _cluster(*more: Json) -> ClusterState:
    stated = objects.labels("m.4")
    return ClusterState([objects.node_claim("a", stated), objects.node("a", stated), *more], NOW_NS)


def test_a_node_and_its_node_claim_are_one_machine() -> None:
    (found,) = _cluster(objects.pod("p", "a")).nodes()
    assert (found.name, found.provider_id, found.node_pool) == ("a", "sim://a", "default")
    assert found.managed
    assert found.initialized
    assert found.available == {"cpu": 3000, "memory": 15 * GI, "pods": 109_000}
    assert found.disruption_cost == 2.0


def test_before_it_is_registered_a_node_is_what_its_node_claim_promises() -> None:
    claim = objects.node_claim("a-claim", objects.labels("m.4"))
    claim["spec"]["taints"] = [{"key": "own", "effect": "NoSchedule"}]
    claim["spec"]["startupTaints"] = [{"key": "starting", "effect": "NoSchedule"}]
    claim["status"]["providerID"] = "sim://a"
    claim["status"]["allocatable"] = {"cpu": "3900m", "memory": "15Gi"}
    cluster = ClusterState([claim], NOW_NS)
    (launched,) = cluster.nodes()
    assert (launched.name, launched.registered) == ("a-claim", False)
    assert launched.available == {"cpu": 3900, "memory": 15 * GI}
    node = objects.node("a", objects.labels("m.4"))
    del node["metadata"]["labels"]["karpenter.sh/initialized"]
    node["status"]["allocatable"] = {"cpu": "0", "memory": "14Gi"}
    node["spec"]["taints"] = [
        {"key": "starting", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"},
        {"key": "readiness.k8s.io/storage", "effect": "NoSchedule"},
        {"key": "own", "effect": "NoSchedule"},
    ]
    cluster.update(node)
    (registered,) = cluster.nodes()
    assert (registered.name, registered.initialized) == ("a", False)
    assert registered.available == {"cpu": 3900, "memory": 14 * GI}
    assert registered.taints == [{"key": "own", "effect": "NoSchedule"}]


def test_pods_that_have_ended_use_nothing_but_are_still_there() -> None:
    ended = objects.pod("p", "a")
    ended["status"]["phase"] = "Succeeded"
    (found,) = _cluster(ended).nodes()
    assert found.available["cpu"] == 4000
    assert found.pods == [ended]


def test_pods_are_listed_by_namespace_and_name() -> None:
    pods = [objects.pod(name, "a", namespace=place) for place, name in (("x-y", "p"), ("x", "q"))]
    (found,) = _cluster(*pods).nodes()
    assert [pod["metadata"]["namespace"] for pod in found.pods] == ["x", "x-y"]


def test_a_pod_that_moves_leaves_its_node() -> None:
    stated = objects.labels("m.4")
    cluster = _cluster(
        objects.node_claim("b", stated), objects.node("b", stated), objects.pod("p", "a")
    )
    cluster.update(objects.pod("p", "b"))
    assert [len(node.pods) for node in cluster.nodes()] == [0, 1]
    cluster.delete("Pod", "p", "default")
    assert [len(node.pods) for node in cluster.nodes()] == [0, 0]


def test_daemons_are_counted_apart() -> None:
    owner = {"apiVersion": "apps/v1", "kind": "DaemonSet", "name": "d", "controller": True}
    (found,) = _cluster(objects.pod("p", "a", ownerReferences=[owner])).nodes()
    assert found.daemon_requests == found.pod_requests
    assert found.disruption_cost == 1.0


def test_a_machine_is_gone_when_both_objects_are() -> None:
    cluster = _cluster()
    cluster.delete("NodeClaim", "a")
    (left,) = cluster.nodes()
    assert not left.managed
    cluster.delete("Node", "a")
    assert cluster.nodes() == []


def test_a_node_without_provider_id_counts_only_if_others_manage_it() -> None:
    foreign = objects.node("b", {})
    del foreign["spec"]["providerID"]
    unlaunched = objects.node("c", objects.labels("m.4"))
    del unlaunched["spec"]["providerID"]
    assert [node.provider_id for node in _cluster(foreign, unlaunched).nodes()] == [
        "b",
        "sim://a",
    ]


def test_marked_nodes_do_not_count_for_their_node_pool() -> None:
    cluster = _cluster()
    assert cluster.node_pool_resources("default") == {
        "cpu": 4000,
        "memory": 16 * GI,
        "pods": 110_000,
        "nodes": 1000,
    }
    cluster.mark_for_deletion(["sim://a"])
    assert cluster.node_pool_resources("default") == {}


def test_the_cluster_is_synced_once_all_node_claims_are_launched() -> None:
    claim = objects.node_claim("b", objects.labels("m.4"))
    del claim["status"]["providerID"]
    assert not _cluster(claim).synced
    assert _cluster().synced


def test_what_may_make_consolidation_possible_is_noticed() -> None:
    cluster = _cluster(objects.pod("p", "a"))
    seen = cluster.consolidation_state()
    cluster.now_ns += MINUTE_NS
    cluster.update(objects.pod("p", "a"))
    assert cluster.consolidation_state() == seen
    cluster.update(objects.pod("q", "a"))
    later = cluster.consolidation_state()
    assert later != seen
    cluster.now_ns += 5 * MINUTE_NS - 1
    assert cluster.consolidation_state() == later
    cluster.now_ns += 1
    assert cluster.consolidation_state() != later


def test_host_ports_and_volumes_of_pods_are_known() -> None:
    storage = {"kind": "StorageClass", "metadata": {"name": "fast"}, "provisioner": "csi.example"}
    claim = {
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default"},
        "spec": {"storageClassName": "fast"},
    }
    pod = objects.pod("p", "a")
    pod["spec"]["volumes"] = [{"name": "v", "persistentVolumeClaim": {"claimName": "data"}}]
    pod["spec"]["containers"][0]["ports"] = [{"hostPort": 80}]
    csi_node = {
        "kind": "CSINode",
        "metadata": {"name": "a"},
        "spec": {"drivers": [{"name": "csi.example", "allocatable": {"count": 3}}]},
    }
    (found,) = _cluster(pod, storage, claim, csi_node).nodes()
    assert found.volumes == {"csi.example": frozenset({"default/data"})}
    assert found.volume_limits == {"csi.example": 3}
    assert [(user.port.port, user.pod) for user in found.port_users] == [(80, "default/p")]


def test_it_pickles() -> None:
    cluster = _cluster(objects.pod("p", "a"))
    again = pickle.loads(pickle.dumps(cluster))
    assert [node.available for node in again.nodes()] == [
        node.available for node in cluster.nodes()
    ]


def test_the_status_of_a_node_pool_makes_nothing_consolidatable() -> None:
    """Its counters change whenever nodes come and go; only what it demands matters."""
    cluster = ClusterState([objects.node_pool()], objects.START_NS)
    before = cluster.consolidation_state()
    pool = objects.node_pool()
    cluster.update({**pool, "status": {**pool["status"], "nodes": 3}})
    assert cluster.consolidation_state() == before
    cluster.update(objects.node_pool(weight=7))
    assert cluster.consolidation_state() != before


def test_the_last_pod_of_a_daemon_set_stands_for_it_when_it_has_gone() -> None:
    metadata = {"name": "agent", "namespace": "default", "uid": "1"}
    agent = {"kind": "DaemonSet", "metadata": metadata}
    owner = {"kind": "DaemonSet", "name": "agent", "uid": "1", "controller": True}
    pod = objects.pod("agent-a", "a", cpu="3", ownerReferences=[owner])
    cluster = _cluster(pod)
    assert cluster.daemon_pod(agent) is pod
    cluster.delete("Pod", "agent-a", "default")
    assert cluster.daemon_pod(agent) is pod
    again = {**agent, "metadata": {**metadata, "uid": "2"}}
    assert cluster.daemon_pod(again) is None
