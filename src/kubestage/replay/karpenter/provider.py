"""The cloud provider of a recorded world: it lists instance types and answers drift checks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import amounts, labels
from kubestage.controllers.karpenter.instance_types import types
from kubestage.controllers.karpenter.instance_types.types import InstanceType, Offering
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements.requirements import Requirements

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.replay.karpenter.world import RecordedOffering, RecordedType, World

RESERVATION_ID: Final = "karpenter.test.sh/reservation-id"
WELL_KNOWN: Final = labels.WELL_KNOWN | {RESERVATION_ID, "sim.example/cpu", "sim.example/family"}


class RecordedProvider:
    """Answers as the provider of the recording did."""

    well_known = WELL_KNOWN
    reserved_labels = frozenset({RESERVATION_ID})
    reservation_label = RESERVATION_ID

    def __init__(self, world: World) -> None:
        self._types = [_type(each) for each in world.instance_types]
        self._by_pool = world.node_pool_instance_types
        self._drift = world.cloud_provider_drift or {}

    def types_of(self, node_pool: Json) -> list[InstanceType]:
        """The instance types of a NodePool."""
        if self._by_pool is None:
            return self._types
        names = self._by_pool.get(node_pool["metadata"]["name"], ())
        return [each for each in self._types if each.name in names]

    def drift_reason(self, node_claim: Json) -> str:
        """Why a NodeClaim has drifted; empty if it has not."""
        return self._drift.get(node_claim["metadata"]["name"], "")


def _type(recorded: RecordedType) -> InstanceType:
    offerings = [_offering(each) for each in recorded.offerings]
    reservations = [each.reservation_id for each in recorded.offerings if each.reservation_id]
    own = {
        labels.INSTANCE_TYPE: [recorded.name],
        labels.ARCH: [recorded.arch],
        labels.OS: recorded.os,
        labels.ZONE: [each.zone for each in recorded.offerings],
        labels.CAPACITY_TYPE: [each.capacity_type for each in recorded.offerings],
        **{key: [value] for key, value in recorded.labels.items()},
    }
    if reservations:
        own[RESERVATION_ID] = reservations
    return types.new(
        recorded.name,
        _requirements(own),
        offerings,
        amounts.of(recorded.capacity),
        amounts.of(recorded.overhead),
    )


def _offering(recorded: RecordedOffering) -> Offering:
    own = {labels.ZONE: [recorded.zone], labels.CAPACITY_TYPE: [recorded.capacity_type]}
    reserved = [recorded.reservation_id] if recorded.reservation_id else []
    return Offering(
        _requirements({**own, RESERVATION_ID: reserved}),
        recorded.price,
        recorded.available,
        recorded.reservation_capacity,
        recorded.reservation_id,
    )


def _requirements(values: dict[str, list[str]]) -> Requirements:
    return Requirements(
        requirement.new(key, requirement.IN if each else requirement.DOES_NOT_EXIST, each)
        for key, each in values.items()
    )
