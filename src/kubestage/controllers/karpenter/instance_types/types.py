"""One instance type, and one way to have it: a zone, a capacity type and a price."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.karpenter import amounts, labels
from kubestage.objects import pod_resources

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.requirements.requirements import Requirements

_NO_AMOUNTS: Final[Amounts] = {}


class Offering(msgspec.Struct, frozen=True, eq=False):
    """Where an instance type can be had, for how much, and whether it is there at the moment.

    The overrides are for providers whose machines differ by zone; they add to what the type has.
    """

    requirements: Requirements
    price: float
    available: bool = True
    reservation_capacity: int = 0
    reservation_id: str = ""
    capacity_override: Amounts = _NO_AMOUNTS
    overhead_override: Amounts | None = None
    price_overlaid: bool = False

    @property
    def capacity_type(self) -> str:
        """How it is paid for: spot, on-demand or reserved."""
        return self.requirements.get(labels.CAPACITY_TYPE).any()

    @property
    def zone(self) -> str:
        """Where it is."""
        return self.requirements.get(labels.ZONE).any()


class AllocatableOfferings(msgspec.Struct, frozen=True, eq=False):
    """The available offerings that have the same room for pods."""

    allocatable: Amounts
    offerings: tuple[Offering, ...]


class InstanceType(msgspec.Struct, frozen=True, eq=False):
    """A kind of machine; `overhead` is what the system keeps of its capacity.

    `groups` are its available offerings by their room; the first has that of the type itself.
    """

    name: str
    requirements: Requirements
    offerings: tuple[Offering, ...]
    capacity: Amounts
    overhead: Amounts
    groups: tuple[AllocatableOfferings, ...]
    capacity_overlaid: bool = False

    @property
    def allocatable(self) -> Amounts:
        """The room for pods."""
        return self.groups[0].allocatable

    @property
    def available(self) -> tuple[Offering, ...]:
        """The offerings that are there."""
        return tuple(offering for offering in self.offerings if offering.available)

    def price(self, zone: str, capacity_type: str) -> float | None:
        """What it costs in a zone; None if it is not offered so."""
        for offering in self.offerings:
            if offering.zone == zone and offering.capacity_type == capacity_type:
                return offering.price
        return None


def new(
    name: str,
    requirements: Requirements,
    offerings: Iterable[Offering],
    capacity: Amounts,
    overhead: Amounts,
    *,
    capacity_overlaid: bool = False,
) -> InstanceType:
    """An instance type with its offerings grouped by their room."""
    listed = tuple(offerings)
    groups = _groups(listed, capacity, overhead)
    return InstanceType(name, requirements, listed, capacity, overhead, groups, capacity_overlaid)


def _groups(
    offerings: tuple[Offering, ...], capacity: Amounts, overhead: Amounts
) -> tuple[AllocatableOfferings, ...]:
    rooms: dict[object, tuple[Amounts, list[Offering]]] = {
        None: (_allocatable(capacity, overhead), [])
    }
    for offering in offerings:
        if not offering.available:
            continue
        key: object = None
        if offering.capacity_override or offering.overhead_override is not None:
            more, kept = offering.capacity_override, offering.overhead_override or {}
            key = (tuple(sorted(more.items())), tuple(sorted(kept.items())))
            if key not in rooms:
                own = amounts.merged(capacity, more), amounts.merged(overhead, kept)
                rooms[key] = (_allocatable(*own), [])
        rooms[key][1].append(offering)
    return tuple(AllocatableOfferings(room, tuple(listed)) for room, listed in rooms.values())


def _allocatable(capacity: Amounts, overhead: Amounts) -> Amounts:
    """Capacity without overhead; huge pages are taken from the memory."""
    room = amounts.subtracted(capacity, overhead)
    for name, amount in capacity.items():
        if name.startswith(pod_resources.HUGE_PAGES_PREFIX):
            memory = room.get(pod_resources.MEMORY, 0) - amount
            room[pod_resources.MEMORY] = max(memory, 0)
    return room
