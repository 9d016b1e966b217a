"""The kernel: works through departures, deadlines and arrivals in their order.

NOTE: all names are imported one by one, for compiled code finds others by their bare names
(`compiled`).
"""

from __future__ import annotations

from kubestage.traffic import record
from kubestage.traffic.fast.heaps import pop_departure
from kubestage.traffic.fast.layout import (
    ACTIVE,
    AREA_BITS,
    AREA_HIGH,
    AREA_LOW,
    AREA_MASK,
    ARRIVALS_UNTIL,
    ARRIVALS_USED_UP,
    ARRIVED,
    AT_RANDOM,
    CPU,
    DISCIPLINE,
    DONE,
    DUE,
    END,
    ENDS,
    ENDS_FULL,
    FAILED,
    FIRST,
    FIRST_COME,
    FREE,
    HEAP_SIZE,
    HELD,
    HORIZON,
    IN_FLIGHT,
    IO,
    IS_SENDING,
    IS_SILENT,
    LEAST,
    LEAVING,
    LOST_HERE,
    MOST_HELD,
    NEVER,
    NEWER,
    NEWEST,
    NEXT_NUMBER,
    NONE,
    NOW,
    NUMBER,
    OLDER,
    OLDEST,
    PHASE,
    POSITION,
    RECEIVED,
    ROUTING,
    SERIAL,
    SLOTS_USED_UP,
    STATION,
    TIMEOUT,
    TURN,
    UNTIL,
    Floats,
    Ints,
)
from kubestage.traffic.fast.serving import (
    admit,
    end_request,
    expect,
    let_go,
    report_end,
    serve_next,
)
from kubestage.traffic.fast.sharing import foresee, leave_sharing

COMPLETED_OUTCOME = record.COMPLETED
TIMEOUT_OUTCOME = record.TIMEOUT
NO_REPLICA_OUTCOME = record.NO_REPLICA
OVERLOADED_OUTCOME = record.OVERLOADED
NO_ANSWER_OUTCOME = record.NO_ANSWER


def run(
    single: Ints,
    slots: Ints,
    work: Floats,
    stations: Ints,
    shares: Floats,
    order: Ints,
    heap: Ints,
    tree: Ints,
    ends: Ints,
    at: Ints,
    cpu: Floats,
    io: Ints,
    uniform: Floats,
) -> int:
    """Work until all is done that is due, or something is wanting; which of these it is."""
    most_ends, arrivals = len(ends) // END, len(at)
    while single[ENDS] < most_ends:
        if single[IS_SENDING]:
            if single[FREE] == NONE:
                return SLOTS_USED_UP
            send(single, slots, work, stations, shares, order, heap, tree, ends, cpu, io, uniform)
            position = single[POSITION]
            if position == arrivals or at[position] != single[NOW]:
                single[IS_SENDING] = 0
            continue
        departure_ns = stations[tree[1] + DUE]
        if single[HEAP_SIZE] and heap[0] < departure_ns:
            departure_ns = heap[0]
        late_ns = deadline_ns(single, slots)
        position = single[POSITION]
        arrival_ns = at[position] if position < arrivals else single[HORIZON]
        next_ns = min(departure_ns, late_ns)
        if arrival_ns < next_ns:
            if arrival_ns >= single[ARRIVALS_UNTIL]:
                break
            if position == arrivals:
                return ARRIVALS_USED_UP
            single[IS_SENDING] = 1
            pass_time(arrival_ns, single)
            continue
        if next_ns > single[UNTIL]:
            break
        pass_time(next_ns, single)
        if departure_ns <= late_ns:
            depart(single, slots, work, stations, shares, heap, tree, ends)
        else:
            give_up(single, slots, work, stations, shares, heap, tree, ends)
    if single[ENDS] >= most_ends:
        return ENDS_FULL
    pass_time(single[UNTIL], single)
    return DONE


def pass_time(now_ns: int, single: Ints) -> None:
    """Move the clock, and count who is in flight meanwhile; in two parts, as it may be much."""
    elapsed_ns, count = now_ns - single[NOW], single[IN_FLIGHT]
    single[NOW] = now_ns
    low = single[AREA_LOW] + count * (elapsed_ns & AREA_MASK)
    single[AREA_HIGH] += count * (elapsed_ns >> AREA_BITS) + (low >> AREA_BITS)
    single[AREA_LOW] = low & AREA_MASK


def deadline_ns(single: Ints, slots: Ints) -> int:
    """When the oldest request is too late."""
    if single[TIMEOUT] == NEVER or single[OLDEST] == NONE:
        return NEVER
    return slots[single[OLDEST] + ARRIVED] + single[TIMEOUT]


def depart(
    single: Ints,
    slots: Ints,
    work: Floats,
    stations: Ints,
    shares: Floats,
    heap: Ints,
    tree: Ints,
    ends: Ints,
) -> None:
    """The next departure: a request is complete, or it ends its CPU phase."""
    now_ns = single[NOW]
    if single[HEAP_SIZE] and heap[0] == now_ns:
        slot = heap[2]
        pop_departure(single, heap)
        waited = let_go(slot, now_ns, single, slots, work, stations, shares, tree)
        end_request(slot, now_ns, COMPLETED_OUTCOME, waited, single, slots, stations, ends)
        if single[DISCIPLINE] == FIRST_COME:
            station = slots[slot + STATION]
            serve_next(station, now_ns, single, slots, work, stations, shares, heap)
        return
    station = tree[1]
    slot = stations[station + FIRST]
    leave_sharing(slot, station, now_ns, slots, work, stations, shares)
    foresee(station, single, stations, shares, work, tree)
    if slots[slot + IO] == 0:
        end_request(slot, now_ns, COMPLETED_OUTCOME, 0, single, slots, stations, ends)
        return
    slots[slot + PHASE] = LEAVING
    expect(now_ns + slots[slot + IO], slot, single, slots, heap)


def give_up(
    single: Ints,
    slots: Ints,
    work: Floats,
    stations: Ints,
    shares: Floats,
    heap: Ints,
    tree: Ints,
    ends: Ints,
) -> None:
    """The oldest request is too late."""
    now_ns, slot = single[NOW], single[OLDEST]
    waited = let_go(slot, now_ns, single, slots, work, stations, shares, tree)
    end_request(slot, now_ns, TIMEOUT_OUTCOME, waited, single, slots, stations, ends)
    if single[DISCIPLINE] == FIRST_COME:
        station = slots[slot + STATION]
        serve_next(station, now_ns, single, slots, work, stations, shares, heap)


def send(
    single: Ints,
    slots: Ints,
    work: Floats,
    stations: Ints,
    shares: Floats,
    order: Ints,
    heap: Ints,
    tree: Ints,
    ends: Ints,
    cpu: Floats,
    io: Ints,
    uniform: Floats,
) -> None:
    """The next request arrives and is sent to a replica."""
    position, number, now_ns = single[POSITION], single[NEXT_NUMBER], single[NOW]
    single[POSITION] = position + 1
    single[NEXT_NUMBER] = number + 1
    if single[ACTIVE] == 0:
        report_end(number, now_ns, now_ns, NO_REPLICA_OUTCOME, NONE, 0, single, ends)
        return
    uniform_left = uniform[position]
    turn = choose(uniform_left, single, stations, order)
    if single[ROUTING] == AT_RANDOM:
        uniform_left = uniform_left * single[ACTIVE] - turn
    station = order[turn]
    stations[station + RECEIVED] += 1
    refusal = why_refused(station, single, stations)
    if refusal != COMPLETED_OUTCOME:
        stations[station + FAILED] += 1
        serial = stations[station + SERIAL]
        report_end(number, now_ns, now_ns, refusal, serial, 0, single, ends)
        return
    stations[station + HELD] += 1
    slot = take_slot(number, now_ns, single, slots)
    slots[slot + STATION] = station
    slots[slot + IO] = io[position]
    work[(slot >> 3) + CPU] = cpu[position]
    if not admit(slot, now_ns, uniform_left, single, slots, work, stations, shares, heap, tree):
        waited = let_go(slot, now_ns, single, slots, work, stations, shares, tree)
        end_request(slot, now_ns, OVERLOADED_OUTCOME, waited, single, slots, stations, ends)


def why_refused(station: int, single: Ints, stations: Ints) -> int:
    """How a request fails that is sent to a replica; COMPLETED if it does not.

    One on a silent node is not refused: it is lost, and fails at its timeout if it has one.
    """
    if stations[station + IS_SILENT]:
        return NO_ANSWER_OUTCOME if single[TIMEOUT] == NEVER else COMPLETED_OUTCOME
    if stations[station + HELD] - stations[station + LOST_HERE] >= single[MOST_HELD]:
        return OVERLOADED_OUTCOME
    return COMPLETED_OUTCOME


def take_slot(number: int, now_ns: int, single: Ints, slots: Ints) -> int:
    """Room for one more request in flight, the newest."""
    slot = single[FREE]
    single[FREE] = slots[slot + NEWER]
    newest = single[NEWEST]
    slots[slot + NUMBER] = number
    slots[slot + ARRIVED] = now_ns
    slots[slot + OLDER] = newest
    slots[slot + NEWER] = NONE
    if newest == NONE:
        single[OLDEST] = slot
    else:
        slots[newest + NEWER] = slot
    single[NEWEST] = slot
    single[IN_FLIGHT] += 1
    return slot


def choose(uniform_left: float, single: Ints, stations: Ints, order: Ints) -> int:
    """Whose turn it is among the active replicas, by the way of routing."""
    active = single[ACTIVE]
    if single[ROUTING] == AT_RANDOM:
        return min(int(uniform_left * active), active - 1)
    turn = single[TURN] % active
    single[TURN] += 1
    if single[ROUTING] == LEAST:
        best, step = turn, 1
        while step < active:
            other = turn + step
            if other >= active:
                other -= active
            if stations[order[other] + HELD] < stations[order[best] + HELD]:
                best = other
            step += 1
        return best
    return turn
