"""WaitForNodes counts the nodes that take pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.measure.waits.nodes import WaitForNodes
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make

if TYPE_CHECKING:
    from kubestage.aliases import Json


def node(name: str, ready: str = "True", **spec: Any) -> Json:
    conditions = [{"type": "Ready", "status": ready}]
    meta = {"name": name, "labels": {"pool": "a"}}
    return {
        "apiVersion": "v1",
        "kind": "Node",
        "metadata": meta,
        "spec": spec,
        "status": {"conditions": conditions},
    }


def test_it_waits_until_the_number_is_within_bounds() -> None:
    cluster = FakeCluster()
    for number in range(3):
        cluster.put(node(f"n{number}"))
    asked = Asked(make(WaitForNodes, cluster), minDesiredNodeCount=1, maxDesiredNodeCount=2)
    cluster.moments.run(40)
    assert not asked.is_answered
    cluster.put(node("n0", unschedulable=True))
    cluster.moments.run(100)
    assert (asked.at_s, asked.outcome.errors) == (60.05, ())


def test_what_is_missed_names_the_nodes_that_are_not_ready() -> None:
    cluster = FakeCluster()
    cluster.put(node("n0"))
    cluster.put(node("n1", ready="Unknown"))
    asked = Asked(
        make(WaitForNodes, cluster),
        minDesiredNodeCount=2,
        maxDesiredNodeCount=2.0,
        labelSelector="pool=a",
    )
    cluster.moments.run(2000)
    assert asked.at_s == 1800
    (error,) = asked.outcome.errors
    assert error == (
        "timeout while waiting for [2-2] Nodes with selector 'labelSelector(pool=a)' to be ready "
        "- currently there is 1 Nodes; not ready: n1"
    )
