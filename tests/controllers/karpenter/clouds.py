"""A cloud for tests: types of some sizes, in two zones, on demand and as spot."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.aliases import Json
from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.instance_types import InstanceType, Offering, types
from kubestage.controllers.karpenter.requirements import Requirements, requirement

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

ZONES = ("zone-1", "zone-2")


def instance_type(
    name: str,
    cpu: int,
    price: float,
    *,
    capacity_types: Iterable[str] = (labels.ON_DEMAND,),
    zones: Sequence[str] = ZONES,
) -> InstanceType:
    """A type with four times as much memory as CPU; spot costs two fifths."""
    capacity_types = tuple(capacity_types)
    offerings = [
        Offering(
            Requirements(
                [
                    requirement.new(labels.ZONE, requirement.IN, (zone,)),
                    requirement.new(labels.CAPACITY_TYPE, requirement.IN, (capacity_type,)),
                ]
            ),
            price * (0.4 if capacity_type == labels.SPOT else 1.0),
        )
        for zone in zones
        for capacity_type in capacity_types
    ]
    known = {
        labels.INSTANCE_TYPE: (name,),
        labels.ARCH: ("amd64",),
        labels.OS: ("linux",),
        labels.ZONE: tuple(zones),
        labels.CAPACITY_TYPE: capacity_types,
    }
    requirements = Requirements(
        requirement.new(key, requirement.IN, values) for key, values in known.items()
    )
    capacity = amounts.of({"cpu": str(cpu), "memory": f"{cpu * 4}Gi", "pods": "110"})
    return types.new(name, requirements, offerings, capacity, {})


STANDARD = tuple(instance_type(f"m.{cpu}", cpu, cpu * 0.05) for cpu in (1, 2, 4, 8, 16))
"""Twice the size costs twice as much."""


class Cloud:
    """Offers the same types to every NodePool; NodeClaims drift where it is so stated."""

    def __init__(
        self, offered: Sequence[InstanceType] = STANDARD, drifted: dict[str, str] | None = None
    ) -> None:
        self.offered = offered
        self.drifted = drifted or {}
        self.well_known = labels.WELL_KNOWN
        self.reserved_labels: frozenset[str] = frozenset()
        self.reservation_label = ""

    def types_of(self, node_pool: Json) -> Sequence[InstanceType]:
        """The types."""
        del node_pool
        return self.offered

    def drift_reason(self, node_claim: Json) -> str:
        """Why a NodeClaim has drifted."""
        return self.drifted.get(node_claim["metadata"]["name"], "")
