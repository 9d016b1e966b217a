"""The requests of one Traffic, movement by movement on the clock.

This is what a trace of every movement needs, and the reference for `fast`, which has the same
results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import SimulationError
from kubestage.sim.clock import NEVER_NS
from kubestage.sim.model import Model
from kubestage.traffic import requests
from kubestage.traffic.fleet import Fleet
from kubestage.traffic.in_flight import RequestsInFlight
from kubestage.traffic.inflow import OneByOne
from kubestage.traffic.record import (
    INTERRUPTED,
    NO_ANSWER,
    NO_REPLICA,
    OVERLOADED,
    REASONS,
    TIMEOUT,
    Record,
)
from kubestage.traffic.request import (
    Request,
    RequestsEnd,
    RequestsProcessing,
    RequestsRouting,
    TrafficSource,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sim.environment import Environment
    from kubestage.traffic.requests import Feed, Replica, Service


class MovementRequests(Model):
    """Implements `requests.Requests` with an entity for each request.

    A timer fires whenever something is due, and again at the same instant until nothing is: each
    time the movements of one step are scheduled for now. There is one more ring before arrivals, so
    that changes of replicas at that instant come before them.
    """

    def __init__(
        self,
        environment: Environment,
        name: str,
        service: Service,
        feed: Feed,
        *,
        record: Record | None = None,
    ) -> None:
        super().__init__(environment, name)
        self.service = service
        record = Record(self.now_ns) if record is None else record
        self._in_flight = RequestsInFlight(record, self.now_ns)
        self._source = TrafficSource()
        self._routing = self.own(RequestsRouting(self))
        self._complete = self.own(RequestsEnd(self, "RequestsComplete"))
        self._failed = self.own(RequestsEnd(self, "RequestsFailed"))
        self._fleet = Fleet(service, self, record.replica_names)
        self._timer = environment.timer(f"{name}-due", self._ring)
        self._under_way = 0
        self._instant_ns = NEVER_NS
        self._changes: list[tuple[Callable[..., None], tuple[Any, ...]]] = []
        self._next_number = 0
        self.set_feed(feed)

    @property
    def now_ns(self) -> int:
        """What time it is."""
        return self.environment.clock.now_ns

    @property
    def record(self) -> Record:
        """All that is known until now."""
        return self._in_flight.record(self.now_ns)

    @property
    def in_flight(self) -> int:
        """How many requests are at a replica."""
        return sum(replica.count for replica in self._fleet.by_serial.values())

    def add_replica(self, name: str, capacity_cores: float) -> None:
        """A replica takes part from now on, also one that was sent nothing for a while."""
        requests.check_capacity(capacity_cores)
        self._change(self._fleet.add, name, capacity_cores)

    def set_capacity(self, name: str, capacity_cores: float) -> None:
        """A replica has so many cores from now on."""
        requests.check_capacity(capacity_cores)
        self._change(self._fleet.set_capacity, name, capacity_cores)

    def set_silent(self, name: str, is_silent: bool) -> None:
        """Whether a replica gives no answers from now on; what it holds then is lost."""
        self._change(self._set_silent, name, is_silent)

    def drain(self, name: str) -> None:
        """A replica is sent nothing any more; what it holds goes on."""
        self._change(self._fleet.drain, name)

    def remove_replica(self, name: str) -> None:
        """A replica is gone; what it held has failed. One that is not known was never here."""
        self._change(self._remove_replica, name)

    def set_feed(self, feed: Feed) -> None:
        """Arrivals come from here, from now on; requests on their way go on."""
        self._in_flight.is_closed = False
        self._coming = OneByOne(feed)
        self._wake()

    def stop(self) -> None:
        """Nothing arrives any more; requests on their way go on, and the record ends with them."""
        self._in_flight.record(self.now_ns)
        self._in_flight.is_closed = True
        self._coming = OneByOne(None)
        self._wake()

    def advance(self, until_ns: int, *, is_over: bool = False) -> None:
        """Nothing to do: the environment carries out what is due."""
        del is_over
        if until_ns > self.now_ns:
            raise SimulationError(f"it is {self.now_ns} ns: only the environment moves time")

    def replicas(self) -> dict[str, Replica]:
        """How each replica stands now, by name, in the order in which they came."""
        now_ns = self.now_ns
        return {
            name: requests.Replica(
                replica.serial,
                replica.count,
                replica.discipline.used(now_ns),
                replica.received,
                replica.completed,
                replica.failed,
                replica.response_ns,
            )
            for name, replica in self._fleet.replicas.items()
        }

    def check(self) -> None:
        """Check that no request was lost, and that Little's law holds to the nanosecond."""
        self._in_flight.check(self.now_ns)

    def arrived(self, request: Request) -> None:
        """A request waits to be sent."""
        self._under_way -= 1
        self._in_flight.begin(request, self.now_ns)

    def received(self, request: Request, replica: RequestsProcessing) -> None:
        """A replica has a request; it may not be able to serve it."""
        self._under_way -= 1
        if replica.is_silent:
            replica.lose(request)
        elif not replica.discipline.enter(request, self.now_ns):
            self._fail(request, replica, OVERLOADED)
        self._fleet.touch(replica)

    def ended(self, request: Request) -> None:
        """A request is complete or has failed."""
        self._under_way -= 1
        now_ns, replica = self.now_ns, self._fleet.by_serial.get(request.serial)
        if replica is not None:
            replica.count_end(request, now_ns)
            self._fleet.touch(replica)
            self._fleet.forget(replica)
        self._in_flight.end(request, self._waited_ns(request), now_ns)

    def _waited_ns(self, request: Request) -> int:
        if self.service.discipline != requests.FCFS:
            return 0
        started_ns = self.now_ns if request.started_ns is None else request.started_ns
        return started_ns - request.arrived_ns

    def _ring(self) -> None:
        now_ns = self.now_ns
        if self._under_way or self._step(now_ns):
            self._timer.set(now_ns)
        else:
            self._wake()

    def _step(self, now_ns: int) -> bool:
        """Schedule the next movements of this instant; False if there are none."""
        if self._routing.count:
            self._send(self._routing.entities_in_stock()[0])
            return True
        if self._end_service(now_ns) or self._give_up(now_ns):
            return True
        if self._changes:
            for call, arguments in self._changes:
                call(*arguments)
            self._changes.clear()
            return True
        if self._instant_ns != now_ns:
            self._instant_ns = now_ns
            return self._coming.next_ns() <= now_ns
        return self._let_in(now_ns)

    def _end_service(self, now_ns: int) -> bool:
        """Have those leave who are complete."""
        for replica in self._fleet.due(now_ns):
            for request in replica.discipline.turn(now_ns):
                self._move("complete_request", replica, self._complete, request)
            self._fleet.touch(replica)
        return self._under_way > 0

    def _give_up(self, now_ns: int) -> bool:
        """Have the oldest one leave if it is too late; the next may yet be complete by that."""
        request = self._in_flight.oldest()
        if request is None or request.deadline_ns > now_ns:
            return False
        self._fail(request, self._fleet.by_serial[request.serial], TIMEOUT)
        return True

    def _let_in(self, now_ns: int) -> bool:
        """Have those arrive whose time has come."""
        for at_ns, cpu_ns, io_ns, uniform in self._coming.take(now_ns):
            request = Request(self._next_number, at_ns, cpu_ns, io_ns, uniform)
            if self.service.timeout_ns is not None:
                request.deadline_ns = at_ns + self.service.timeout_ns
            self._next_number += 1
            self._move("arrive_at_routing", self._source, self._routing, request)
        return self._under_way > 0

    def _send(self, request: Request) -> None:
        if not self._fleet.active:
            self._fail(request, self._routing, NO_REPLICA)
            return
        replica = self._fleet.choose(request)
        request.serial = replica.serial
        replica.received += 1
        if replica.is_silent and self.service.timeout_ns is None:
            self._fail(request, self._routing, NO_ANSWER)
        elif not replica.is_silent and replica.is_full(self.service.max_requests):
            self._fail(request, self._routing, OVERLOADED)
        else:
            self._move("send_to_replica", self._routing, replica, request)

    def _fail(self, request: Request, where: Any, outcome: int) -> None:
        request.outcome = outcome
        self._move("request_failed", where, self._failed, request, REASONS[outcome])

    def _move(self, kind: str, source: Any, sink: Any, request: Request, notes: str = "") -> None:
        movement = self.environment.schedule(kind, self.now_ns, source, sink, request, notes)
        self._under_way += movement.is_scheduled

    def _change(self, call: Callable[..., None], *arguments: Any) -> None:
        """Change something about replicas now, but after the departures of this instant."""
        now_ns = self.now_ns
        if self._next_ns() > now_ns:
            call(*arguments)
        else:
            self._changes.append((call, arguments))
        self._wake()

    def _remove_replica(self, name: str) -> None:
        replica = self._fleet.remove(name)
        if replica is not None:
            self._fail_all(replica, INTERRUPTED)

    def _set_silent(self, name: str, is_silent: bool) -> None:
        replica = self._fleet.replicas.get(name)
        if replica is None or replica.is_silent == is_silent:
            return
        replica.is_silent = is_silent
        if is_silent:
            replica.lose_all()
            self._fleet.touch(replica)
            if self.service.timeout_ns is None:
                self._fail_all(replica, NO_ANSWER)

    def _fail_all(self, replica: RequestsProcessing, outcome: int) -> None:
        """Have those fail that are at a replica, unless they are about to."""
        for request in replica.requests():
            if not request.outcome:
                self._fail(request, replica, outcome)

    def _wake(self) -> None:
        """Set the timer for what is due next, unless the run is over by then."""
        next_ns = min(self._next_ns(), self._coming.next_ns())
        halt_ns = self.environment.halt_time
        is_over = next_ns == NEVER_NS or (halt_ns is not None and next_ns >= halt_ns)
        self._timer.set(None if is_over else next_ns)

    def _next_ns(self) -> int:
        """When something is due other than an arrival."""
        if self._under_way or self._changes or self._routing.count:
            return self.now_ns
        oldest = self._in_flight.oldest()
        late_ns = NEVER_NS if oldest is None else oldest.deadline_ns
        return min(self._fleet.next_departure_ns(), late_ns)
