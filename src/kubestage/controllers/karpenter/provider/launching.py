"""The choice of a machine: which of the ways that a NodeClaim allows, and what it is like."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.provider.capacity import Place
from kubestage.controllers.karpenter.provider.machines import Machine
from kubestage.controllers.karpenter.requirements import requirements as requirement_sets
from kubestage.objects import pod_resources, quantity

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering
    from kubestage.controllers.karpenter.provider.node_class import NodeClass

_PRECEDENCE: Final = (labels.RESERVED, labels.SPOT, labels.ON_DEMAND)
_BYTES: Final = (pod_resources.MEMORY, pod_resources.EPHEMERAL_STORAGE)
_MOST_TYPES: Final = 60


class Option(NamedTuple):
    """One way to have a machine for a NodeClaim."""

    instance_type: InstanceType
    offering: Offering

    @property
    def place(self) -> Place:
        """Of what type it is, where, and how it is paid for."""
        offering = self.offering
        return Place(self.instance_type.name, offering.zone, offering.capacity_type)


def options(
    node_claim: Json, types: Iterable[InstanceType], well_known: frozenset[str]
) -> Sequence[Option]:
    """The ways that a NodeClaim allows, the cheapest first, all of one capacity type.

    A reservation comes first, then spot, as with Karpenter's provider for AWS. Spot machines that
    cost more than the cheapest on demand do not count.
    """
    required = requirement_sets.of_json(node_claim["spec"].get("requirements") or ())
    named = required.get(labels.INSTANCE_TYPE)
    found = [
        Option(each, offering)
        for each in types
        if named.has(each.name) and required.is_compatible(each.requirements, well_known)
        for offering in each.offerings
        if offering.available and required.is_compatible(offering.requirements, well_known)
    ]
    found.sort(key=lambda each: (each.offering.price, each.instance_type.name, each.offering.zone))
    by_type = {
        kind: [each for each in found if each.offering.capacity_type == kind]
        for kind in _PRECEDENCE
    }
    on_demand = by_type[labels.ON_DEMAND]
    if on_demand:
        most = on_demand[0].offering.price
        by_type[labels.SPOT] = [
            each for each in by_type[labels.SPOT] if each.offering.price <= most
        ]
    chosen = next((by_type[kind] for kind in _PRECEDENCE if by_type[kind]), [])
    kept = list(dict.fromkeys(each.instance_type.name for each in chosen))[:_MOST_TYPES]
    return [each for each in chosen if each.instance_type.name in kept]


def machine(node_claim: Json, of: NodeClass, option: Option, initialization_ns: int) -> Machine:
    """The machine of an option."""
    found, offering = option
    metadata, spec = node_claim["metadata"], node_claim["spec"]
    group = next((each for each in found.groups if offering in each.offerings), found.groups[0])
    capacity = {**found.capacity, **offering.capacity_override}
    return Machine(
        provider_id=f"stage:///{offering.zone}/{metadata['name']}",
        claim=metadata["name"],
        claim_uid=metadata["uid"],
        place=option.place,
        reservation_id=offering.reservation_id,
        node_class=of.key,
        labels={**found.requirements.labels(), **offering.requirements.labels()},
        taints=[*(spec.get("taints") or ()), *(spec.get("startupTaints") or ())],
        capacity=resource_list(capacity),
        allocatable=resource_list(group.allocatable),
        image=of.image,
        initialization_ns=initialization_ns,
        removes_startup_taints=of.removes_startup_taints,
    )


def resource_list(amounts: Amounts) -> dict[str, str]:
    """Amounts as an object states them; memory and disks in powers of two."""
    return {
        name: str(
            quantity.from_int(amount // 1000, quantity.BINARY_SI)
            if name in _BYTES
            else quantity.from_milli(amount)
        )
        for name, amount in amounts.items()
        if amount
    }


def with_availability(offering: Offering, *, available: bool, left: int) -> Offering:
    """An offering as it is at the moment."""
    if (available, left) == (offering.available, offering.reservation_capacity):
        return offering
    return msgspec.structs.replace(offering, available=available, reservation_capacity=left)
