"""The requests of one Traffic, worked through in bulk."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage.errors import SimulationError
from kubestage.sim.clock import NEVER_NS
from kubestage.traffic.fast import kernel, layout, serving, sharing, skenario, usage
from kubestage.traffic.fast.compiling import COMPILED
from kubestage.traffic.fast.state import State
from kubestage.traffic.inflow import NOBODY, Inflow
from kubestage.traffic.record import INTERRUPTED, NO_ANSWER, Record
from kubestage.traffic.requests import Replica, check_capacity

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from kubestage.traffic.inflow import Block
    from kubestage.traffic.requests import Feed, Service


class FastRequests:
    """Implements `requests.Requests`: feeds the kernel, empties it, and changes the replicas.

    `compiled` is whether the kernel is to be compiled; by default, when that pays.
    """

    def __init__(
        self,
        service: Service,
        feed: Feed,
        now_ns: int = 0,
        *,
        record: Record | None = None,
        compiled: bool | None = None,
    ) -> None:
        self.service = service
        self._record = Record(now_ns) if record is None else record
        self._compiled = compiled
        self._state = State(service, now_ns)
        self._stations: dict[str, int] = {}
        self._vacant: list[int] = []
        self._known_stations = 0
        self._block: Any = NOBODY
        self._reported = 0
        self._untold: list[Any] = []
        self._is_stopped = False
        self.set_feed(feed)

    @property
    def record(self) -> Record:
        """All that is known until now."""
        self._update()
        return self._record

    @property
    def in_flight(self) -> int:
        """How many requests are at a replica."""
        return int(self._state.single[layout.IN_FLIGHT])

    @property
    def _now_ns(self) -> int:
        return int(self._state.single[layout.NOW])

    def add_replica(self, name: str, capacity_cores: float) -> None:
        """A replica takes part from now on, also one that was sent nothing for a while."""
        station = self._stations.get(name)
        if station is None:
            station = self._stations[name] = self._vacant_station()
            self._state.stations[station + layout.SERIAL] = len(self._record.replica_names)
            self._record.replica_names.append(name)
        self._change_capacity(station, capacity_cores)
        self._state.activate(station)

    def set_capacity(self, name: str, capacity_cores: float) -> None:
        """A replica has so many cores from now on."""
        station = self._stations.get(name)
        if station is not None:
            self._change_capacity(station, capacity_cores)

    def set_silent(self, name: str, is_silent: bool) -> None:
        """Whether a replica gives no answers from now on; what it holds then is lost."""
        station = self._stations.get(name)
        if station is None or bool(self._state.stations[station + layout.IS_SILENT]) == is_silent:
            return
        self._state.stations[station + layout.IS_SILENT] = int(is_silent)
        if is_silent and self._state.stations[station + layout.HELD]:
            self._lose_all(station)
            if self.service.timeout_ns is None:
                self._fail_all(station, NO_ANSWER)

    def drain(self, name: str) -> None:
        """A replica is sent nothing any more; what it holds goes on."""
        station = self._stations.get(name)
        if station is not None:
            self._state.deactivate(station)

    def remove_replica(self, name: str) -> None:
        """A replica is gone; what it held has failed. One that is not known was never here."""
        self.drain(name)
        station = self._stations.pop(name, None)
        if station is None:
            return
        if self._state.stations[station + layout.HELD]:
            self._fail_all(station, INTERRUPTED)
        self._state.clear(station)
        self._vacant.append(station)

    def _held(self, station: int) -> list[int]:
        """The slots of the requests at a station, in the order of their arrival."""
        state = self._state
        return [slot for slot in state.in_flight() if state.slots[slot + layout.STATION] == station]

    def _lose_all(self, station: int) -> None:
        """What is at a station gets no answer; the newest first, as movement by movement."""
        state, now_ns = self._state, self._now_ns
        for slot in reversed(self._held(station)):
            phase = state.slots[slot + layout.PHASE]
            if phase == layout.LOST:
                continue
            serving.let_go(
                slot, now_ns, state.single, state.slots, state.work, state.stations, state.shares,
                state.tree,
            )  # fmt: skip
            if phase == layout.QUEUEING:
                state.slots[slot + layout.STARTED] = layout.NONE
            serving.lose(slot, station, state.slots, state.stations)
        state.forget_departures()

    def _fail_all(self, station: int, outcome: int) -> None:
        """What is at a station has failed."""
        state, now_ns = self._state, self._now_ns
        for slot in self._held(station):
            waited = serving.let_go(
                slot, now_ns, state.single, state.slots, state.work, state.stations, state.shares,
                state.tree,
            )  # fmt: skip
            if state.single[layout.ENDS] * layout.END == len(state.ends):
                self._report()
            serving.end_request(
                slot, now_ns, outcome, waited, state.single, state.slots, state.stations,
                state.ends,
            )  # fmt: skip
        state.forget_departures()

    def set_feed(self, feed: Feed) -> None:
        """Arrivals come from here, from now on; requests on their way go on."""
        self._inflow = Inflow(feed)
        self._is_stopped = False
        self._set_block(NOBODY, self._inflow.horizon_ns)

    def stop(self) -> None:
        """Nothing arrives any more; requests on their way go on, and the record ends with them."""
        self._update()
        self._is_stopped = True
        self._set_block(NOBODY, NEVER_NS)

    def advance(self, until_ns: int, *, is_over: bool = False) -> None:
        """Work through all that is due: departures until then, arrivals before.

        With `is_over` nothing else happens at that instant, and those who arrive at it do so.
        """
        state = self._state
        if until_ns < self._now_ns:
            raise SimulationError(f"cannot go back to {until_ns} ns: it is {self._now_ns} ns")
        state.single[layout.UNTIL] = until_ns
        state.single[layout.ARRIVALS_UNTIL] = until_ns + is_over
        while True:
            wanting = self._run()
            if wanting == layout.DONE:
                return
            if wanting == layout.ARRIVALS_USED_UP:
                block = self._inflow.take()
                self._set_block(block, self._inflow.horizon_ns)
            elif wanting == layout.SLOTS_USED_UP:
                state.add_slots()
            else:
                self._report()

    def replicas(self) -> dict[str, Replica]:
        """How each replica stands now, by name, in the order in which they came."""
        used = usage.used(self._state, self._stations.values(), self._now_ns)
        found = {}
        for name, station in self._stations.items():
            values = self._state.stations[station : station + layout.DESK]
            found[name] = Replica(
                serial=int(values[layout.SERIAL]),
                in_flight=int(values[layout.HELD]),
                cpu_core_ns=used[station],
                received=int(values[layout.RECEIVED]),
                completed=int(values[layout.COMPLETED]),
                failed=int(values[layout.FAILED]),
                response_ns=int(values[layout.RESPONSE]),
            )
        return found

    def check(self) -> None:
        """Check that no request was lost, and that Little's law holds to the nanosecond."""
        state = self._state
        arrivals = [state.slots[slot + layout.ARRIVED] for slot in state.in_flight()]
        self.record.check(arrivals, state.area_ns())

    def _run(self) -> int:
        state, kernels = self._state, self._kernel()
        found: int = kernels.run(
            state.single, state.slots, state.work, state.stations, state.shares, state.order,
            state.heap, state.tree, state.ends, *self._block,
        )  # fmt: skip
        return found

    def _kernel(self) -> Any:
        """The kernel to use; what it works on is made to suit it."""
        state = self._state
        if self._compiled is None:
            found = COMPILED.get(0)
        else:
            found = COMPILED.get_now() if self._compiled else kernel
        if found is not kernel and not state.is_compiled:
            self._report()
            state.compile()
            self._block = _arrays(self._block)
        return found

    def _set_block(self, block: Block, horizon_ns: int) -> None:
        """These are the next to arrive, and no others until then.

        NOTE: what the kernel knows is reported later, because that takes longer than to work
        through a block of a few hundred requests.
        """
        self._put_aside()
        if self._compiled is None:
            COMPILED.get(len(block.at_ns))
        single = self._state.single
        single[layout.POSITION] = self._reported = 0
        single[layout.HORIZON] = horizon_ns
        is_compiled = self._state.is_compiled
        self._block = _arrays(block) if is_compiled else [column.tolist() for column in block]

    def _update(self) -> None:
        self._report()
        if self.in_flight or not self._is_stopped:
            self._record.reach(self._now_ns)

    def _put_aside(self) -> None:
        """Remember who arrived since this was last done."""
        position = int(self._state.single[layout.POSITION])
        if position > self._reported:
            self._untold.append(self._block[0][self._reported : position])
            self._reported = position

    def _report(self) -> None:
        """Put on record what the kernel knows."""
        self._put_aside()
        if self._untold:
            self._record.add_arrivals(np.concatenate(self._untold, dtype=np.int64))
            self._untold = []
        self._record.add_ends(self._state.take_ends())

    def _vacant_station(self) -> int:
        if not self._vacant:
            if self._known_stations == len(self._state.stations):
                self._state.add_stations()
            self._vacant.append(self._known_stations)
            self._known_stations += layout.DESK
        station = self._vacant.pop()
        self._state.clear(station)
        return station

    def _change_capacity(self, station: int, cores: float) -> None:
        check_capacity(cores)
        state, now_ns = self._state, self._now_ns
        if self.service.discipline == "ProcessorSharing":
            sharing.settle_sharing(station, now_ns, state.stations, state.shares)
        elif self.service.discipline == "SkenarioCPU":
            skenario.settle_skenario(station, now_ns, state.stations, state.shares)
        state.shares[(station >> 2) + layout.CAPACITY] = float(cores)
        state.stations[station + layout.WORKERS] = self.service.workers or ceil(cores)
        if self.service.discipline == "ProcessorSharing":
            sharing.foresee(
                station, state.single, state.stations, state.shares, state.work, state.tree
            )
        elif self.service.discipline == "FCFS":
            serving.serve_next(
                station, now_ns, state.single, state.slots, state.work, state.stations,
                state.shares, state.heap,
            )  # fmt: skip


def _arrays(block: Any) -> list[NDArray[Any]]:
    """The columns of a block as compiled code expects them: whole, and its own."""
    types = (np.int64, np.float64, np.int64, np.float64)
    return [np.array(column, kind) for column, kind in zip(block, types, strict=True)]
