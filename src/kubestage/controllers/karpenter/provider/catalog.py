"""Instance types from the prices of catalogs: one type for each name, with all its offerings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.instance_types import types
from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.objects import pod_resources, prices

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.requirements.requirement import Requirement
    from kubestage.objects.prices import CatalogEntry

RESERVATION_ID: Final = "karpenter.k8s.aws/capacity-reservation-id"
"""The label of machines from a capacity reservation."""

DEFAULT_ZONES: Final = ("zone-a", "zone-b", "zone-c")
"""The zones of a catalog that names none."""

_DEFAULT_PODS: Final = 110 * amounts.UNIT
_NOTHING: Final[Amounts] = {}


class Room(msgspec.Struct, frozen=True):
    """What a machine has, and what of it pods do not get."""

    capacity: Amounts
    overhead: Amounts


class Terms(msgspec.Struct, frozen=True):
    """What a node class says of all machines.

    `zones` are those in which there are machines; none means those of the catalog. `adjust` changes
    the room of a type with these labels.
    """

    zones: tuple[str, ...] = ()
    overhead: Amounts = _NOTHING
    max_pods: int | None = None
    adjust: Callable[[Room, Json], Room] | None = None


def named(catalogs: Iterable[Json], name: str) -> list[Json]:
    """The catalogs of a name; without one all of them."""
    return [each for each in catalogs if not name or each["metadata"]["name"] == name]


def labels_of(catalogs: Iterable[Json]) -> frozenset[str]:
    """The labels that types of catalogs have besides the usual ones."""
    found = {key for each in catalogs for entry in prices.entries(each) for key in entry.labels}
    return frozenset(found)


def instance_types(catalogs: Sequence[Json], terms: Terms) -> list[InstanceType]:
    """The types of catalogs in their order; types of unknown room are left out."""
    found: dict[str, tuple[Json, list[CatalogEntry]]] = {}
    for catalog in catalogs:
        for entry in prices.entries(catalog):
            found.setdefault(entry.instance_type, (catalog, []))[1].append(entry)
    listed = labels_of(catalogs)
    made = (_type(catalog, entries, terms, listed) for catalog, entries in found.values())
    return [each for each in made if each is not None]


def _type(
    catalog: Json, entries: list[CatalogEntry], terms: Terms, listed: frozenset[str]
) -> InstanceType | None:
    resources = _stated(entry.resources for entry in entries)
    offerings = list(_offerings(catalog, entries, terms.zones))
    if not {pod_resources.CPU, pod_resources.MEMORY} <= resources.keys() or not offerings:
        return None
    first = entries[0]
    own = _stated(entry.labels for entry in entries)
    room = _room(resources, _stated(entry.capacity for entry in entries), terms, own)
    stated = {
        labels.INSTANCE_TYPE: [first.instance_type],
        labels.ARCH: [first.architecture],
        labels.OS: [first.operating_system],
        labels.ZONE: [each.zone for each in offerings],
        labels.CAPACITY_TYPE: [each.capacity_type for each in offerings],
        **{key: [value] for key, value in own.items()},
    }
    region = prices.setting(catalog, "region")
    if region:
        stated[labels.REGION] = [region]
    reserved = [each.reservation_id for each in offerings if each.reservation_id]
    requirements = [requirement.new(key, requirement.IN, values) for key, values in stated.items()]
    absent = listed - own.keys() | ({RESERVATION_ID} if not reserved else set())
    requirements += [requirement.new(key, requirement.DOES_NOT_EXIST) for key in sorted(absent)]
    if reserved:
        requirements.append(requirement.new(RESERVATION_ID, requirement.IN, reserved))
    return types.new(
        first.instance_type, Requirements(requirements), offerings, room.capacity, room.overhead
    )


def _stated(parts: Iterable[Json]) -> Json:
    """What prices of one type state together."""
    found: Json = {}
    for part in parts:
        found |= part
    return found


def _room(resources: Json, capacity: Json, terms: Terms, own: Json) -> Room:
    left = {pod_resources.PODS: _DEFAULT_PODS, **amounts.of(resources)}
    whole = {**left, **amounts.of(capacity)}
    overhead = {name: amount - left[name] for name, amount in whole.items() if name in left}
    room = Room(whole, {name: amount for name, amount in overhead.items() if amount})
    if terms.adjust is not None:
        room = terms.adjust(room, own)
    if terms.max_pods is not None:
        pods = {pod_resources.PODS: terms.max_pods * amounts.UNIT}
        kept = {name: each for name, each in room.overhead.items() if name not in pods}
        room = Room({**room.capacity, **pods}, kept)
    return Room(room.capacity, amounts.merged(room.overhead, terms.overhead))


def _offerings(
    catalog: Json, entries: Sequence[CatalogEntry], zones: Sequence[str]
) -> Iterable[Offering]:
    """An offering for each price, and for each zone if the price names none."""
    everywhere = prices.setting(catalog, "zones") or zones or DEFAULT_ZONES
    stated = {(each.zone, each.capacity_type) for each in entries}
    has_reserved = any(each.reservation_id for each in entries)
    for entry in entries:
        for zone in (entry.zone,) if entry.zone else everywhere:
            is_of_other = not entry.zone and (zone, entry.capacity_type) in stated
            if not is_of_other and (not zones or zone in zones):
                yield _offering(entry, zone, has_reserved=has_reserved)


def _offering(entry: CatalogEntry, zone: str, *, has_reserved: bool) -> Offering:
    stated: list[Requirement] = [
        requirement.new(labels.CAPACITY_TYPE, requirement.IN, (entry.capacity_type,)),
        requirement.new(labels.ZONE, requirement.IN, (zone,)),
    ]
    if entry.reservation_id:
        reserved = (entry.reservation_id,)
        stated.append(requirement.new(RESERVATION_ID, requirement.IN, reserved))
    elif has_reserved:
        stated.append(requirement.new(RESERVATION_ID, requirement.DOES_NOT_EXIST))
    return Offering(
        Requirements(stated),
        entry.price,
        entry.available,
        entry.reservation_capacity,
        entry.reservation_id,
    )
