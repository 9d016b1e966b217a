"""Instance types from PriceCatalogs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.provider import catalog, kubelet_config
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements.requirements import Requirements

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types.types import InstanceType

ROOM = {"cpu": "3900m", "memory": "15Gi"}
GIB = 1000 << 30
AWS = [{"metadata": {"name": "aws"}, "spec": {"builtIn": "aws-us-east-1"}}]


def prices(*entries: Json, **spec: Any) -> list[Json]:
    return [{"metadata": {"name": "mine"}, "spec": {"prices": list(entries), **spec}}]


def price(name: str = "large", **stated: Any) -> Json:
    return {"instanceType": name, "price": 1.0, "resources": ROOM, **stated}


def offered(found: InstanceType) -> list[tuple[str, str, float]]:
    return [(each.zone, each.capacity_type, each.price) for each in found.offerings]


def one(catalogs: list[Json], terms: catalog.Terms | None = None) -> InstanceType:
    (found,) = catalog.instance_types(catalogs, terms or catalog.Terms())
    return found


def test_a_price_without_a_zone_holds_in_every_zone() -> None:
    found = one(prices(price(), zones=["a", "b"], region="north"))
    assert offered(found) == [("a", "on-demand", 1.0), ("b", "on-demand", 1.0)]
    assert found.requirements.get(labels.ZONE).sorted_values == ["a", "b"]
    assert found.requirements.get(labels.REGION).sorted_values == ["north"]
    assert found.requirements.get(labels.CAPACITY_TYPE).sorted_values == ["on-demand"]
    assert found.requirements.get(labels.OS).sorted_values == ["linux"]


def test_a_price_of_a_zone_comes_before_that_of_all() -> None:
    dear = {"instanceType": "large", "zone": "a", "price": 2.0}
    assert offered(one(prices(price(), dear, zones=["a", "b"]))) == [
        ("b", "on-demand", 1.0),
        ("a", "on-demand", 2.0),
    ]


def test_what_is_stated_once_holds_for_all_prices_of_a_type() -> None:
    spot = {"instanceType": "large", "capacityType": "spot", "price": 0.3, "available": False}
    found = one(prices(price(labels={"disk": "ssd"}), spot, zones=["a"]))
    assert offered(found) == [("a", "on-demand", 1.0), ("a", "spot", 0.3)]
    assert [each.available for each in found.offerings] == [True, False]
    assert found.requirements.get("disk").sorted_values == ["ssd"]
    assert found.allocatable == {"cpu": 3900, "memory": 15 * GIB, "pods": 110_000}


def test_spot_prices_may_be_a_share_of_those_on_demand() -> None:
    found = one(prices(price(), zones=["a"], spotPriceShare=0.35))
    assert offered(found) == [("a", "on-demand", 1.0), ("a", "spot", 0.35)]
    stated = {"instanceType": "large", "capacityType": "spot", "price": 0.5}
    found = one(prices(price(), stated, zones=["a"], spotPriceShare=0.35))
    assert offered(found) == [("a", "on-demand", 1.0), ("a", "spot", 0.5)]


def test_overhead_is_what_the_capacity_has_more() -> None:
    found = one(prices(price(capacity={"cpu": "4", "memory": "16Gi"})))
    assert found.capacity["cpu"] == 4000
    assert found.overhead == {"cpu": 100, "memory": GIB}
    assert found.allocatable["memory"] == 15 * GIB


def test_a_class_narrows_zones_and_withholds_more() -> None:
    terms = catalog.Terms(zones=("b",), overhead={"cpu": 400}, max_pods=20)
    found = one(prices(price(), zones=["a", "b"]), terms)
    assert offered(found) == [("b", "on-demand", 1.0)]
    assert (found.allocatable["cpu"], found.allocatable["pods"]) == (3500, 20_000)
    assert catalog.instance_types(prices(price(zone="a")), terms) == []


def test_types_without_a_room_are_left_out() -> None:
    assert catalog.instance_types(prices({"instanceType": "x", "price": 1}), catalog.Terms()) == []


def test_a_label_that_others_have_is_absent() -> None:
    catalogs = prices(price(), price("gpu", labels={"gpu": "t4"}))
    plain, accelerated = catalog.instance_types(catalogs, catalog.Terms())
    asked = Requirements([requirement.new("gpu", requirement.EXISTS)])
    assert not plain.requirements.intersects(asked)
    assert accelerated.requirements.intersects(asked)
    assert catalog.labels_of(catalogs) == {"gpu"}


def test_reserved_machines_have_their_own_label() -> None:
    reserved = {"instanceType": "large", "price": 0.1, "capacityType": "reserved", "zone": "a",
                "reservationID": "cr-1", "reservationCapacity": 3}  # fmt: skip
    found = one(prices(price(), reserved, zones=["a"]))
    on_demand, held = found.offerings
    assert (held.reservation_id, held.reservation_capacity) == ("cr-1", 3)
    asked = Requirements([requirement.new(catalog.RESERVATION_ID, requirement.IN, ["cr-1"])])
    assert held.requirements.intersects(asked)
    assert not on_demand.requirements.intersects(asked)


def test_the_types_of_aws_are_those_of_karpenters_documents() -> None:
    found = {each.name: each for each in catalog.instance_types(AWS, catalog.Terms())}
    assert len(found) > 1300
    large = found["m5.large"]
    assert offered(large)[0] == ("us-east-1a", "on-demand", 0.096)
    assert large.capacity["memory"] == 7577 * (1000 << 20)
    assert large.allocatable == {
        "cpu": 1930, "memory": 6903 * (1000 << 20), "pods": 29_000, "ephemeral-storage": 17 * GIB,
    }  # fmt: skip
    size = large.requirements.get("karpenter.k8s.aws/instance-size")
    assert size.sorted_values == ["large"]
    assert found["g5.xlarge"].allocatable["nvidia.com/gpu"] == 1000


@pytest.mark.parametrize(
    ("spec", "changed"),
    [
        ({"kubelet": {"clusterDNS": ["10.0.0.1"]}}, {}),
        ({"kubelet": {"maxPods": 110}}, {"pods": 110_000, "memory": (7577 - 1465 - 100) << 20}),
        ({"kubelet": {"podsPerCore": 4}}, {"pods": 8_000, "memory": (7577 - 343 - 100) << 20}),
        (
            {"kubelet": {"kubeReserved": {"cpu": "200m"}, "systemReserved": {"cpu": "100m"}}},
            {"cpu": 1700},
        ),
        (
            {"kubelet": {"evictionHard": {"memory.available": "5%"}}},
            {"memory": 7577 * (1 << 20) - (574 << 20) - 397253018},
        ),
        (
            {"blockDeviceMappings": [{"rootVolume": True, "ebs": {"volumeSize": "100Gi"}}]},
            {"ephemeral-storage": 89 * GIB},
        ),
        ({"instanceStorePolicy": "RAID0"}, {}),
    ],
)
def test_a_class_of_aws_changes_what_pods_get(spec: Json, changed: dict[str, int]) -> None:
    def adjust(room: catalog.Room, own: Json) -> catalog.Room:
        return kubelet_config.adjusted(room, own, spec)

    types = {each.name: each for each in catalog.instance_types(AWS, catalog.Terms(adjust=adjust))}
    plain = {"cpu": 1930, "memory": 6903 << 20, "pods": 29_000, "ephemeral-storage": 17 * GIB}
    expected = {**plain, **changed}
    expected["memory"] *= 1000
    found = types["m5.large"].allocatable
    assert {name: amount // 1000 * 1000 if name == "memory" else amount
            for name, amount in found.items()} == expected  # fmt: skip


def test_local_disks_become_ephemeral_storage() -> None:
    room = catalog.Room({"ephemeral-storage": 20 * GIB, "pods": 10_000, "memory": GIB}, {})
    own = {kubelet_config.LOCAL_NVME: "75"}
    found = kubelet_config.adjusted(room, own, {"instanceStorePolicy": "RAID0"})
    assert found.capacity["ephemeral-storage"] == 75_000_000_000_000
