"""Shared counters: devices that are cut from one thing use it up together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects import quantity
from kubestage.scheduler.devices.slices import Counters, DeviceId, PoolId

if TYPE_CHECKING:
    from kubestage.scheduler.devices.allocated import Allocated
    from kubestage.scheduler.devices.pools import Candidate, Pool


class AvailableCounters:
    """What allocated devices leave of each pool's counters, worked out once per pool."""

    def __init__(self, allocated: Allocated) -> None:
        self._allocated = allocated
        self._left: dict[PoolId, Counters] = {}

    def counters_of(self, pool: Pool) -> Counters:
        """What is left in a pool; below zero means nothing."""
        left = self._left.get(pool.id)
        if left is None:
            left = self._left[pool.id] = self._count(pool)
        return left

    def _count(self, pool: Pool) -> Counters:
        left = {name: dict(amounts) for name, amounts in pool.counters.items()}
        for each in (*pool.slices, *pool.others):
            for device in each.devices:
                if self._allocated.is_in_use(DeviceId(*pool.id, device.name)):
                    for name, amounts in device.consumes:
                        for counter, amount in amounts.items():
                            left[name][counter] -= amount
        return left


class CounterLedger:
    """What the devices chosen so far in one search would use up."""

    def __init__(self, available: AvailableCounters) -> None:
        self._available = available
        self._used: dict[PoolId, Counters] = {}

    def reserve(self, candidate: Candidate) -> bool:
        """Use up what a device needs, unless any counter of its pool would fall short."""
        pool = candidate.pool
        used = self._used.setdefault(pool.id, {})
        for name, amounts in candidate.device.consumes:
            counters = used.setdefault(name, {})
            for counter, amount in amounts.items():
                counters[counter] = counters.get(counter, quantity.ZERO) + amount
        for name, left in self._available.counters_of(pool).items():
            taken = used.get(name, {})
            if any(amount < taken.get(counter, quantity.ZERO) for counter, amount in left.items()):
                self.release(candidate)
                return False
        return True

    def release(self, candidate: Candidate) -> None:
        """Give back what a device needs."""
        used = self._used[candidate.pool.id]
        for name, amounts in candidate.device.consumes:
            for counter, amount in amounts.items():
                used[name][counter] -= amount
