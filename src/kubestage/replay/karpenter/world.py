"""Recorded worlds as they lie in files."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import msgspec

from kubestage.aliases import Json
from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.conditions import node_pool_hash
from kubestage.controllers.karpenter.settings import RESPECT, STRICT
from kubestage.controllers.karpenter.state.cluster_state import ClusterState
from kubestage.errors import InputError
from kubestage.files import reading
from kubestage.objects import timestamps

if TYPE_CHECKING:
    import pathlib

START_NS: Final = timestamps.parse_time("2000-01-01T00:00:00Z")
"""The time at which every world begins."""

_CURRENT: Final = "CURRENT"
_FIX: Final = "one recorded world of Karpenter is expected, with its objects and steps"


class WorldOptions(msgspec.Struct, frozen=True, rename="camel"):
    """The flags that Karpenter ran with."""

    preference_policy: str = RESPECT
    min_values_policy: str = STRICT
    spot_to_spot_consolidation: bool = False
    reserved_capacity: bool = True


class RecordedOffering(msgspec.Struct, frozen=True, rename="camel"):
    """Where a type is to be had, and for how much."""

    zone: str
    capacity_type: str
    price: float
    available: bool
    reservation_id: str = msgspec.field(name="reservationID", default="")
    reservation_capacity: int = 0


class RecordedType(msgspec.Struct, frozen=True):
    """An instance type of the provider."""

    name: str
    arch: str
    os: list[str]
    labels: dict[str, str]
    capacity: dict[str, str]
    overhead: dict[str, str]
    offerings: list[RecordedOffering]


class World(msgspec.Struct, frozen=True, rename="camel"):
    """One world; `order_sensitive` has the fields in which the real one itself varies, by step."""

    name: str
    category: str
    kind: Literal["provision", "disrupt"]
    options: WorldOptions
    instance_types: list[RecordedType]
    objects: list[Json]
    steps: list[Json]
    node_pool_instance_types: dict[str, list[str]] | None = None
    cloud_provider_drift: dict[str, str] | None = None
    order_sensitive: dict[str, list[str]] | None = None

    def cluster(self) -> ClusterState:
        """The cluster as the first step finds it."""
        return ClusterState(self._objects(), START_NS)

    def node_pools(self) -> list[Json]:
        """The NodePools, by name."""
        pools = [each for each in self.objects if each["kind"] == "NodePool"]
        return sorted(pools, key=lambda each: str(each["metadata"]["name"]))

    def _objects(self) -> list[Json]:
        """The objects; NodeClaims made from the NodePool as it is get its hash."""
        hashes = {each["metadata"]["name"]: node_pool_hash.of(each) for each in self.node_pools()}
        return [_with_hash(each, hashes) for each in self.objects]


def load(path: pathlib.Path) -> World:
    """The world of a file, which may be compressed."""
    return read(reading.unpacked(reading.read(path), str(path)), str(path))


def read(data: bytes, source: str = "<bytes>") -> World:
    """The world of a JSON object."""
    try:
        # Flags are recorded as booleans or as their text.
        return msgspec.json.decode(data, type=World, strict=False)
    except msgspec.MsgspecError as error:
        raise InputError(str(error).replace("`", ""), file=source, fix=_FIX) from None


def _with_hash(obj: Json, hashes: dict[str, str]) -> Json:
    metadata = obj["metadata"]
    annotations = metadata.get("annotations") or {}
    if obj["kind"] != "NodeClaim" or annotations.get(labels.NODE_POOL_HASH) != _CURRENT:
        return obj
    pool = (metadata.get("labels") or {}).get(labels.NODE_POOL) or ""
    own = {**annotations, labels.NODE_POOL_HASH: hashes.get(pool, "")}
    return {**obj, "metadata": {**metadata, "annotations": own}}
