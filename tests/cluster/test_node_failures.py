"""Nodes fail by chance, none of them twice, and come back."""

from __future__ import annotations

import functools
import itertools
import random

from kubestage.cluster.node_failures import NodeFailure, NodeFailures
from kubestage.errors import Forbidden
from kubestage.units import SECOND_NS
from tests.measure.fake_cluster import FakeCluster

HEARTBEAT = "kubestage.dev/heartbeat"


def cluster_of(count: int) -> FakeCluster:
    cluster = FakeCluster()
    for number in range(count):
        cluster.put(
            {
                "apiVersion": "v1",
                "kind": "Node",
                "metadata": {"name": f"n{number}"},
                "status": {"conditions": [{"type": "Ready", "status": "True"}]},
            }
        )
    return cluster


def failures_of(cluster: FakeCluster) -> NodeFailures:
    return NodeFailures(cluster, random.Random(3))


def silent(cluster: FakeCluster) -> list[str]:
    return [
        obj["metadata"]["name"]
        for obj in cluster.objects.values()
        if (obj["metadata"].get("annotations") or {}).get(HEARTBEAT) == "stopped"
    ]


def picked(cluster: FakeCluster, rate: float, excluded: tuple[str, ...] = ()) -> list[str]:
    told = list[list[str]]()
    failures_of(cluster).pick(rate, excluded, told.append)
    cluster.moments.run()
    return told[0]


def test_a_share_of_the_eligible_nodes_is_picked_rounded_up() -> None:
    assert len(picked(cluster_of(10), 0.11)) == 2
    assert picked(cluster_of(10), 0) == []
    assert sorted(picked(cluster_of(4), 1, ("n1",))) == ["n0", "n2", "n3"]


def test_the_node_of_prometheus_is_spared() -> None:
    cluster = cluster_of(2)
    meta = {"name": "p", "namespace": "monitoring", "labels": {"prometheus": "k8s"}}
    cluster.put({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"nodeName": "n0"}})
    assert picked(cluster, 1) == ["n1"]


def test_a_node_is_silent_for_its_downtime() -> None:
    cluster, told = cluster_of(1), list[str]()
    failures = failures_of(cluster)
    failures.fail("n0", 60 * SECOND_NS, lambda: told.append("back"))
    cluster.moments.run(59)
    assert (silent(cluster), told) == (["n0"], [])
    cluster.moments.run(1)
    assert (silent(cluster), told) == ([], ["back"])
    assert [(each.action, each.at_ns // SECOND_NS) for each in failures.events] == [
        ("stopService", 0),
        ("rebootNode", 60),
    ]


def test_nodes_fail_again_and_again_and_none_twice() -> None:
    cluster = cluster_of(4)
    failures = failures_of(cluster)
    failures.begin(NodeFailure(0.5, 100 * SECOND_NS, 0.0, 10 * SECOND_NS))
    cluster.moments.run(3000)
    stopped = [each for each in failures.events if each.action == "stopService"]
    assert len(stopped) == len({each.node for each in stopped}) == 4
    times = sorted({each.at_ns for each in stopped})
    # The first pause may be up to twice as long; the others begin when all nodes are back.
    assert 100 * SECOND_NS <= times[0] < 200 * SECOND_NS
    assert [after - before for before, after in itertools.pairwise(times)] == [110 * SECOND_NS] * (
        len(times) - 1
    )
    assert len(failures.killed) == 4


def test_pauses_are_jittered() -> None:
    cluster = cluster_of(50)
    failures = failures_of(cluster)
    failures.begin(NodeFailure(0.01, 10 * SECOND_NS, 0.5))
    cluster.moments.run(300)
    times = [each.at_ns for each in failures.events if each.action == "stopService"]
    pauses = [after - before for before, after in itertools.pairwise(times)]
    assert len(pauses) > 10
    assert all(10 * SECOND_NS <= pause <= 15 * SECOND_NS for pause in pauses)
    assert len(set(pauses)) > 5


def test_stopping_brings_nodes_back_at_once() -> None:
    cluster, told = cluster_of(2), list[str]()
    failures = failures_of(cluster)
    failures.begin(NodeFailure(1, 10 * SECOND_NS, 0.0, 1000 * SECOND_NS))
    cluster.moments.run(50)
    assert silent(cluster) == ["n0", "n1"]
    failures.stop(lambda: told.append("stopped"))
    assert told == []
    cluster.moments.run()
    assert (silent(cluster), told) == ([], ["stopped"])
    assert cluster.moments.pending == 0


def test_the_first_pause_may_be_twice_as_long_without_jitter() -> None:
    firsts = set()
    for seed in range(20):
        cluster = cluster_of(1)
        failures = NodeFailures(cluster, random.Random(seed))
        failures.begin(NodeFailure(1, 10 * SECOND_NS))
        cluster.moments.run(20)
        firsts.add(failures.events[0].at_ns)
    assert len(firsts) > 10
    assert max(firsts) > 15 * SECOND_NS


def test_one_that_is_stopped_while_it_picks_or_silences_brings_all_back() -> None:
    for runs in range(1, 6):
        cluster, told = cluster_of(2), list[str]()
        failures = failures_of(cluster)
        failures.begin(NodeFailure(1, 10 * SECOND_NS, 0.0, 1000 * SECOND_NS))
        while cluster.moments.now_ns < 10 * SECOND_NS:
            cluster.moments.step()
        for _ in range(runs):
            cluster.moments.step()
        failures.stop(functools.partial(told.append, "stopped"))
        cluster.moments.run(1)
        assert (silent(cluster), told) == ([], ["stopped"])
        assert cluster.moments.pending == 0


def test_one_that_rests_stops_at_once() -> None:
    cluster, told = cluster_of(1), list[str]()
    failures = failures_of(cluster)
    failures.begin(NodeFailure(1, 10 * SECOND_NS))
    failures.stop(lambda: told.append("stopped"))
    assert told == ["stopped"]
    assert cluster.moments.pending == 0


def test_what_cannot_be_done_is_noted() -> None:
    cluster = cluster_of(1)
    cluster.answers["patch", "Node"] = Forbidden("no")
    failures = failures_of(cluster)
    failures.begin(NodeFailure(1, 10 * SECOND_NS))
    cluster.moments.run(50)
    assert failures.problems == ["ERROR while stopping node 'n0': no"]
    cluster.answers["list", "Node"] = Forbidden("nor that")
    cluster.moments.run(20)
    assert failures.problems[1] == "Unable to pick nodes to kill: nor that"


def test_an_interval_of_nothing_does_not_stop_the_clock() -> None:
    cluster = cluster_of(3)
    failures = failures_of(cluster)
    failures.begin(NodeFailure(1, 0))
    cluster.moments.run(10)
    assert len(failures.killed) == 3
