"""The CPU time that was used at each station; nothing is changed by asking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.traffic.fast import layout, queueing

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.traffic.fast.state import State


def used(state: State, stations: Iterable[int], now_ns: int) -> dict[int, float]:
    """In nanoseconds of one core until now, by station."""
    discipline, found = int(state.single[layout.DISCIPLINE]), {}
    for station in stations:
        share = station >> 2
        elapsed_ns = now_ns - int(state.stations[station + layout.SETTLED])
        total = float(state.shares[share + layout.USED])
        if discipline == layout.SHARING:
            busy = int(state.stations[station + layout.BUSY])
            total += elapsed_ns * min(float(state.shares[share + layout.CAPACITY]), busy)
        elif discipline == layout.SKENARIO:
            total += elapsed_ns * (float(state.shares[share + layout.OCCUPIED]) / 1000.0)
        found[station] = total
    if discipline == layout.FIRST_COME:
        for slot in state.in_flight():
            if state.slots[slot + layout.PHASE] == layout.LEAVING:
                station = int(state.slots[slot + layout.STATION])
                found[station] += float(
                    queueing.used_by_worker(slot, now_ns, state.slots, state.work)
                )
    return found
