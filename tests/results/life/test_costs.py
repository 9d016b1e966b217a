"""What nodes cost over time, computed by hand, and against the costs of single moments."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage import Stage
from kubestage.objects import gvk, prices
from kubestage.results.life.recorder import LifeRecorder
from kubestage.results.packing import packing
from kubestage.testing import make_node, make_pod
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

TYPE = "node.kubernetes.io/instance-type"
POOL = "karpenter.sh/nodepool"


def catalog(name: str = "prices", currency: str = "USD", **types: float) -> Json:
    entries = [{"instanceType": kind, "price": price} for kind, price in types.items()]
    return {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "PriceCatalog",
        "metadata": {"name": name},
        "spec": {"currency": currency, "prices": entries},
    }


def node(name: str, kind: str, pool: str = "workers") -> Json:
    return make_node(name, cpu="4", memory="16Gi", labels={TYPE: kind, POOL: pool})


class Lived:
    """A stage that is recorded from its beginning."""

    def __init__(self) -> None:
        self.stage = Stage()
        self.stage.add_scheduler()
        self.recorder = LifeRecorder(
            self.stage.store, self.stage.environment, 60 * SECOND_NS, self.stage
        )

    def start(self, *objects: Json) -> None:
        self.stage.apply(objects)
        self.stage.run("1s")
        self.recorder.start()

    def remove(self, key: str) -> None:
        """Have a pod be gone at once: there is no kubelet to end it."""
        self.stage.store.remove(self.stage.store.kind(gvk.POD), key)
        self.stage.store.settle()

    def end(self) -> Life:
        return self.recorder.end(version="test", seed=0)


def test_nodes_cost_as_long_as_they_are_there() -> None:
    lived = Lived()
    lived.start(catalog(small=0.1, large=0.4), node("a", "small"), node("b", "large", "big"))
    lived.stage.run("1h")
    lived.stage.store.delete(gvk.NODE, "b")
    lived.stage.run("1h")
    life = lived.end()
    assert life.summary["cost"] == 0.6
    assert life.summary["currency"] == "USD"
    pools = {each["group"]: each["cost"] for each in life.summary["nodeGroups"]}
    assert pools == {"workers": 0.2, "big": 0.4}
    assert life.summary["costs"]["perHourAtEnd"] == 0.1
    assert life.summary["costs"]["idle"] == 0.6
    rows = life.rows("cost")
    assert {(row["group"], row["perHour"]) for row in rows} == {
        ("workers", 0.1),
        ("big", 0.4),
        ("big", 0.0),
    }


def test_money_is_told_by_what_was_bought() -> None:
    lived = Lived()
    spot = node("c", "small", "big")
    spot["metadata"]["labels"][prices.CAPACITY_TYPE] = prices.SPOT
    priced = catalog(small=0.1, large=0.4)
    priced["spec"]["spotPriceShare"] = 0.5
    lived.start(priced, node("a", "small"), node("b", "large", "big"), spot)
    lived.stage.run("1h")
    life = lived.end()
    costs = life.summary["costs"]
    assert costs["perHourMean"] == pytest.approx(0.55)
    assert costs["pools"] == [{"name": "big", "cost": 0.45}, {"name": "workers", "cost": 0.1}]
    assert costs["instanceTypes"] == [
        {"name": "large", "cost": 0.4},
        {"name": "small", "cost": 0.15},
    ]
    assert costs["capacityTypes"] == [
        {"name": "on-demand", "cost": 0.5},
        {"name": "spot", "cost": 0.05},
    ]
    rows = life.rows("spending")
    for part in ("pool", "instance type", "capacity type"):
        assert sum(row["cost"] for row in rows if row["by"] == part) == pytest.approx(0.55)
        assert sum(row["share"] for row in rows if row["by"] == part) == pytest.approx(1, abs=1e-5)
        per_hour = sum(row["perHour"] for row in rows if row["by"] == part)
        assert per_hour == pytest.approx(costs["perHourMean"], abs=1e-5)
    assert {row["currency"] for row in rows} == {"USD"}


def test_pods_cost_their_share_as_long_as_they_are_there() -> None:
    lived = Lived()
    lived.start(catalog(small=0.8), node("a", "small"))
    lived.stage.apply([make_pod("half", cpu="2", memory="8Gi")])
    lived.stage.run("30m")
    lived.remove("default/half")
    lived.stage.run("30m")
    costs = lived.end().summary["costs"]
    assert costs["workloads"] == [{"name": "pod/default/(no owner)", "cost": 0.2}]
    assert costs["namespaces"] == [{"name": "default", "cost": 0.2}]
    assert costs["idle"] == 0.6


def test_a_price_that_changes_holds_from_then_on() -> None:
    lived = Lived()
    lived.start(node("a", "small"), make_pod("whole", cpu="4", memory="16Gi"))
    lived.stage.run("1h")
    lived.stage.apply([catalog(small=0.1)])
    lived.stage.run("1h")
    lived.stage.apply([catalog(small=0.3)])
    lived.stage.run("1h")
    lived.stage.store.delete(prices.PRICE_CATALOG, "prices")
    lived.stage.run("1h")
    summary = lived.end().summary
    assert summary["cost"] == pytest.approx(0.4)
    assert summary["costs"]["idle"] == pytest.approx(0, abs=1e-6)
    assert summary["costs"]["perHourAtEnd"] == 0


def test_without_prices_nothing_is_said() -> None:
    lived = Lived()
    lived.start(node("a", "small"))
    lived.stage.run("1h")
    life = lived.end()
    assert life.summary["cost"] is None
    assert life.summary["costs"] is None
    assert life.rows("cost") == []
    assert life.summary["packing"]["nodeCount"] == 1


ACTIONS = st.lists(
    st.tuples(st.sampled_from(("node", "pod", "delete node", "delete pod", "price")),
              st.integers(0, 5)),
    max_size=25,
)  # fmt: skip


@settings(max_examples=40)
@given(ACTIONS)
def test_the_meter_agrees_with_the_cost_of_every_moment(actions: list[tuple[str, int]]) -> None:
    lived = Lived()
    lived.start(node("n0", "small"))
    store, meter = lived.stage.store, lived.recorder.costs
    for at, (what, number) in enumerate(actions):
        if what == "node" and f"n{number}" not in store.read(gvk.NODE):
            kind = "small" if number % 2 else "large"
            lived.stage.apply([node(f"n{number}", kind, f"pool-{number % 3}")])
        elif what == "pod":
            lived.stage.apply([make_pod(f"p{at}", cpu=str(1 + number % 2), memory="1Gi")])
        elif what == "price":
            lived.stage.apply([catalog(small=0.1 * number, large=0.3)])
        elif what == "delete node" and f"n{number}" in store.read(gvk.NODE):
            store.delete(gvk.NODE, f"n{number}")
        elif what == "delete pod" and store.read(gvk.POD):
            key = sorted(store.read(gvk.POD))[number % len(store.read(gvk.POD))]
            lived.remove(key)
        lived.stage.run("1s")
        now = packing.of_store(store).costs
        rates = [meter.per_hour(pool) for pool in meter.pools]
        assert sum(cost for cost, _ in rates) == pytest.approx(now.cluster_cost or 0, abs=1e-5)
        assert sum(idle for _, idle in rates) == pytest.approx(now.idle_per_hour or 0, abs=1e-5)
