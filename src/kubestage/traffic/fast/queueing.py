"""First come, first served: workers hold one request each, the others wait in a queue."""

from __future__ import annotations

from math import ceil

from kubestage.traffic.fast.layout import (
    ARRIVED,
    BUSY,
    CAPACITY,
    CPU,
    FAR,
    FIRST,
    IO,
    KEY,
    LAST,
    LEAVING,
    LEFT,
    NONE,
    PHASE,
    QUEUEING,
    RIGHT,
    STARTED,
    USED,
    WORKERS,
    Floats,
    Ints,
)


def line_up(slot: int, station: int, slots: Ints, stations: Ints) -> None:
    """A request waits at the end of the queue."""
    last = stations[station + LAST]
    slots[slot + PHASE] = QUEUEING
    slots[slot + LEFT] = last
    slots[slot + RIGHT] = NONE
    if last == NONE:
        stations[station + FIRST] = slot
    else:
        slots[last + RIGHT] = slot
    stations[station + LAST] = slot


def step_out(slot: int, station: int, slots: Ints, stations: Ints) -> None:
    """A request leaves the queue, from wherever it was in it."""
    before, after = slots[slot + LEFT], slots[slot + RIGHT]
    if before == NONE:
        stations[station + FIRST] = after
    else:
        slots[before + RIGHT] = after
    if after == NONE:
        stations[station + LAST] = before
    else:
        slots[after + LEFT] = before


def begin_service(
    slot: int, station: int, now_ns: int, slots: Ints, work: Floats, stations: Ints, shares: Floats
) -> int:
    """A worker takes a request; when it will be done.

    Workers share the cores, so where there are fewer cores than workers each is slower.
    """
    spot = slot >> 3
    rate = shares[(station >> 2) + CAPACITY] / stations[station + WORKERS]
    if rate > 1.0:
        rate = 1.0
    slots[slot + PHASE] = LEAVING
    slots[slot + STARTED] = now_ns
    work[spot + KEY] = rate
    stations[station + BUSY] += 1
    return now_ns + cpu_hold_ns(work[spot + CPU], rate) + slots[slot + IO]


def cpu_hold_ns(cpu_ns: float, rate: float) -> int:
    """How long a worker is busy with so much CPU time."""
    return ceil(min(cpu_ns / rate, FAR))


def used_by_worker(slot: int, now_ns: int, slots: Ints, work: Floats) -> float:
    """The CPU time that a request which is served has used until now."""
    cpu_ns, rate = work[(slot >> 3) + CPU], work[(slot >> 3) + KEY]
    elapsed_ns = now_ns - slots[slot + STARTED]
    if elapsed_ns >= cpu_hold_ns(cpu_ns, rate):
        return cpu_ns
    return elapsed_ns * rate


def end_service(
    slot: int, station: int, now_ns: int, slots: Ints, work: Floats, stations: Ints, shares: Floats
) -> None:
    """A worker is free again."""
    stations[station + BUSY] -= 1
    shares[(station >> 2) + USED] += used_by_worker(slot, now_ns, slots, work)


def waited_ns(slot: int, now_ns: int, slots: Ints) -> int:
    """How long a request waited until it was served, or waits already."""
    since_ns = slots[slot + STARTED]
    if slots[slot + PHASE] == QUEUEING or since_ns == NONE:
        since_ns = now_ns
    return since_ns - slots[slot + ARRIVED]
