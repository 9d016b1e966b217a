"""Processor sharing: all requests in their CPU phase run at one speed.

`VIRTUAL` is the CPU time that a request would have had which was there all along. One that enters
ends its phase when that has grown by what it needs, so who is next never changes while others come
and go. Requests are in a skew heap by that: no arrays of its own, and anyone can be taken out.
"""

from __future__ import annotations

from math import ceil

from kubestage.traffic.fast.heaps import set_due
from kubestage.traffic.fast.layout import (
    BUSY,
    CAPACITY,
    CPU,
    FAR,
    FIRST,
    KEY,
    LEFT,
    NEVER,
    NONE,
    NUMBER,
    PARENT,
    RIGHT,
    SETTLED,
    USED,
    VIRTUAL,
    Floats,
    Ints,
)


def settle_sharing(station: int, now_ns: int, stations: Ints, shares: Floats) -> None:
    """Count what was used, and what each one got, since the last time."""
    elapsed_ns = now_ns - stations[station + SETTLED]
    if elapsed_ns == 0:
        return
    stations[station + SETTLED] = now_ns
    busy = stations[station + BUSY]
    if busy:
        share = station >> 2
        capacity = shares[share + CAPACITY]
        if capacity < busy:
            shares[share + VIRTUAL] += elapsed_ns * (capacity / busy)
            shares[share + USED] += elapsed_ns * capacity
        else:
            shares[share + VIRTUAL] += elapsed_ns
            shares[share + USED] += elapsed_ns * busy


def foresee(
    station: int, single: Ints, stations: Ints, shares: Floats, work: Floats, tree: Ints
) -> None:
    """Work out when the next CPU phase ends, as things are."""
    first = stations[station + FIRST]
    if first == NONE:
        set_due(station, NEVER, single, stations, tree)
        return
    share = station >> 2
    left = work[(first >> 3) + KEY] - shares[share + VIRTUAL]
    busy, capacity = stations[station + BUSY], shares[share + CAPACITY]
    if capacity < busy:
        left = left / (capacity / busy)
    due_ns = stations[station + SETTLED]
    if left > 0.0:
        due_ns += ceil(min(left, FAR))
    set_due(station, due_ns, single, stations, tree)


def enter_sharing(
    slot: int, station: int, now_ns: int, slots: Ints, work: Floats, stations: Ints, shares: Floats
) -> None:
    """A request starts its CPU phase."""
    settle_sharing(station, now_ns, stations, shares)
    spot = slot >> 3
    work[spot + KEY] = shares[(station >> 2) + VIRTUAL] + work[spot + CPU]
    slots[slot + LEFT] = NONE
    slots[slot + RIGHT] = NONE
    stations[station + BUSY] += 1
    first = merge(stations[station + FIRST], slot, slots, work)
    slots[first + PARENT] = NONE
    stations[station + FIRST] = first


def leave_sharing(
    slot: int, station: int, now_ns: int, slots: Ints, work: Floats, stations: Ints, shares: Floats
) -> None:
    """A request ends its CPU phase, or is taken out of it."""
    settle_sharing(station, now_ns, stations, shares)
    stations[station + BUSY] -= 1
    parent = slots[slot + PARENT]
    rest = merge(slots[slot + LEFT], slots[slot + RIGHT], slots, work)
    if rest != NONE:
        slots[rest + PARENT] = parent
    if parent == NONE:
        stations[station + FIRST] = rest
        if rest == NONE:
            shares[(station >> 2) + VIRTUAL] = 0.0
    elif slots[parent + LEFT] == slot:
        slots[parent + LEFT] = rest
    else:
        slots[parent + RIGHT] = rest


def merge(one: int, other: int, slots: Ints, work: Floats) -> int:
    """Two heaps as one; each knot on the way has its sides swapped, which keeps ways short."""
    if one == NONE:
        return other
    if other == NONE:
        return one
    if is_before(other, one, slots, work):
        one, other = other, one
    root, above = one, one
    one = slots[above + RIGHT]
    slots[above + RIGHT] = slots[above + LEFT]
    while one != NONE:
        if is_before(other, one, slots, work):
            one, other = other, one
        slots[above + LEFT] = one
        slots[one + PARENT] = above
        above = one
        one = slots[above + RIGHT]
        slots[above + RIGHT] = slots[above + LEFT]
    slots[above + LEFT] = other
    slots[other + PARENT] = above
    return root


def is_before(one: int, other: int, slots: Ints, work: Floats) -> bool:
    """Whether a request ends its CPU phase before another."""
    key, other_key = work[(one >> 3) + KEY], work[(other >> 3) + KEY]
    return key < other_key or (key == other_key and slots[one + NUMBER] < slots[other + NUMBER])
