"""Which instance types a replacement may have: it must not cost more than what it replaces."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.instance_types import min_values, prices
from kubestage.controllers.karpenter.requirements import requirement, requirements

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.instance_types import InstanceType
    from kubestage.controllers.karpenter.requirements import Requirements
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim

SPOT_FLEXIBILITY: Final = 15
"""How many cheaper types a spot node needs to be replaced by a spot node."""

SPOT: Final = requirement.new(labels.CAPACITY_TYPE, requirement.IN, (labels.SPOT,))


def cheaper_than(
    types: Sequence[InstanceType],
    required: Requirements,
    price: float,
    well_known: frozenset[str],
) -> tuple[list[InstanceType], str]:
    """The types whose launch costs less at worst, and whether they have too few values."""
    kept = [each for each in types if prices.worst_price(each, required, well_known) < price]
    return kept, min_values.check(kept, required).error


def without_same_type(
    claim: NewNodeClaim, candidates: Sequence[Candidate], well_known: frozenset[str]
) -> tuple[list[InstanceType], str]:
    """The types of a replacement of several nodes that are not among them, nor dearer.

    Else one could keep the node of that type and just delete the others.
    """
    lowest: dict[str, float] = {}
    existing = set()
    for each in candidates:
        assert each.instance_type is not None
        name = each.instance_type.name
        existing.add(name)
        offerings = prices.compatible_offerings(
            each.instance_type.offerings, requirements.of_labels(each.node.labels), well_known
        )
        if offerings:
            price = prices.cheapest(offerings).price
            lowest[name] = min(lowest.get(name, prices.MAX_PRICE), price)
    # A type without a known price counts as one that costs nothing.
    limit = min(
        (lowest.get(each.name, 0.0) for each in claim.instance_types if each.name in existing),
        default=prices.MAX_PRICE,
    )
    return cheaper_than(claim.instance_types, claim.requirements, limit, well_known)


def is_flexible(claim: NewNodeClaim) -> bool:
    """Whether a replacement may be spot as well as on-demand."""
    capacity_types = claim.requirements.get(labels.CAPACITY_TYPE)
    return capacity_types.has(labels.SPOT) and capacity_types.has(labels.ON_DEMAND)


def allows_spot(claim: NewNodeClaim) -> bool:
    """Whether a replacement may be spot."""
    return claim.requirements.get(labels.CAPACITY_TYPE).has(labels.SPOT)


def with_spot_only(required: Requirements) -> Requirements:
    """The requirements of a replacement that must be spot."""
    return required.plus(requirements.Requirements([SPOT]))


def cut_for_spot(types: Sequence[InstanceType], required: Requirements) -> list[InstanceType]:
    """The cheapest types, so few that a launch cannot end in one that is dearer by rank."""
    most = SPOT_FLEXIBILITY
    if required.has_min_values:
        most = max(most, min_values.check(types, required).needed_types)
    return list(types[:most])
