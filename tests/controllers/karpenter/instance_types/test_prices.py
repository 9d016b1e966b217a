"""Order by price, the price of a launch, and the least number of values."""

from __future__ import annotations

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.instance_types import min_values, prices, types
from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering
from kubestage.controllers.karpenter.requirements import Requirements, requirement
from kubestage.golang import sort


def _of(**values: str) -> Requirements:
    keys = {"zone": labels.ZONE, "paid": labels.CAPACITY_TYPE, "name": labels.INSTANCE_TYPE}
    return Requirements(
        requirement.new(keys.get(key, key), "In", value.split()) for key, value in values.items()
    )


def _type(name: str, *offers: tuple[str, str, float, bool]) -> InstanceType:
    offerings = [
        Offering(_of(zone=zone, paid=paid), price, available)
        for zone, paid, price, available in offers
    ]
    return types.new(name, _of(name=name, family=name[0]), offerings, {"cpu": 1000}, {})


DEAR = _type("a1", ("z1", "on-demand", 3.0, True), ("z2", "spot", 1.0, False))
CHEAP = _type("a2", ("z1", "on-demand", 2.0, True), ("z2", "spot", 1.5, True))
GONE = _type("b1", ("z1", "spot", 0.1, False))


def _names(listed: list[InstanceType]) -> list[str]:
    return [each.name for each in listed]


def test_the_cheapest_available_offering_that_is_allowed_counts() -> None:
    offered = [DEAR, GONE, CHEAP]
    assert _names(prices.order_by_price(offered, _of(), labels.WELL_KNOWN)) == ["a2", "a1", "b1"]
    on_demand = _of(paid="on-demand")
    assert prices.lowest_price(CHEAP, on_demand, labels.WELL_KNOWN) == 2.0
    assert prices.lowest_price(GONE, on_demand, labels.WELL_KNOWN) == prices.MAX_PRICE


def test_types_of_one_price_keep_the_order_that_go_leaves() -> None:
    offered = [_type(f"t{number:02}", ("z1", "spot", 1.0, True)) for number in range(20)]
    many = prices.order_by_price(offered, _of(), labels.WELL_KNOWN)
    assert _names(many) == _names(sort.in_order(offered, lambda _, __: False))
    few = prices.order_by_price(offered[:12], _of(), labels.WELL_KNOWN)
    assert _names(few) == _names(offered[:12])


def test_a_launch_may_cost_the_dearest_offering_of_its_first_capacity_type() -> None:
    offered = _type(
        "a", ("z1", "spot", 1.0, True), ("z2", "spot", 2.0, True), ("z1", "on-demand", 9.0, True)
    ).available
    worst = prices.worst_launch_price(offered, _of(), labels.WELL_KNOWN)
    assert worst == 2.0
    assert prices.worst_launch_price(offered, _of(zone="z1"), labels.WELL_KNOWN) == 1.0
    assert prices.worst_launch_price(offered, _of(zone="z3"), labels.WELL_KNOWN) == prices.MAX_PRICE
    assert prices.cheapest(offered).price == 1.0


def test_a_type_knows_its_price_in_a_zone() -> None:
    assert DEAR.price("z1", "on-demand") == 3.0
    assert DEAR.price("z3", "on-demand") is None


def test_the_least_number_of_types_for_enough_values_is_counted() -> None:
    two_families = Requirements([requirement.new("family", "Exists", (), 2)])
    enough = min_values.check([DEAR, CHEAP, GONE], two_families)
    assert (enough.needed_types, enough.error) == (3, "")
    few = min_values.check([DEAR, CHEAP], two_families)
    assert few.lacking == {"family": 1}
    assert few.error == "minValues requirement is not met for label(s) (label(s)=[family])"
    assert min_values.check([DEAR], _of()).needed_types == 0


def test_a_cut_that_leaves_too_few_values_is_refused() -> None:
    two_families = Requirements([requirement.new("family", "Exists", (), 2)])
    offered = [DEAR, CHEAP, GONE]
    kept, problem = prices.truncated(
        offered, two_families, labels.WELL_KNOWN, best_effort=False, most=2
    )
    assert _names(kept) == ["a1", "a2", "b1"]
    assert problem.startswith("validating minValues, minValues requirement is not met")
    kept, problem = prices.truncated(
        offered, two_families, labels.WELL_KNOWN, best_effort=True, most=2
    )
    assert (_names(kept), problem) == (["a2", "a1"], "")
