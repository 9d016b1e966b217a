"""Skenario's own CPU model: how long a request takes is decided when it arrives.

Each holds a part of the CPU until it leaves. The less there is left, the longer a new one takes;
those that are there already are not affected. Times are worked out in milliseconds, as there. A
request that would take longer than its timeout holds nothing, unlike there.
"""

from __future__ import annotations

from math import pow as power_of
from math import sqrt

from kubestage.traffic.fast.layout import (
    BUSY,
    CAPACITY,
    CPU,
    FAR,
    IO,
    KEY,
    NEVER,
    OCCUPIED,
    SETTLED,
    USED,
    Floats,
    Ints,
)

LEAST_FREE = 0.001
POWER = sqrt(202.0) - 1.0


def settle_skenario(station: int, now_ns: int, stations: Ints, shares: Floats) -> None:
    """Count what was used since the last time."""
    share = station >> 2
    elapsed_ns = now_ns - stations[station + SETTLED]
    stations[station + SETTLED] = now_ns
    shares[share + USED] += elapsed_ns * (shares[share + OCCUPIED] / 1000.0)


def enter_skenario(
    slot: int,
    station: int,
    now_ns: int,
    uniform: float,
    timeout_ns: int,
    slots: Ints,
    work: Floats,
    stations: Ints,
    shares: Floats,
) -> int:
    """When a request will leave; NEVER if it cannot be served in time."""
    settle_skenario(station, now_ns, stations, shares)
    spot, share = slot >> 3, station >> 2
    work[spot + KEY] = 0.0
    total_m = shares[share + CAPACITY] * 1000.0
    free_m = total_m - shares[share + OCCUPIED]
    if free_m <= LEAST_FREE:
        return NEVER
    cpu_ms = work[spot + CPU] / 1e6 * 1000.0 / free_m
    service_ms = cpu_ms + slots[slot + IO] / 1e6
    held_m = 0.0
    if service_ms > 0.0:
        held_m = cpu_ms * free_m / service_ms
    occupied_m = shares[share + OCCUPIED] + held_m
    base_ns = int(min(service_ms, FAR / 1e7)) * 1_000_000
    delay_ns = 1 + int(stretch(occupied_m * 100.0 / total_m / 100.0) * base_ns)
    spent_ns = base_ns + int(uniform * delay_ns)
    if spent_ns > timeout_ns:
        return NEVER
    if held_m > 0.0:
        work[spot + KEY] = held_m
        shares[share + OCCUPIED] = occupied_m
        stations[station + BUSY] += 1
    return now_ns + spent_ns


def stretch(utilisation: float) -> float:
    """How long requests queue, by Sakasegawa's approximation for a hundred servers."""
    if utilisation > 0.96:
        utilisation = 0.96
    elif utilisation <= 0.0:
        utilisation = 0.01
    return power_of(utilisation, POWER) / (100.0 * (1.0 - utilisation))


def leave_skenario(
    slot: int, station: int, now_ns: int, work: Floats, stations: Ints, shares: Floats
) -> None:
    """A request gives back what it held."""
    held_m = work[(slot >> 3) + KEY]
    if held_m > 0.0:
        settle_skenario(station, now_ns, stations, shares)
        share = station >> 2
        stations[station + BUSY] -= 1
        shares[share + OCCUPIED] -= held_m
        if stations[station + BUSY] == 0:
            shares[share + OCCUPIED] = 0.0
