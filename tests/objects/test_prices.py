"""What nodes cost: NodeGroups, PriceCatalogs, and labels of several providers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import node_pools, prices
from kubestage.objects.prices import Prices

if TYPE_CHECKING:
    from kubestage.aliases import Json

TYPE = "node.kubernetes.io/instance-type"
ZONE = "topology.kubernetes.io/zone"


def catalog(name: str, *entries: Json, currency: str | None = None) -> Json:
    spec: Json = {"prices": list(entries)}
    if currency is not None:
        spec["currency"] = currency
    return {"metadata": {"name": name}, "spec": spec}


def entry(kind: str, price: float, **more: Any) -> Json:
    return {"instanceType": kind, "price": price, **more}


def node(**labels: str) -> Json:
    return {"metadata": {"name": "n", "labels": labels}}


def typed(kind: str, zone: str = "", **more: str) -> Json:
    labels = {TYPE: kind, **more}
    return node(**({**labels, ZONE: zone} if zone else labels))


def test_the_most_specific_price_counts() -> None:
    known = Prices(
        {},
        [
            catalog(
                "a",
                entry("m5.large", 0.1),
                entry("m5.large", 0.11, zone="b"),
                entry("m5.large", 0.03, capacityType="spot"),
                entry("m5.large", 0.04, capacityType="spot", zone="b"),
            )
        ],
    )
    spot = {prices.CAPACITY_TYPE: "spot"}
    assert known.of_node(typed("m5.large", "a")) == 0.1
    assert known.of_node(typed("m5.large", "b")) == 0.11
    assert known.of_node(typed("m5.large", "a", **spot)) == 0.03
    assert known.of_node(typed("m5.large", "b", **spot)) == 0.04
    assert known.of_node(typed("m5.xlarge", "b")) is None
    assert known.of_node(node()) is None


def test_spot_nodes_are_not_priced_as_on_demand_ones() -> None:
    known = Prices({}, [catalog("a", entry("m5.large", 0.1))])
    assert known.of_node(typed("m5.large", **{prices.CAPACITY_TYPE: "spot"})) is None


@pytest.mark.parametrize(
    ("label", "value", "expected"),
    [
        ("karpenter.sh/capacity-type", "spot", "spot"),
        ("karpenter.sh/capacity-type", "reserved", "reserved"),
        ("eks.amazonaws.com/capacityType", "SPOT", "spot"),
        ("eks.amazonaws.com/capacityType", "ON_DEMAND", "on-demand"),
        ("cloud.google.com/gke-spot", "true", "spot"),
        ("cloud.google.com/gke-preemptible", "true", "spot"),
        ("kubernetes.azure.com/scalesetpriority", "spot", "spot"),
        ("disk", "ssd", "on-demand"),
    ],
)
def test_capacity_types_of_providers(label: str, value: str, expected: str) -> None:
    assert prices.capacity_type({label: value}) == expected


def test_the_price_of_a_node_group_goes_before_that_of_a_catalog() -> None:
    groups: dict[str, Json] = {"pool": {"spec": {"price": 0.5}}, "free": {"spec": {}}}
    known = Prices(groups, [catalog("a", entry("m5.large", 0.1))])
    assert known.of_node(typed("m5.large", **{node_pools.GROUP_LABEL: "pool"})) == 0.5
    assert known.of_node(typed("m5.large", **{node_pools.GROUP_LABEL: "free"})) == 0.1
    assert known.of_node(typed("m5.large", **{node_pools.GROUP_LABEL: "gone"})) == 0.1


def test_a_node_group_without_a_price_has_that_of_its_template() -> None:
    known = Prices({}, [catalog("a", entry("m5.large", 0.1))])
    template = {"metadata": {"labels": {TYPE: "m5.large"}}}
    assert known.of_group({"spec": {"template": template}}) == 0.1
    assert known.of_group({"spec": {"template": template, "price": 0}}) == 0
    assert known.of_group({"spec": {"template": {}}}) is None


def test_the_first_catalog_by_name_counts_and_sets_the_currency() -> None:
    first = catalog("a", entry("x", 1.0), currency="EUR")
    second = catalog("b", entry("x", 2.0), entry("y", 3.0), currency="EUR")
    other = catalog("c", entry("z", 4.0), currency="USD")
    known = Prices({}, [other, second, first])
    assert known.currency == "EUR"
    assert known.of_node(typed("x")) == 1.0
    assert known.of_node(typed("y")) == 3.0
    assert known.of_node(typed("z")) is None
    assert known.ignored == ["c"]


def test_without_anything_nothing_has_a_price() -> None:
    known = Prices({}, ())
    assert not known
    assert known.currency == "USD"
    assert known.of_node(typed("x")) is None


@pytest.mark.parametrize("label", node_pools.LABELS)
def test_pools_of_providers(label: str) -> None:
    assert node_pools.of(node(**{label: "workers"})) == "workers"
    assert node_pools.of({"metadata": {"name": "n"}}) == ""
