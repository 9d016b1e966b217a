from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.karpenter import static_pools
from kubestage.controllers.karpenter.state.cluster_state import ClusterState
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.disruption.clusters import bench, machine, names

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _pool(replicas: int, **spec: Any) -> Json:
    return objects.node_pool(replicas=replicas, **spec)


def _cluster(*listed: Json) -> ClusterState:
    return ClusterState(listed, objects.START_NS)


def _drifted(name: str) -> list[Json]:
    listed = machine(name, pods=1)
    listed[0]["status"]["conditions"].append(
        {"type": "Drifted", "status": "True", "lastTransitionTime": objects.CREATED}
    )
    return listed


def test_missing_nodes_are_made_within_the_limit() -> None:
    cluster = _cluster(*machine("a"), *machine("b"))
    assert static_pools.to_provision(cluster, _pool(5)) == 3
    assert static_pools.to_provision(cluster, _pool(5, limits={"nodes": "4"})) == 2
    assert static_pools.to_provision(cluster, _pool(2)) == 0
    cluster.mark_for_deletion(["sim://a"])
    assert static_pools.counts(cluster, "default") == (1, 1)
    assert static_pools.to_provision(cluster, _pool(2)) == 1
    assert static_pools.to_provision(cluster, _pool(2, limits={"nodes": "2"})) == 0


def test_surplus_nodes_go_in_order() -> None:
    unlaunched = objects.node_claim("z", objects.labels("m.4"))
    del unlaunched["status"]["providerID"]
    held = machine("c", pods=1)
    held[2]["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
    cluster = _cluster(
        *held, *machine("a", pods=2), *machine("b", pods=1), *machine("d"), unlaunched
    )
    surplus = static_pools.to_deprovision(cluster, _pool(0))
    assert [claim["metadata"]["name"] for claim in surplus] == ["z", "d", "b", "a", "c"]
    assert len(static_pools.to_deprovision(cluster, _pool(3))) == 2
    assert static_pools.to_deprovision(cluster, _pool(5)) == []


def test_drifted_nodes_are_replaced_each_by_its_own_command() -> None:
    pool = _pool(3)
    pool["spec"]["disruption"]["budgets"] = [{"nodes": "2"}]
    found = bench(pool, *_drifted("a"), *_drifted("b"), *_drifted("c")).round()
    assert names(found) == [["a"], ["b"]]
    assert [command.decision for command in found.commands] == ["replace", "replace"]
    assert found.commands[0].replacements[0].instance_types == []


def test_drift_waits_for_surplus_nodes_to_go_and_for_room_below_the_limit() -> None:
    listed = [*_drifted("a"), *_drifted("b")]
    assert bench(_pool(1), *listed).round().commands == []
    assert bench(_pool(2, limits={"nodes": "2"}), *listed).round().commands == []
    assert names(bench(_pool(2, limits={"nodes": "3"}), *listed).round()) == [["a"]]


def test_static_nodes_are_not_consolidated() -> None:
    cluster = bench(_pool(2), *machine("a"), *machine("b", "m.16", 1))
    assert cluster.round().commands == []
    assert cluster.messages == []
