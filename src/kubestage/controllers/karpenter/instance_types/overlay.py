"""What NodeOverlays change of instance types: prices of offerings, and extended resources.

Overlays of a higher weight come first, and the first that changes something of an offering or a
type keeps it. Of two that change the same with the same weight, the second is a conflict and
changes nothing at all.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.instance_types import prices, types
from kubestage.controllers.karpenter.requirements import requirement, requirements, validation
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.objects import node_overlays

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering

CONFLICT: Final = "Conflict"
RUNTIME_VALIDATION: Final = "RuntimeValidation"

_STANDARD: Final = frozenset({"cpu", "memory", "ephemeral-storage", "pods"})


class Problem(NamedTuple):
    """Why an overlay is not applied: the reason and the message of its condition."""

    reason: str
    message: str


class Overlaid(NamedTuple):
    """The types of each NodePool with their overlays, and the overlays that are not applied."""

    types: dict[str, Sequence[InstanceType]]
    problems: dict[str, Problem]


class _Price(msgspec.Struct):
    """The change of an offering's price, and the lowest weight that would have changed it."""

    change: str
    lowest_weight: int


@dataclasses.dataclass(slots=True)
class _Update:
    """What changes of one type in one NodePool; offerings are known by their requirements."""

    prices: dict[str, _Price] = dataclasses.field(default_factory=dict)
    capacity: dict[str, Any] = dataclasses.field(default_factory=dict)
    last_capacity: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    lowest_weight: int = 0


class _Match(NamedTuple):
    """A type of a NodePool that an overlay selects, with those of its offerings it selects."""

    key: tuple[str, str]
    offerings: list[Offering]


def overlaid(
    overlays: Sequence[Json],
    node_pools: Sequence[Json],
    offered: Mapping[str, Sequence[InstanceType]],
    well_known: frozenset[str],
) -> Overlaid:
    """Apply overlays to the types of NodePools, which `offered` has by the pools' names."""
    updates: dict[tuple[str, str], _Update] = {}
    problems: dict[str, Problem] = {}
    for overlay in _by_weight(overlays):
        name = overlay["metadata"]["name"]
        invalid = "; ".join(_problems_of(overlay["spec"], well_known))
        if invalid:
            problems[name] = Problem(RUNTIME_VALIDATION, invalid)
            continue
        matches = list(_matches(overlay, node_pools, offered, well_known))
        if any(_is_conflicting(overlay["spec"], each, updates) for each in matches):
            problems[name] = Problem(CONFLICT, "conflict with another overlay")
            continue
        for each in matches:
            _update(overlay["spec"], each, updates)
    return Overlaid(
        {
            pool: [_applied(each, updates.get((pool, each.name))) for each in listed]
            for pool, listed in offered.items()
        },
        problems,
    )


def _by_weight(overlays: Sequence[Json]) -> list[Json]:
    by_name = sorted(overlays, key=lambda each: str(each["metadata"]["name"]), reverse=True)
    return sorted(by_name, key=lambda each: -_weight(each["spec"]))


def _weight(spec: Json) -> int:
    weight: int = spec.get("weight") or 0
    return weight


def _problems_of(spec: Json, well_known: frozenset[str]) -> Iterator[str]:
    for stated in spec.get("requirements") or ():
        yield from validation.restricted((stated,), well_known)
        if stated.get("operator") == requirement.NOT_IN and not stated.get("values"):
            yield f"key {stated['key']} with operator NotIn must have a value defined"
    for name in sorted(_STANDARD.intersection(spec.get("capacity") or ())):
        yield f"invalid capacity: {name} in resource, restricted"


def _matches(
    overlay: Json,
    node_pools: Sequence[Json],
    offered: Mapping[str, Sequence[InstanceType]],
    well_known: frozenset[str],
) -> Iterator[_Match]:
    selected = requirements.of_json(overlay["spec"].get("requirements") or ())
    for node_pool in node_pools:
        name = node_pool["metadata"]["name"]
        template = node_pool["spec"]["template"].get("metadata") or {}
        own = Requirements([requirement.new(labels.NODE_POOL, requirement.IN, (name,))])
        own = own.plus(requirements.of_labels(template.get("labels")))
        for each in offered.get(name, ()):
            if own.plus(each.requirements).is_compatible(selected):
                found = prices.compatible_offerings(each.offerings, selected, well_known)
                if found:
                    yield _Match((name, each.name), found)


def _change_of(spec: Json) -> str | None:
    price: str | None = spec.get("price")
    return spec.get("priceAdjustment") if price is None else price


def _is_conflicting(spec: Json, match: _Match, updates: Mapping[tuple[str, str], _Update]) -> bool:
    update = updates.get(match.key)
    if update is None:
        return False
    if _change_of(spec) is not None:
        for offering in match.offerings:
            known = update.prices.get(str(offering.requirements))
            if known is not None and known.lowest_weight == _weight(spec):
                return True
    return update.lowest_weight == _weight(spec) and any(
        name in update.last_capacity for name in spec.get("capacity") or ()
    )


def _update(spec: Json, match: _Match, updates: dict[tuple[str, str], _Update]) -> None:
    change, capacity = _change_of(spec), spec.get("capacity")
    if change is None and capacity is None:
        return
    update = updates.setdefault(match.key, _Update())
    if change is not None:
        for offering in match.offerings:
            known = update.prices.setdefault(str(offering.requirements), _Price(change, 0))
            known.lowest_weight = _weight(spec)
    if capacity is not None:
        for name, amount in capacity.items():
            update.capacity.setdefault(name, amount)
        update.last_capacity = capacity
        update.lowest_weight = _weight(spec)


def _applied(instance_type: InstanceType, update: _Update | None) -> InstanceType:
    if update is None:
        return instance_type
    capacity: Amounts = {**instance_type.capacity, **amounts.of(update.capacity)}
    return types.new(
        instance_type.name,
        instance_type.requirements,
        [_with_price(each, update.prices) for each in instance_type.offerings],
        capacity,
        instance_type.overhead,
        capacity_overlaid=bool(update.capacity),
    )


def _with_price(offering: Offering, changes: Mapping[str, _Price]) -> Offering:
    change = changes.get(str(offering.requirements))
    if change is None:
        return offering
    # As in the real one, an offering with a changed price has no capacity of its own any more.
    return types.Offering(
        offering.requirements,
        node_overlays.adjusted_price(offering.price, change.change),
        offering.available,
        offering.reservation_capacity,
        offering.reservation_id,
        price_overlaid=True,
    )
