"""How many nodes a DaemonSet is to run on follows the nodes as they change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.measure.waits.eligible_nodes import EligibleNodes
from tests.measure.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from kubestage.aliases import Json

TAINT = {"key": "mine", "value": "x", "effect": "NoSchedule"}


def node(name: str, *taints: Json, **labels: str) -> Json:
    meta = {"name": name, "labels": labels}
    return {"apiVersion": "v1", "kind": "Node", "metadata": meta, "spec": {"taints": list(taints)}}


def counts(spec: Json, *nodes: Json) -> list[int]:
    """The count after each of the nodes is put."""
    cluster = FakeCluster()
    eligible = EligibleNodes(cluster)
    cluster.moments.run()
    told = list[int]()
    counter = eligible.counter(spec, lambda: told.append(1))
    found = []
    for each in nodes:
        cluster.put(each)
        cluster.moments.run()
        found.append(counter.count)
    assert len(told) == sum(
        before != after for before, after in zip([0, *found], found, strict=False)
    )
    return found


def test_taints_that_come_and_go_are_followed() -> None:
    assert counts({}, node("n"), node("n", TAINT), node("n")) == [1, 0, 1]
    tolerant = {"tolerations": [{"key": "mine", "operator": "Exists"}]}
    assert counts(tolerant, node("n"), node("n", TAINT)) == [1, 1]
    prefer = {**TAINT, "effect": "PreferNoSchedule"}
    assert counts({}, node("n", prefer)) == [1]


def test_labels_that_come_and_go_are_followed() -> None:
    spec = {"nodeSelector": {"pool": "a"}}
    assert counts(spec, node("n"), node("n", pool="a"), node("n", pool="b")) == [0, 1, 0]


def test_affinity_narrows_the_nodes() -> None:
    terms = [{"matchExpressions": [{"key": "pool", "operator": "In", "values": ["a"]}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    spec = {"affinity": {"nodeAffinity": required}}
    assert counts(spec, node("n1", pool="a"), node("n2", pool="b")) == [1, 1]
    assert counts({"affinity": {"nodeAffinity": {}}}, node("n2", pool="b")) == [1]


def test_trouble_that_daemons_outlast_does_not_matter_and_other_trouble_does() -> None:
    for name, effect, count in (
        ("not-ready", "NoExecute", 1),
        ("not-ready", "NoSchedule", 0),
        ("disk-pressure", "NoSchedule", 1),
        ("unschedulable", "NoSchedule", 1),
        ("unreachable", "NoExecute", 0),
        ("network-unavailable", "NoSchedule", 0),
    ):
        taint = {"key": f"node.kubernetes.io/{name}", "effect": effect}
        assert counts({}, node("n", taint)) == [count]


def test_one_who_left_is_told_no_more() -> None:
    cluster = FakeCluster()
    eligible = EligibleNodes(cluster)
    cluster.moments.run()
    counter = eligible.counter({}, lambda: None)
    eligible.leave(counter)
    cluster.put(node("n"))
    cluster.moments.run()
    assert counter.count == 0
