"""The API server: which call is served when, by how many it can serve at once.

Calls of one priority level are served in the order in which they arrive. They wait in its queue
for a seat, then for a core, and then for etcd. As no call of a level overtakes another, it is known
at arrival when a call will be done: the model stores the times at which seats and cores get free,
and no calls in flight. It is known, too, that a call would wait for too long: it leaves the queue.
"""

from __future__ import annotations

from heapq import heapreplace
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.cluster import listed
from kubestage.cluster.endpoints import Endpoints
from kubestage.cluster.priority_levels import WORKLOAD_HIGH, PriorityLevels
from kubestage.cluster.processors import SLICE_NS, Processors
from kubestage.cluster.seats import Seats
from kubestage.objects import distributions
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.cluster.endpoints import Endpoint
    from kubestage.cluster.listed import Listed
    from kubestage.cluster.priority_levels import Level
    from kubestage.cluster.profile import Profile
    from kubestage.sim.streams import Streams

_PATIENCE_NS: Final = SECOND_NS
# A quarter of --request-timeout: for how long a call may be queued in a level.
_LONGEST_WAIT_NS: Final = 15 * SECOND_NS
# The flow of the clients of a load: one user.
_CLIENTS: Final = "clients"
_DRAWS_FOR_OWED: Final = 64
_BUSIEST: Final = 0.9


class Turn(NamedTuple):
    """When a call is done, how long it waited in the queue, and how long for etcd.

    One that is not served is refused at that time; others may be tried `retry_after` seconds later.
    """

    ends_ns: int
    waited_ns: int = 0
    etcd_ns: int = 0
    is_served: bool = True
    retry_after: int = 0


class ApiServer:
    """Seats, cores and the queues before them.

    Without priority levels all calls share one pool of seats.
    """

    def __init__(self, profile: Profile, streams: Streams) -> None:
        api = profile.api
        self.endpoints = Endpoints(profile, streams)
        self.cpu_ns = 0
        self.refused = 0
        self._per_object_ns = distributions.parse(api.list_per_object).first
        self._per_megabyte_ns = distributions.parse(api.list_per_megabyte).first
        self._client_level = profile.client.priority_level
        self._pool = Seats(api.seats, api.max_queued)
        self.levels = PriorityLevels(api.seats, api.max_queued) if api.priority_levels else None
        self._processors = Processors(api.cores)
        # How much longer work takes because of background calls.
        self._stretch = 1.0

    @property
    def cores(self) -> int:
        """How many calls it works on at once; 0 is no limit."""
        return len(self._processors.free)

    def take(
        self,
        endpoint: Endpoint,
        arrives_ns: int,
        *,
        lists: Listed = listed.NOTHING,
        more_ns: int = 0,
        level: str = "",
        flow: str = "",
    ) -> Turn:
        """Serve a call that arrives now or next, or refuse it: at once if the queue is full.

        A list of many objects takes several seats and more of a core. `more_ns` is what the call
        waits for in addition. `level` is its priority level, by default that of the load's clients;
        `flow` whose call it is there, if it is one of many of the same.
        """
        if not level:
            level, flow = self._client_level, _CLIENTS
        found = self._level(level, arrives_ns)
        seats, width = self._pool, lists.seats
        if found is not None:
            seats, width = found.seats, min(width, found.widest)
            if not found.takes(flow, arrives_ns, width):
                return self._refuse(found, arrives_ns)
            if seats.due_ns(width) - arrives_ns > _LONGEST_WAIT_NS:
                return self._time_out(found, arrives_ns, width, flow)
        elif seats.is_full(arrives_ns):
            return self._refuse(None, arrives_ns)
        list_ns = max(self._per_object_ns * lists.objects, self._per_megabyte_ns * lists.megabytes)
        cpu_ns = int((endpoint.cpu_ns() + list_ns) * self._stretch)
        etcd_ns = endpoint.etcd.next_ns()
        reserved, free_ns = seats.leave(width)
        begins_ns = max(arrives_ns, free_ns)
        is_long = list_ns > SLICE_NS
        ends_ns = self._work(found, arrives_ns, begins_ns, cpu_ns, is_long=is_long)
        ends_ns += etcd_ns + more_ns
        queued_until_ns = begins_ns if begins_ns > arrives_ns else 0
        seats.take(reserved, queued_until_ns, ends_ns, is_mutating=endpoint.is_mutating)
        if found is not None:
            found.dispatched += 1
            found.demand.add(arrives_ns, ends_ns, width)
            if queued_until_ns:
                found.queue(flow, queued_until_ns)
        return Turn(ends_ns, begins_ns - arrives_ns, etcd_ns)

    def refusal(self, arrives_ns: int, level: str, flow: str) -> Turn | None:
        """The turn of a call that is refused at once, whatever it is about."""
        if not level:
            level, flow = self._client_level, _CLIENTS
        found = self._level(level, arrives_ns)
        if found is None or found.takes(flow, arrives_ns, 1):
            return None
        return self._refuse(found, arrives_ns)

    def _refuse(self, found: Level | None, arrives_ns: int) -> Turn:
        self.refused += 1
        if found is None:
            return Turn(arrives_ns, is_served=False, retry_after=1)
        found.refused.add(arrives_ns // SECOND_NS)
        return Turn(arrives_ns, is_served=False, retry_after=found.refused.retry_after)

    def _time_out(self, found: Level, arrives_ns: int, width: int, flow: str) -> Turn:
        """Refuse a call that is queued for too long."""
        until_ns = arrives_ns + _LONGEST_WAIT_NS
        found.queue(flow, until_ns)
        found.demand.add(arrives_ns, until_ns, width)
        return self._refuse(found, arrives_ns)._replace(
            ends_ns=until_ns, waited_ns=_LONGEST_WAIT_NS
        )

    def count(self, endpoint: Endpoint, now_ns: int, level: str = WORKLOAD_HIGH) -> int:
        """Count a call of a component, and return for how long it waits for a seat and a core.

        The component continues without waiting for the answer.

        It takes a seat and a core like any other. One that would wait for too long takes none, so
        that what many do in one instant does not pile up.
        """
        # NOTE: done at every change of the store, so that hardly anything is called in between.
        found, seats, levels = None, self._pool, self.levels
        if levels is not None:
            if now_ns >= levels.due_ns:
                levels.adjust(now_ns)
            found = levels.by_name[level]
            seats = found.seats
        cpu_ns = int(endpoint.cpu_ns() * self._stretch)
        etcd_ns = endpoint.etcd.next_ns()
        processors = self._processors
        cores = processors.free
        begins_ns = max(seats.free_ns, now_ns)
        is_plain = now_ns >= processors.long_until_ns and (found is None or begins_ns == now_ns)
        done_ns = begins_ns + cpu_ns
        if cores and cores[0] > begins_ns:
            done_ns = cores[0] + cpu_ns
        ends_ns = done_ns + etcd_ns
        took_ns = ends_ns - now_ns
        if took_ns < _PATIENCE_NS:
            if not is_plain:
                ends_ns = self._work(found, now_ns, begins_ns, cpu_ns) + etcd_ns
                took_ns = ends_ns - now_ns
            elif cores:
                heapreplace(cores, done_ns)
            seats.take_next(ends_ns, endpoint.is_mutating)
            if found is not None:
                found.demand.add(now_ns, ends_ns, 1)
        if found is not None:
            found.dispatched += 1
        if is_plain:
            self.cpu_ns += cpu_ns
        endpoint.observe(took_ns, begins_ns - now_ns, etcd_ns, endpoint.success)
        return ends_ns - etcd_ns - cpu_ns - now_ns

    def wait(
        self, endpoint: Endpoint, now_ns: int, level: str, lists: Listed = listed.NOTHING
    ) -> int:
        """Count a call for whose answer a component waits; when it has that."""
        turn = self.take(endpoint, now_ns, lists=lists, level=level)
        if not turn.is_served:
            self.count_refused(endpoint)
            return turn.ends_ns + turn.retry_after * SECOND_NS
        endpoint.observe(turn.ends_ns - now_ns, turn.waited_ns, turn.etcd_ns, endpoint.success)
        return turn.ends_ns

    def count_refused(self, endpoint: Endpoint) -> None:
        """Count a call that was refused: it is in no histogram."""
        if self.levels is not None:
            endpoint.terminated += 1
        else:
            endpoint.codes[429] = endpoint.codes.get(429, 0) + 1

    def set_background(self, calls: Iterable[tuple[Endpoint, float]]) -> None:
        """Set the background calls and their rate per second: they leave less for others.

        They are counted as owed (see `settle`), and are too many to be queued one by one.
        """
        if self.cores:
            busy = sum(each.cpu.mean_ns * each.factor * rate for each, rate in calls) * 1e-9
            self._stretch = 1 / (1 - min(busy / self.cores, _BUSIEST))

    def settle(self) -> None:
        """Count what is owed: background calls, which are too many to be modelled one by one."""
        for endpoint in self.endpoints:
            owed, endpoint.owed = endpoint.owed, 0
            if not owed:
                continue
            draws = min(owed, _DRAWS_FOR_OWED)
            for index in range(draws):
                times = owed // draws + (index < owed % draws)
                cpu_ns, etcd_ns = endpoint.cpu_ns(), endpoint.etcd.next_ns()
                self.cpu_ns += cpu_ns * times
                endpoint.observe(cpu_ns + etcd_ns, 0, etcd_ns, endpoint.success, times)

    def in_flight(self, now_ns: int) -> tuple[int, int]:
        """How many seats are taken by reads, and by writes."""
        found = [seats.in_flight(now_ns) for seats in self._all_seats()]
        return sum(reads for reads, _ in found), sum(writes for _, writes in found)

    def in_line(self, now_ns: int) -> tuple[int, int]:
        """How many reads and writes of clients are queued."""
        found = [seats.in_line(now_ns) for seats in self._all_seats()]
        return sum(reads for reads, _ in found), sum(writes for _, writes in found)

    def _all_seats(self) -> list[Seats]:
        if self.levels is None:
            return [self._pool]
        return [level.seats for level in self.levels.by_name.values()]

    def _level(self, name: str, now_ns: int) -> Level | None:
        """The level of a call, if there are levels, as it is now."""
        levels = self.levels
        if levels is None:
            return None
        if now_ns >= levels.due_ns:
            levels.adjust(now_ns)
        return levels.by_name[name]

    def _work(
        self,
        found: Level | None,
        arrives_ns: int,
        begins_ns: int,
        cpu_ns: int,
        *,
        is_long: bool = False,
    ) -> int:
        """Occupy a core as soon as one is free; when the work is done."""
        self.cpu_ns += cpu_ns
        if is_long or (found is not None and begins_ns > arrives_ns):
            name = "" if found is None else found.name
            return self._processors.work_long(name, begins_ns, cpu_ns)
        return self._processors.work(begins_ns, cpu_ns)
