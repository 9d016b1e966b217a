"""Nodes fail while a load runs, as ClusterLoader2's node killer fails them."""

from __future__ import annotations

import random
from typing import Any

from kubestage.cluster.access import Resource
from kubestage.clusterloader import config
from kubestage.clusterloader.chaos import Chaos
from kubestage.controllers.kubelet.annotations import HEARTBEAT
from tests.measure.fake_cluster import FakeCluster

MINUTE_NS = 60_000_000_000


def cluster_of(nodes: int, *, is_stage: bool = True) -> FakeCluster:
    cluster = FakeCluster(is_stage=is_stage)
    for index in range(nodes):
        cluster.put(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": f"n{index}", "annotations": {"kept": "yes"}},
                "spec": {},
                "status": {"conditions": [{"type": "Ready", "status": "True"}]},
            }
        )
    return cluster


def monkey(rate: float, *excluded: str, jitter: float = 0.5) -> config.ChaosMonkey:
    failure = config.NodeFailure(rate, 10 * MINUTE_NS, jitter, 2 * MINUTE_NS)
    return config.ChaosMonkey(failure, frozenset(excluded))


def silent(cluster: FakeCluster) -> list[str]:
    """The nodes that say nothing."""
    notes: dict[str, dict[str, Any]] = {
        name: node["metadata"]["annotations"]
        for (resource, name), node in cluster.objects.items()
        if resource == Resource("v1", "Node")
    }
    assert all(each["kept"] == "yes" for each in notes.values())
    return [name for name, each in notes.items() if each.get(HEARTBEAT) == "stopped"]


class Told:
    """Counts how often it is told."""

    def __init__(self) -> None:
        self.count = 0

    def tell(self) -> None:
        self.count += 1


def test_a_share_of_the_nodes_falls_silent_and_comes_back() -> None:
    cluster = cluster_of(10)
    chaos = Chaos(monkey(0.25), cluster, random.Random(1))
    chaos.start()
    cluster.moments.run(9.9 * 60)
    assert silent(cluster) == []
    cluster.moments.run(5.2 * 60)
    assert len(chaos.killed) == 3
    cluster.moments.run(3 * 60)
    assert silent(cluster) == []


def test_no_node_fails_twice_and_excluded_ones_never() -> None:
    cluster = cluster_of(6)
    chaos = Chaos(monkey(0.5, "n0", "n3"), cluster, random.Random(2))
    chaos.start()
    cluster.moments.run(5 * 3600)
    assert sorted(chaos.killed) == ["n1", "n2", "n4", "n5"]


def test_stopping_brings_silent_nodes_back_first() -> None:
    cluster = cluster_of(4)
    chaos = Chaos(monkey(1.0, jitter=1e-9), cluster, random.Random(3))
    chaos.start()
    cluster.moments.run(11 * 60)
    assert sorted(silent(cluster)) == ["n0", "n1", "n2", "n3"]
    told = Told()
    chaos.stop(told.tell)
    cluster.moments.run()
    assert silent(cluster) == []
    assert told.count == 1


def test_the_summary_says_what_happened_and_when() -> None:
    cluster = cluster_of(1)
    chaos = Chaos(monkey(1.0, jitter=1e-12), cluster, random.Random(3))
    chaos.start()
    cluster.moments.run(3600)
    assert chaos.summary() == (
        "Summary of Chaos Monkey execution\n"
        "NodeKiller: Recorded following events\n"
        "NodeKiller: At Thu Jan  1 00:10:00 UTC 2026 stopService happened for node n0\n"
        "NodeKiller: At Thu Jan  1 00:12:00 UTC 2026 rebootNode happened for node n0\n"
    )


def test_without_node_failures_nothing_happens_and_stopping_is_told() -> None:
    cluster = cluster_of(1)
    chaos = Chaos(config.ChaosMonkey(), cluster, random.Random(3))
    chaos.start()
    told = Told()
    chaos.stop(told.tell)
    cluster.moments.run(3600)
    assert (told.count, chaos.summary(), chaos.warnings, cluster.calls) == (1, "", [], [])


def test_nodes_of_a_real_cluster_are_left_alone_with_a_warning() -> None:
    cluster = cluster_of(1, is_stage=False)
    chaos = Chaos(monkey(1.0), cluster, random.Random(3))
    chaos.start()
    cluster.moments.run(3600)
    assert cluster.calls == []
    assert chaos.killed == []
    assert "rehearse it on a stage" in chaos.warnings[0]
