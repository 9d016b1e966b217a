from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.decisions.exclusions import Exclusions
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.controllers.karpenter.requirements import Requirements, requirement
from kubestage.controllers.karpenter.scheduling import templates
from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim
from kubestage.objects import quantity
from tests.controllers.karpenter import clouds, objects

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pytest

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.instance_types import InstanceType

TYPES = (
    *clouds.STANDARD,
    clouds.instance_type("other", 16, 0.5),
    clouds.instance_type("far", 16, 0.5, zones=("zone-2",)),
)


def _claim(
    pool: Json, kept: Sequence[str], requests: dict[str, str], *more: requirement.Requirement
) -> NewNodeClaim:
    required = templates.requirements_of(pool).plus(Requirements(more))
    types: list[InstanceType] = [each for each in TYPES if each.name in kept]
    amounts = {name: quantity.parse(each) for name, each in requests.items()}
    return NewNodeClaim(pool, required, types, [], amounts, min_values_relaxed=False)


def _reasons(claim: NewNodeClaim, rest: str = "the rest") -> list[tuple[str, int, tuple[str, ...]]]:
    found = Exclusions().of(claim, TYPES, labels.WELL_KNOWN, rest)
    return [(each.reason, each.count, each.types) for each in found]


def test_each_type_is_excluded_for_the_first_reason_that_holds() -> None:
    named = {"key": labels.INSTANCE_TYPE, "operator": "NotIn", "values": ["m.1"]}
    requirements = [objects.capacity_types("on-demand"), named]
    pool = objects.node_pool(template={"requirements": requirements})
    zone = requirement.new(labels.ZONE, requirement.IN, ("zone-1",))
    claim = _claim(pool, ["m.16"], {"cpu": "6", "pods": "3"}, zone)
    assert _reasons(claim) == [
        (f"the NodePool requires {labels.INSTANCE_TYPE} NotIn [m.1]", 1, ("m.1",)),
        (f"its pods require {labels.ZONE} In [zone-1]", 1, ("far",)),
        ("less than 6 cpu", 2, ("m.2", "m.4")),
        ("the rest", 2, ("m.8", "other")),
    ]


def test_types_beyond_the_number_that_a_claim_names_are_dearer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(prices, "MAX_INSTANCE_TYPES", 2)
    requirements = [objects.capacity_types("on-demand")]
    pool = objects.node_pool(template={"requirements": requirements})
    claim = _claim(pool, ["m.2", "m.4"], {"cpu": "500m"})
    assert _reasons(claim) == [
        ("the rest", 1, ("m.1",)),
        (
            "not among the 600 cheapest, which a NodeClaim names at most",
            4,
            ("m.8", "m.16", "other", "far"),
        ),
    ]


def test_a_capacity_type_that_is_not_offered_excludes() -> None:
    pool = objects.node_pool(template={"requirements": [objects.capacity_types("spot")]})
    [(reason, count, names)] = _reasons(_claim(pool, [], {"cpu": "1"}))
    assert reason == f"the NodePool requires {labels.CAPACITY_TYPE} In [spot]"
    assert (count, names) == (7, ("m.1", "m.2", "m.4", "m.8"))


def test_a_type_without_an_available_offering_is_excluded() -> None:
    pool = objects.node_pool()
    zone = requirement.new(labels.ZONE, requirement.NOT_IN, ("zone-1", "zone-2"))
    found = _reasons(_claim(pool, [], {}, zone))
    assert sum(count for _, count, _ in found) == len(TYPES)


def test_types_are_looked_at_again_when_they_are_others() -> None:
    known = Exclusions()
    claim = _claim(objects.node_pool(), ["m.8"], {"cpu": "6"})
    first = known.of(claim, TYPES, labels.WELL_KNOWN, "rest")
    fewer = TYPES[:3]
    second = known.of(claim, fewer, labels.WELL_KNOWN, "rest")
    assert [each.count for each in first] == [3, 3]
    assert [each.count for each in second] == [3]
