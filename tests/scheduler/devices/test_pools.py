"""Pools: which slices belong to them, which nodes reach them, and when they give no devices."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from kubestage.objects.views import node as node_views
from kubestage.scheduler.devices.failures import AllocationError
from kubestage.scheduler.devices.pools import Inventory, Reach
from tests.scheduler.devices import machines

if TYPE_CHECKING:
    from kubestage.aliases import Json


def reach(slices: list[Json], node: int = 0) -> Reach:
    """What a node of two reaches; n0 is in zone a, n1 in zone b."""
    inventory = Inventory()
    inventory.refresh(slices)
    return inventory.reach_of(node_views.of(machines.nodes(2)[node]))


def names(found: Reach) -> list[str]:
    """The devices within reach."""
    return [str(candidate.id).removeprefix(f"{machines.DRIVER}/") for candidate in found.candidates]


def test_a_slice_is_for_one_node_for_all_or_for_those_a_selector_matches() -> None:
    zone_b = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}
    slices = [
        machines.resource_slice("mine", machines.devices(1), node="n0"),
        machines.resource_slice("ours", machines.devices(1), allNodes=True),
        machines.resource_slice(
            "theirs", machines.devices(1), nodeSelector={"nodeSelectorTerms": [zone_b]}
        ),
        machines.resource_slice("nobodys", machines.devices(1)),
    ]
    assert names(reach(slices, 0)) == ["n0/gpu-0", "ours/gpu-0"]
    assert names(reach(slices, 1)) == ["ours/gpu-0", "theirs/gpu-0"]


def test_where_devices_choose_nodes_one_of_them_is_enough_for_the_slice() -> None:
    offered = [machines.device("here", nodeName="n0"), machines.device("there", nodeName="n1")]
    slices = [machines.resource_slice("s", offered, perDeviceNodeSelection=True)]
    assert names(reach(slices)) == ["s/here", "s/there"]
    elsewhere = [machines.device("there", nodeName="n1")]
    assert not reach([machines.resource_slice("s", elsewhere, perDeviceNodeSelection=True)]).pools


def test_pools_come_by_driver_and_name_and_slices_by_name() -> None:
    slices = [
        machines.resource_slice("z", [machines.device("z")], node="n0", pool="p", count=2),
        machines.resource_slice("a", [machines.device("a")], node="n0", pool="p", count=2),
        machines.resource_slice("m", [machines.device("m")], node="n0", pool="o"),
        machines.resource_slice(
            "x", [machines.device("x")], node="n0", pool="z", driver="a.example.com"
        ),
    ]
    found = [candidate.id.device for candidate in reach(slices).candidates]
    assert found == ["x", "m", "a", "z"]


def test_pools_with_devices_that_must_be_made_ready_come_last() -> None:
    slices = [
        machines.resource_slice(
            "a", [machines.device("slow", bindingConditions=["Ready"])], node="n0", pool="a"
        ),
        machines.resource_slice("b", [machines.device("fast")], node="n0", pool="b"),
    ]
    assert names(reach(slices)) == ["b/fast", "a/slow"]


def test_only_the_newest_generation_counts() -> None:
    slices = [
        machines.resource_slice("old", [machines.device("old")], node="n0", generation=1),
        machines.resource_slice("new", [machines.device("new")], node="n0", generation=2),
    ]
    assert names(reach(slices)) == ["n0/new"]
    assert names(reach(slices[::-1])) == ["n0/new"]


def test_a_generation_that_is_being_replaced_elsewhere_is_no_longer_there() -> None:
    shared = {"pool": "p", "count": 2}
    slices = [
        machines.resource_slice("old", [machines.device("old")], node="n0", **shared),
        machines.resource_slice("new", [machines.device("new")], node="n1", generation=2, **shared),
    ]
    assert reach(slices).pools == ()
    assert reach(slices, 1).pools[0].is_incomplete


def test_a_pool_of_which_slices_are_missing_gives_nothing() -> None:
    slices = [machines.resource_slice("s", machines.devices(1), node="n0", count=2)]
    (pool,) = reach(slices).pools
    assert pool.is_incomplete
    assert reach(slices).candidates == ()


def test_slices_on_other_nodes_complete_a_pool_and_give_nothing_here() -> None:
    slices = [
        machines.resource_slice(
            f"s{number}", machines.devices(1), node=f"n{number}", pool="p", count=2
        )
        for number in range(2)
    ]
    assert names(reach(slices)) == ["p/gpu-0"]


@pytest.mark.parametrize(
    "slices",
    [
        [
            machines.resource_slice("a", machines.devices(1), node="n0", pool="p", count=2),
            machines.resource_slice("b", machines.devices(1), node="n0", pool="p", count=2),
        ],
        [
            machines.resource_slice(
                "a", [machines.device("x", consumesCounters=machines.consumes("s", c="1"))],
                node="n0",
            )
        ],
        [
            machines.resource_slice(
                name, [], allNodes=True, pool="p", count=2,
                sharedCounters=[machines.counters("s", c="1")],
            )
            for name in "ab"
        ],
        [
            machines.resource_slice(
                "a", [machines.device("x", consumesCounters=machines.consumes("s", d="1"))],
                node="n0", pool="p", count=2,
            ),
            machines.resource_slice(
                "b", [], allNodes=True, pool="p", count=2,
                sharedCounters=[machines.counters("s", c="1")],
            ),
        ],
    ],
    ids=["twice the same name", "no such counters", "twice the same counters", "no such counter"],
)  # fmt: skip
def test_a_pool_that_contradicts_itself_is_invalid(slices: list[Json]) -> None:
    (pool,) = reach(slices).pools
    assert pool.is_invalid


def test_counters_are_known_wherever_the_pool_is() -> None:
    shared = {"pool": "p", "count": 3}
    uses = machines.consumes("s", slots="1")
    slices = [
        machines.resource_slice(
            "a", [machines.device("x", consumesCounters=uses)], node="n0", **shared
        ),
        machines.resource_slice(
            "b", [machines.device("y", consumesCounters=uses)], node="n1", **shared
        ),
        machines.resource_slice(
            "c", [], node="n1", sharedCounters=[machines.counters("s", slots="2")], **shared
        ),
    ]
    (pool,) = reach(slices).pools
    assert [each.name for each in pool.slices] == ["a"]
    assert [each.name for each in pool.others] == ["b"]
    assert pool.counters["s"]["slots"].value == 2


def test_a_malformed_selector_stops_the_search() -> None:
    term = {"matchExpressions": [{"key": "zone", "operator": "Near"}]}
    slices = [
        machines.resource_slice(
            "s", machines.devices(1), nodeSelector={"nodeSelectorTerms": [term]}
        )
    ]
    with pytest.raises(AllocationError, match="failed to perform node selection for slice s: "):
        reach(slices)


def test_a_change_of_slices_or_labels_is_noticed() -> None:
    zone_b = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["b"]}]}
    slices = [
        machines.resource_slice(
            "s", machines.devices(1), nodeSelector={"nodeSelectorTerms": [zone_b]}
        )
    ]
    inventory = Inventory()
    inventory.refresh(slices)
    before, after = machines.nodes(2)
    after = {**after, "metadata": {**after["metadata"], "name": "n0"}}
    assert not inventory.reach_of(node_views.of(before)).pools
    assert inventory.reach_of(node_views.of(after)).pools
    inventory.refresh([*slices, machines.resource_slice("t", machines.devices(1), node="n0")])
    assert len(inventory.reach_of(node_views.of(after)).pools) == 2
    assert not pickle.loads(pickle.dumps(inventory)).reach_of(node_views.of(after)).pools
