"""Who is next: a heap of departures, and a tree of replicas by when a CPU phase ends."""

from __future__ import annotations

from kubestage.traffic.fast.layout import DESK, DUE, HEAP_SIZE, LEAVES, NUMBER, PLACE, Ints


def push_departure(at_ns: int, slot: int, single: Ints, slots: Ints, heap: Ints) -> None:
    """A request will leave at this time; among equals the one that arrived first does so first."""
    number = slots[slot + NUMBER]
    at = single[HEAP_SIZE]
    single[HEAP_SIZE] = at + 1
    while at > 0:
        above = (at - 1) >> 1
        if heap[3 * above] < at_ns or (heap[3 * above] == at_ns and heap[3 * above + 1] < number):
            break
        heap[3 * at] = heap[3 * above]
        heap[3 * at + 1] = heap[3 * above + 1]
        heap[3 * at + 2] = heap[3 * above + 2]
        at = above
    heap[3 * at] = at_ns
    heap[3 * at + 1] = number
    heap[3 * at + 2] = slot


def pop_departure(single: Ints, heap: Ints) -> None:
    """Take the first one off."""
    size = single[HEAP_SIZE] - 1
    single[HEAP_SIZE] = size
    at_ns, number, slot = heap[3 * size], heap[3 * size + 1], heap[3 * size + 2]
    at, below = 0, 1
    while below < size:
        other = below + 1
        if other < size and (
            heap[3 * other] < heap[3 * below]
            or (heap[3 * other] == heap[3 * below] and heap[3 * other + 1] < heap[3 * below + 1])
        ):
            below = other
        if at_ns < heap[3 * below] or (at_ns == heap[3 * below] and number < heap[3 * below + 1]):
            break
        heap[3 * at] = heap[3 * below]
        heap[3 * at + 1] = heap[3 * below + 1]
        heap[3 * at + 2] = heap[3 * below + 2]
        at, below = below, 2 * below + 1
    heap[3 * at] = at_ns
    heap[3 * at + 1] = number
    heap[3 * at + 2] = slot


def set_due(station: int, due_ns: int, single: Ints, stations: Ints, tree: Ints) -> None:
    """The next CPU phase of a replica ends at this time.

    Each knot of the tree has the station of its two below that is due first; the root is 1.
    """
    if stations[station + DUE] == due_ns:
        return
    stations[station + DUE] = due_ns
    at = (single[LEAVES] + stations[station + PLACE]) >> 1
    while at > 0:
        one, other = tree[2 * at], tree[2 * at + 1]
        tree[at] = one if stations[one + DUE] <= stations[other + DUE] else other
        at >>= 1


def plant(single: Ints, stations: Ints, tree: Ints) -> None:
    """Make the whole tree; each leaf has its station already."""
    for leaf in range(single[LEAVES]):
        station = leaf * DESK
        stations[station + PLACE] = leaf
        tree[single[LEAVES] + leaf] = station
    for at in range(single[LEAVES] - 1, 0, -1):
        one, other = tree[2 * at], tree[2 * at + 1]
        tree[at] = one if stations[one + DUE] <= stations[other + DUE] else other
