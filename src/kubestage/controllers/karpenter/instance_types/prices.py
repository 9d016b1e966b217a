"""Instance types by price: their order, the worst price of a launch, and the cut to a number."""

from __future__ import annotations

import functools
import sys
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.instance_types import min_values
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.golang import sort

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering

MAX_PRICE: Final = sys.float_info.max
"""The price of what cannot be had."""

MAX_INSTANCE_TYPES: Final = 600
"""How many instance types a NodeClaim names at most."""

# As many as some rounds ask for; the types of clusters that are gone do not pile up.
_REMEMBERED: Final = 1 << 13

_BY_PRECEDENCE: Final = tuple(
    Requirements([requirement.new(labels.CAPACITY_TYPE, requirement.IN, (name,))])
    for name in (labels.RESERVED, labels.SPOT, labels.ON_DEMAND)
)


def compatible_offerings(
    offerings: Iterable[Offering], requirements: Requirements, well_known: frozenset[str]
) -> list[Offering]:
    """The offerings that meet requirements."""
    return [
        offering
        for offering in offerings
        if requirements.is_compatible(offering.requirements, well_known)
    ]


def compatible(
    types: Iterable[InstanceType], requirements: Requirements, well_known: frozenset[str]
) -> list[InstanceType]:
    """The types with an available offering that meets requirements."""
    return [
        each for each in types if compatible_offerings(each.available, requirements, well_known)
    ]


# NOTE: a round of consolidation asks for the same types again for every node
# (`benchmarks/karpenter_day.py`).
@functools.lru_cache(maxsize=_REMEMBERED)
def lowest_price(
    instance_type: InstanceType, requirements: Requirements, well_known: frozenset[str]
) -> float:
    """The price of the cheapest available offering that meets requirements."""
    lowest = MAX_PRICE
    for offering in instance_type.offerings:
        if (
            offering.available
            and offering.price < lowest
            and requirements.is_compatible(offering.requirements, well_known)
        ):
            lowest = offering.price
    return lowest


def order_by_price(
    types: Sequence[InstanceType], requirements: Requirements, well_known: frozenset[str]
) -> list[InstanceType]:
    """The cheapest first; types of one price are left where Go's sort leaves them."""
    prices = [lowest_price(each, requirements, well_known) for each in types]
    if len(set(prices)) == len(prices):
        order = sorted(range(len(types)), key=prices.__getitem__)
    else:
        order = sort.in_order(range(len(types)), lambda i, j: prices[i] < prices[j])
    return [types[position] for position in order]


def cheapest(offerings: Iterable[Offering]) -> Offering:
    """The first of the cheapest."""
    return min(offerings, key=lambda offering: offering.price)


@functools.lru_cache(maxsize=_REMEMBERED)
def worst_price(
    instance_type: InstanceType, requirements: Requirements, well_known: frozenset[str]
) -> float:
    """The most that a launch of a type may cost."""
    return worst_launch_price(instance_type.available, requirements, well_known)


def worst_launch_price(
    offerings: Iterable[Offering], requirements: Requirements, well_known: frozenset[str]
) -> float:
    """The most that a launch may cost: of the first capacity type it has, the dearest offering."""
    usable = compatible_offerings(offerings, requirements, well_known)
    for capacity_type in _BY_PRECEDENCE:
        found = compatible_offerings(usable, capacity_type, well_known)
        if found:
            return max(offering.price for offering in found)
    return MAX_PRICE


def is_cut(
    types: Sequence[InstanceType],
    requirements: Requirements,
    *,
    best_effort: bool,
    most: int = MAX_INSTANCE_TYPES,
) -> bool:
    """Whether `truncated` may do more than order the types."""
    return len(types) >= most or (requirements.has_min_values and not best_effort)


def truncated(
    types: Sequence[InstanceType],
    requirements: Requirements,
    well_known: frozenset[str],
    *,
    best_effort: bool,
    most: int = MAX_INSTANCE_TYPES,
) -> tuple[list[InstanceType], str]:
    """The cheapest types up to a number, and why too few values would be left then."""
    kept = order_by_price(types, requirements, well_known)[:most]
    if requirements.has_min_values and not best_effort:
        problem = min_values.check(kept, requirements).error
        if problem:
            return list(types), f"validating minValues, {problem}"
    return kept, ""
