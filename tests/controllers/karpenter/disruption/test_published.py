"""What rounds publish where little is decided: the words upstream uses, and when it uses none."""

from __future__ import annotations

from tests.controllers.karpenter import objects
from tests.controllers.karpenter.disruption.clusters import bench, machine, names


def test_pods_that_fit_nowhere_are_named_by_name_not_by_size() -> None:
    listed = machine("a", "m.16")
    listed += [objects.pod("a-1", "a", "300"), objects.pod("a-0", "a", "200")]
    cluster = bench(*listed)
    assert cluster.round().commands == []
    message = cluster.messages[-1]
    assert message.startswith("Not all pods would schedule, default/a-0 => ")
    assert message.index("default/a-0") < message.index("default/a-1")


def test_a_balanced_node_pool_approves_of_a_move_that_another_prevents() -> None:
    """Most of what a move disrupts in one NodePool may be dear, in another of little worth."""
    pools = [objects.node_pool(name) for name in ("good", "poor")]
    for pool in pools:
        pool["spec"]["disruption"]["consolidationPolicy"] = "Balanced"
    held = machine("c", "m.16", pool="poor")
    held[1]["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
    held[1]["spec"]["taints"] = [{"key": "other", "effect": "NoSchedule"}]
    moved = machine("a", "m.16", 3, pool="good"), machine("b", "m.16", 3, pool="poor")
    cluster = bench(*pools, *moved[0], *moved[1], *held)
    assert names(cluster.round()) == [["a"]]
    about_pools = [
        (each.name, each.message)
        for each in cluster.events
        if each.kind == "NodePool" and each.reason == "ConsolidationApproved"
    ]
    assert about_pools == [
        ("good", "score 0.75 >= threshold 0.50 (k: 2, savings 75.0%, disruption 100.0%)")
    ]


def test_budgets_are_not_looked_at_for_nodes_that_are_no_longer_empty() -> None:
    cluster = bench(*machine("a"))

    def arrive() -> None:
        state = cluster.context.cluster
        state.update(objects.pod("new", "a"))
        pool = objects.node_pool()
        pool["spec"]["disruption"]["budgets"] = [{"nodes": "0", "reasons": ["Empty"]}]
        state.update(pool)

    assert [each.reason for each in cluster.round(arrive).commands] == ["Underutilized"]
    assert not any("blocking budget" in each for each in cluster.messages)
