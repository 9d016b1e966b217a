from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.disruption import price_filters, rounds
from kubestage.controllers.karpenter.requirements import Requirements, requirement
from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim
from kubestage.controllers.karpenter.settings import KarpenterSettings
from tests.controllers.karpenter import clouds, objects
from tests.controllers.karpenter.clouds import Cloud
from tests.controllers.karpenter.disruption.clusters import bench, machine

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.instance_types import InstanceType

BOTH = (labels.SPOT, labels.ON_DEMAND)
WELL_KNOWN = labels.WELL_KNOWN


def _of_types(*minimum: int) -> Requirements:
    """Any instance type, at least so many of them."""
    exists = requirement.new(labels.INSTANCE_TYPE, requirement.EXISTS, (), *minimum)
    return Requirements([exists])


def _names(types: Sequence[InstanceType]) -> list[str]:
    return [each.name for each in types]


def test_the_price_of_a_type_is_the_worst_of_its_first_capacity_type() -> None:
    """0.4 of the price as spot, which it would be launched as if that is possible."""
    either = clouds.instance_type("m.4", 4, 1.0, capacity_types=BOTH)
    on_demand = clouds.instance_type("n.4", 4, 0.5)
    kept, problem = price_filters.cheaper_than([either, on_demand], _of_types(), 0.5, WELL_KNOWN)
    assert (_names(kept), problem) == (["m.4"], "")
    only = requirement.new(labels.CAPACITY_TYPE, requirement.IN, (labels.ON_DEMAND,))
    kept, _ = price_filters.cheaper_than([either, on_demand], Requirements([only]), 0.6, WELL_KNOWN)
    assert _names(kept) == ["n.4"]


@pytest.mark.parametrize(("minimum", "problem"), [(2, ""), (3, "is not met")])
def test_enough_values_must_be_left(minimum: int, problem: str) -> None:
    kept, found = price_filters.cheaper_than(clouds.STANDARD, _of_types(minimum), 0.2, WELL_KNOWN)
    assert _names(kept) == ["m.1", "m.2"]
    assert problem in found
    assert bool(found) is bool(problem)


def _candidates(*types: str) -> list[Candidate]:
    listed = [each for name in types for each in machine(f"n-{name}", name, 1)]
    found = bench(*listed)
    return rounds.eligible(found.context, found.methods[-1])[0]


@pytest.mark.parametrize(
    ("candidates", "kept"),
    [
        (("m.8", "m.16"), ["m.1", "m.2", "m.4"]),
        (("m.2", "m.16"), ["m.1"]),
        (("m.1", "m.16"), []),
    ],
)
def test_what_is_replaced_does_not_come_back(candidates: tuple[str, ...], kept: list[str]) -> None:
    claim = NewNodeClaim(
        objects.node_pool(), _of_types(), list(clouds.STANDARD), [], {}, min_values_relaxed=False
    )
    found, problem = price_filters.without_same_type(claim, _candidates(*candidates), WELL_KNOWN)
    assert (_names(found), problem) == (kept, "")


def test_types_that_are_not_replaced_do_not_matter() -> None:
    other = clouds.instance_type("n.32", 32, 9.0)
    claim = NewNodeClaim(objects.node_pool(), _of_types(), [other], [], {}, False)
    found, _ = price_filters.without_same_type(claim, _candidates("m.8", "m.16"), WELL_KNOWN)
    assert _names(found) == ["n.32"]


@pytest.mark.parametrize(("minimum", "kept"), [(None, 15), (3, 15), (18, 18)])
def test_spot_replacements_are_cut_unless_more_values_are_demanded(
    minimum: int | None, kept: int
) -> None:
    types = [clouds.instance_type(f"x{number}.4", 4, 0.1) for number in range(20)]
    required = _of_types() if minimum is None else _of_types(minimum)
    assert len(price_filters.cut_for_spot(types, required)) == kept


def test_several_spot_nodes_become_one_without_fifteen_types_to_choose_from() -> None:
    cloud = Cloud(
        [
            clouds.instance_type(f"m.{cpu}", cpu, cpu * 0.05, capacity_types=BOTH)
            for cpu in (4, 8, 16)
        ]
    )
    spot = {labels.CAPACITY_TYPE: labels.SPOT}
    pool = objects.node_pool(template={"requirements": [objects.capacity_types(*BOTH)]})
    cluster = bench(
        pool,
        *machine("a", "m.16", 3, labels=spot),
        *machine("b", "m.16", 4, labels=spot),
        cloud=cloud,
        settings=KarpenterSettings(spot_to_spot_consolidation=True),
    )
    (command,) = cluster.round().commands
    assert (command.decision, command.consolidation_type) == ("replace", "multi")
    assert _names(command.replacements[0].instance_types) == ["m.8"]


def test_a_filter_that_leaves_too_few_values_is_explained() -> None:
    row = {"key": labels.INSTANCE_TYPE, "operator": "Exists", "minValues": 4}
    pool = objects.node_pool(template={"requirements": [objects.capacity_types("on-demand"), row]})
    cluster = bench(pool, *machine("a", "m.8", 1))
    assert cluster.round().commands == []
    assert cluster.messages == [
        (
            "Filtering by price: minValues requirement is not met for label(s) "
            "(label(s)=[node.kubernetes.io/instance-type])"
        )
    ]
