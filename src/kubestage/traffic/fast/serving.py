"""A request comes to a replica, is served there by its discipline, and leaves."""

from __future__ import annotations

from kubestage.traffic.fast.heaps import push_departure
from kubestage.traffic.fast.layout import (
    ARRIVED,
    BUSY,
    COMPLETED,
    COMPUTING,
    DISCIPLINE,
    END,
    ENDS,
    FAILED,
    FIRST,
    FIRST_COME,
    FREE,
    HELD,
    IN_FLIGHT,
    IS_SILENT,
    LEAVING,
    LOST,
    LOST_HERE,
    NEVER,
    NEWER,
    NEWEST,
    NONE,
    NUMBER,
    OLDER,
    OLDEST,
    PHASE,
    RESPONSE,
    SERIAL,
    SHARING,
    STARTED,
    STATION,
    TIMEOUT,
    WORKERS,
    Floats,
    Ints,
)
from kubestage.traffic.fast.queueing import (
    begin_service,
    end_service,
    line_up,
    step_out,
    waited_ns,
)
from kubestage.traffic.fast.sharing import enter_sharing, foresee, leave_sharing
from kubestage.traffic.fast.skenario import enter_skenario, leave_skenario


def report_end(
    number: int,
    arrived_ns: int,
    ended_ns: int,
    outcome: int,
    serial: int,
    waited: int,
    single: Ints,
    ends: Ints,
) -> None:
    """Write down how a request fared."""
    at = single[ENDS] * END
    single[ENDS] += 1
    ends[at] = number
    ends[at + 1] = arrived_ns
    ends[at + 2] = ended_ns
    ends[at + 3] = outcome
    ends[at + 4] = serial
    ends[at + 5] = waited


def admit(
    slot: int,
    now_ns: int,
    uniform: float,
    single: Ints,
    slots: Ints,
    work: Floats,
    stations: Ints,
    shares: Floats,
    heap: Ints,
    tree: Ints,
) -> bool:
    """A request starts at its replica; False if it is refused after all."""
    station = slots[slot + STATION]
    discipline = single[DISCIPLINE]
    if stations[station + IS_SILENT]:
        slots[slot + STARTED] = NONE
        lose(slot, station, slots, stations)
    elif discipline == SHARING:
        slots[slot + PHASE] = COMPUTING
        enter_sharing(slot, station, now_ns, slots, work, stations, shares)
        foresee(station, single, stations, shares, work, tree)
    elif discipline == FIRST_COME:
        if stations[station + BUSY] < stations[station + WORKERS]:
            end_ns = begin_service(slot, station, now_ns, slots, work, stations, shares)
            expect(end_ns, slot, single, slots, heap)
        else:
            line_up(slot, station, slots, stations)
    else:
        slots[slot + PHASE] = LEAVING
        end_ns = enter_skenario(
            slot, station, now_ns, uniform, single[TIMEOUT], slots, work, stations, shares
        )
        if end_ns == NEVER and single[TIMEOUT] == NEVER:
            return False
        expect(end_ns, slot, single, slots, heap)
    return True


def lose(slot: int, station: int, slots: Ints, stations: Ints) -> None:
    """A request gets no answer, and holds nothing any more."""
    slots[slot + PHASE] = LOST
    stations[station + LOST_HERE] += 1


def expect(end_ns: int, slot: int, single: Ints, slots: Ints, heap: Ints) -> None:
    """A request ends at this time, unless it is too late by then."""
    timeout_ns = single[TIMEOUT]
    if end_ns != NEVER and (timeout_ns == NEVER or end_ns - slots[slot + ARRIVED] <= timeout_ns):
        push_departure(end_ns, slot, single, slots, heap)


def serve_next(
    station: int,
    now_ns: int,
    single: Ints,
    slots: Ints,
    work: Floats,
    stations: Ints,
    shares: Floats,
    heap: Ints,
) -> None:
    """Workers that are free take those who wait longest."""
    while (
        stations[station + FIRST] != NONE and stations[station + BUSY] < stations[station + WORKERS]
    ):
        slot = stations[station + FIRST]
        step_out(slot, station, slots, stations)
        end_ns = begin_service(slot, station, now_ns, slots, work, stations, shares)
        expect(end_ns, slot, single, slots, heap)


def let_go(
    slot: int,
    now_ns: int,
    single: Ints,
    slots: Ints,
    work: Floats,
    stations: Ints,
    shares: Floats,
    tree: Ints,
) -> int:
    """A request gives up what it holds at its replica; how long it had waited to be served."""
    station = slots[slot + STATION]
    discipline = single[DISCIPLINE]
    waited = 0
    if slots[slot + PHASE] == LOST:
        stations[station + LOST_HERE] -= 1
        if discipline == FIRST_COME:
            waited = waited_ns(slot, now_ns, slots)
    elif discipline == SHARING:
        if slots[slot + PHASE] == COMPUTING:
            leave_sharing(slot, station, now_ns, slots, work, stations, shares)
            foresee(station, single, stations, shares, work, tree)
    elif discipline == FIRST_COME:
        waited = waited_ns(slot, now_ns, slots)
        if slots[slot + PHASE] == LEAVING:
            end_service(slot, station, now_ns, slots, work, stations, shares)
        else:
            step_out(slot, station, slots, stations)
    else:
        leave_skenario(slot, station, now_ns, work, stations, shares)
    return waited


def end_request(
    slot: int,
    now_ns: int,
    outcome: int,
    waited: int,
    single: Ints,
    slots: Ints,
    stations: Ints,
    ends: Ints,
) -> None:
    """A request is over, and its slot free."""
    station, arrived_ns = slots[slot + STATION], slots[slot + ARRIVED]
    stations[station + HELD] -= 1
    if outcome == 0:
        stations[station + COMPLETED] += 1
        stations[station + RESPONSE] += now_ns - arrived_ns
    else:
        stations[station + FAILED] += 1
    number, serial = slots[slot + NUMBER], stations[station + SERIAL]
    report_end(number, arrived_ns, now_ns, outcome, serial, waited, single, ends)
    older, newer = slots[slot + OLDER], slots[slot + NEWER]
    if older == NONE:
        single[OLDEST] = newer
    else:
        slots[older + NEWER] = newer
    if newer == NONE:
        single[NEWEST] = older
    else:
        slots[newer + OLDER] = older
    slots[slot + NUMBER] = NONE
    slots[slot + NEWER] = single[FREE]
    single[FREE] = slot
    single[IN_FLIGHT] -= 1
