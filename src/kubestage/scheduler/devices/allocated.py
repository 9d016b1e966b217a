"""Which devices are allocated, and to which claims."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import quantity
from kubestage.scheduler.devices.slices import DeviceId, PoolId

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from kubestage.aliases import Json
    from kubestage.objects.quantity import Quantity


_NOTHING: Final[frozenset[str]] = frozenset()


def allocation_of(claim: Json) -> Json | None:
    """What a claim is allocated, or None."""
    allocation: Json | None = (claim.get("status") or {}).get("allocation")
    return allocation


class Allocated:
    """Devices in use: those of one claim alone, and how much of those that are shared."""

    def __init__(self) -> None:
        self.capacity: dict[DeviceId, dict[str, Quantity]] = {}
        self._owners: dict[PoolId, collections.Counter[str]] = {}
        self._shares: collections.Counter[DeviceId] = collections.Counter()
        self._shared_pools: collections.Counter[PoolId] = collections.Counter()
        self._names: dict[PoolId, frozenset[str]] = {}
        self._counted: dict[str, Json] = {}

    def refresh(self, claims: Iterable[Json], in_flight: Mapping[str, Json]) -> None:
        """Take up the claims as they are now; those in flight count as allocated already."""
        current = {}
        for claim in claims:
            uid = claim["metadata"]["uid"]
            current[uid] = in_flight.get(uid, claim) if allocation_of(claim) is None else claim
        for uid, claim in in_flight.items():
            current.setdefault(uid, claim)
        counted = self._counted
        for uid, claim in counted.items():
            if current.get(uid) is not claim:
                self._count(claim, -1)
        for uid, claim in current.items():
            if counted.get(uid) is not claim:
                self._count(claim, 1)
        self._counted = current

    def is_owned(self, device: DeviceId) -> bool:
        """Whether a claim has the device for itself."""
        owners = self._owners.get(PoolId(device.driver, device.pool))
        return owners is not None and device.device in owners

    def is_in_use(self, device: DeviceId) -> bool:
        """Whether any claim uses the device, in whole or in part."""
        return self.is_owned(device) or device in self._shares or device in self.capacity

    def owned_in(self, pool: PoolId) -> frozenset[str] | None:
        """The devices of a pool that have an owner; None if shares of others are in use too."""
        if pool in self._shared_pools:
            return None
        names = self._names.get(pool)
        if names is None:
            names = self._names[pool] = frozenset(self._owners.get(pool, _NOTHING))
        return names

    def _count(self, claim: Json, sign: int) -> None:
        allocation = allocation_of(claim)
        if allocation is None:
            return
        for result in (allocation.get("devices") or {}).get("results") or ():
            if result.get("adminAccess"):
                continue
            device = DeviceId(result["driver"], result["pool"], result["device"])
            if result.get("shareID") is None:
                self._count_owner(device, sign)
            else:
                self._count_share(device, result.get("consumedCapacity"), sign)

    def _count_owner(self, device: DeviceId, sign: int) -> None:
        pool = PoolId(device.driver, device.pool)
        owners = self._owners.setdefault(pool, collections.Counter())
        _add(owners, device.device, sign)
        self._names.pop(pool, None)

    def _count_share(self, device: DeviceId, consumed: Json | None, sign: int) -> None:
        _add(self._shares, device, sign)
        _add(self._shared_pools, PoolId(device.driver, device.pool), sign)
        if consumed is None:
            return
        amounts = self.capacity.setdefault(device, {})
        for name, text in consumed.items():
            amount, before = quantity.of(text), amounts.get(name, quantity.ZERO)
            amounts[name] = before + amount if sign > 0 else before - amount
        if sign < 0 and all(amount.is_zero for amount in amounts.values()):
            del self.capacity[device]


def _add(counts: collections.Counter[Any], key: Any, sign: int) -> None:
    counts[key] += sign
    if not counts[key]:
        del counts[key]
