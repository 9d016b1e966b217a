"""The cost of nodes that come and go, computed by hand."""

from __future__ import annotations

import pytest

from kubestage import Stage
from kubestage.results.load import cost
from kubestage.store.deletion import DeleteOptions
from kubestage.testing import make_node, make_pod

NOW = DeleteOptions(grace_period_seconds=0)
CATALOG = {
    "apiVersion": "kubestage.dev/v1alpha1",
    "kind": "PriceCatalog",
    "metadata": {"name": "prices"},
    "spec": {
        "currency": "EUR",
        "prices": [
            {"instanceType": "small", "price": 1.2},
            {"instanceType": "large", "price": 6.0},
        ],
    },
}


def node(name: str, kind: str) -> dict[str, object]:
    labels = {"node.kubernetes.io/instance-type": kind, "agentpool": kind}
    made: dict[str, object] = make_node(name, cpu="4", memory="16Gi", labels=labels)
    return made


def stage_with(*objects: dict[str, object]) -> Stage:
    stage = Stage()
    stage.add_scheduler()
    stage.apply([CATALOG, *objects])
    return stage


def test_each_node_counts_for_as_long_as_it_is_there() -> None:
    stage = stage_with(node("a", "small"))
    watch = cost.watch(stage.store)
    assert watch is not None
    stage.run("30m")
    stage.apply([node("b", "large")])
    stage.run("10m")
    stage.store.delete(("v1", "Node"), "b")
    stage.run("20m")
    found = watch.result()
    assert found is not None
    assert (found.currency, found.seconds) == ("EUR", 3600)
    # An hour of 1.2, and ten minutes of 6.
    assert (found.cost_per_hour, found.cost) == (1.2, 2.2)
    assert found.idle_share == 1
    assert [(each.pool, each.nodes, each.cost_per_hour, each.cost) for each in found.pools] == [
        ("small", 1, 1.2, 1.2),
        ("large", 0, 0, 1.0),
    ]
    assert found.sentence == (
        "Nodes cost €2.20 over 60.0 minutes, 100% of it idle, and €1.20 per hour at the end."
    )


def test_the_idle_share_is_that_of_the_whole_time() -> None:
    stage = stage_with(node("a", "small"))
    watch = cost.watch(stage.store)
    assert watch is not None
    stage.run("15m")
    stage.apply([make_pod("half", cpu="2", memory="8Gi")])
    stage.run("30m")
    stage.store.delete(("v1", "Pod"), "half", "default", NOW)
    stage.run("15m")
    found = watch.result()
    assert found is not None
    # Half of the node for half of the time.
    assert found.idle_share == pytest.approx(0.75, abs=1e-3)
    watch.stop()
    stage.apply([node("b", "large")])
    after = watch.result()
    assert after is not None
    assert after.cost_per_hour == 1.2


def test_without_prices_nothing_is_counted() -> None:
    stage = Stage()
    stage.apply([make_node("a")])
    assert cost.watch(stage.store) is None


def test_nodes_without_a_price_are_counted() -> None:
    stage = stage_with(node("a", "small"), node("b", "odd"))
    watch = cost.watch(stage.store)
    assert watch is not None
    stage.run("1h")
    found = watch.result()
    assert found is not None
    assert (found.cost, found.unpriced_nodes) == (1.2, 1)
    assert found.sentence.endswith("; 1 node has no price.")
