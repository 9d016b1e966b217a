"""NodeOverlays: other prices and more resources for some instance types of some NodePools."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.instance_types import prices, types
from kubestage.controllers.karpenter.requirements import requirement, requirements
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.objects import node_overlays

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering


class _Update:
    """What overlays change of one instance type in one NodePool; the heaviest come first."""

    def __init__(self) -> None:
        self.prices: dict[Requirements, str] = {}
        self.price_weights: dict[Requirements, int] = {}
        self.capacity: dict[str, str] = {}
        self.capacity_weight: int | None = None
        self.lightest: frozenset[str] = frozenset()


class Evaluation(NamedTuple):
    """What overlays change, by NodePool and type, and the overlays that contradict others."""

    updates: dict[str, dict[str, _Update]]
    conflicting: frozenset[str]

    def applied(self, pool: str, listed: Sequence[InstanceType]) -> Sequence[InstanceType]:
        """The types of a NodePool with the changes."""
        updates = self.updates.get(pool)
        if not updates:
            return listed
        return [_applied(each, updates.get(each.name)) for each in listed]


def evaluate(
    overlays: Iterable[Json], pools: Mapping[str, tuple[Json, Sequence[InstanceType]]]
) -> Evaluation:
    """Evaluate valid overlays, by weight; one that contradicts a heavier one does not count."""
    updates: dict[str, dict[str, _Update]] = {name: {} for name in pools}
    conflicting = set()
    for overlay in sorted(overlays, key=_order, reverse=True):
        selector = requirements.of_json(overlay["spec"].get("requirements") or ())
        selected = [
            (updates[name], each, offerings)
            for name, (pool, listed) in pools.items()
            for each in listed
            if (offerings := _offerings(pool, each, selector))
        ]
        if any(_conflicts(known.get(each.name), offerings, overlay)
               for known, each, offerings in selected):  # fmt: skip
            conflicting.add(overlay["metadata"]["name"])
            continue
        for known, each, offerings in selected:
            _note(known.setdefault(each.name, _Update()), offerings, overlay)
    return Evaluation(updates, frozenset(conflicting))


def _order(overlay: Json) -> tuple[int, str]:
    return overlay["spec"].get("weight") or 0, overlay["metadata"]["name"]


def _change(overlay: Json) -> str | None:
    spec = overlay["spec"]
    found: str | None = spec.get("price", spec.get("priceAdjustment"))
    return found


def _offerings(pool: Json, each: InstanceType, selector: Requirements) -> list[Offering]:
    """The offerings of a type that an overlay is about."""
    name = requirement.new(labels.NODE_POOL, requirement.IN, (pool["metadata"]["name"],))
    stated = (pool["spec"]["template"].get("metadata") or {}).get("labels")
    own = Requirements([name]).plus(requirements.of_labels(stated)).plus(each.requirements)
    if not own.is_compatible(selector):
        return []
    well_known = frozenset(each.requirements.keys()) | labels.WELL_KNOWN
    return prices.compatible_offerings(each.offerings, selector, well_known)


def _conflicts(known: _Update | None, offerings: Iterable[Offering], overlay: Json) -> bool:
    """Whether an overlay says the same of a type as another one of its weight."""
    if known is None:
        return False
    weight, spec = overlay["spec"].get("weight") or 0, overlay["spec"]
    if _change(overlay) is not None and any(
        known.price_weights.get(each.requirements) == weight for each in offerings
    ):
        return True
    is_same_weight = known.capacity_weight == weight
    return is_same_weight and not known.lightest.isdisjoint(spec.get("capacity") or ())


def _note(known: _Update, offerings: Iterable[Offering], overlay: Json) -> None:
    weight, change = overlay["spec"].get("weight") or 0, _change(overlay)
    if change is not None:
        for each in offerings:
            known.prices.setdefault(each.requirements, change)
            known.price_weights[each.requirements] = weight
    capacity = overlay["spec"].get("capacity")
    if capacity is not None:
        known.capacity = {**capacity, **known.capacity}
        known.capacity_weight, known.lightest = weight, frozenset(capacity)


def _applied(each: InstanceType, update: _Update | None) -> InstanceType:
    if update is None:
        return each
    offerings = [_repriced(offering, update) for offering in each.offerings]
    capacity: Amounts = {**each.capacity, **amounts.of(update.capacity)}
    return types.new(
        each.name, each.requirements, offerings, capacity, each.overhead,
        capacity_overlaid=bool(update.capacity),
    )  # fmt: skip


def _repriced(offering: Offering, update: _Update) -> Offering:
    change = update.prices.get(offering.requirements)
    if change is None:
        return offering
    price = node_overlays.adjusted_price(offering.price, change)
    return msgspec.structs.replace(offering, price=price, price_overlaid=True)
