"""The API server: which call is served when, by how many it can serve at once.

Calls of one priority level are served in the order in which they arrive. They wait in its queue
for a seat, then for a core, and then for etcd. As no call of a level overtakes another, it is known
at arrival when a call will be done: the model stores the times at which seats and cores get free,
and no calls in flight.
"""

from __future__ import annotations

import math
from heapq import heapreplace
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.cluster.endpoints import Endpoints
from kubestage.cluster.priority_levels import WORKLOAD_HIGH, PriorityLevels
from kubestage.cluster.seats import Seats
from kubestage.objects import distributions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.cluster.endpoints import Endpoint
    from kubestage.cluster.priority_levels import Level
    from kubestage.cluster.profile import Profile
    from kubestage.sim.streams import Streams

# The server takes a seat for each 100 kB of a list, 10 at most, and an object for 2 kB or so.
_OBJECTS_PER_SEAT: Final = 50
_MOST_LIST_SEATS: Final = 10
_PATIENCE_NS: Final = 1_000_000_000
_DRAWS_FOR_OWED: Final = 64
_BUSIEST: Final = 0.9


class Turn(NamedTuple):
    """When a call is done, how long it waited in the queue, and how long for etcd."""

    ends_ns: int
    waited_ns: int
    etcd_ns: int


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
        self._client_level = profile.client.priority_level
        self._pool = Seats(api.seats, api.max_queued)
        self.levels = PriorityLevels(api.seats, api.max_queued) if api.priority_levels else None
        # When each core gets free, soonest first.
        self._cores = [0] * api.cores
        # How much longer work takes because of background calls.
        self._stretch = 1.0

    @property
    def cores(self) -> int:
        """How many calls it works on at once; 0 is no limit."""
        return len(self._cores)

    def take(
        self,
        endpoint: Endpoint,
        arrives_ns: int,
        *,
        objects: int = 0,
        more_ns: int = 0,
        level: str = "",
    ) -> Turn | None:
        """Serve a call that arrives now or next; None if the queue is full.

        A list of many objects takes several seats and more of a core. `more_ns` is what the call
        waits for in addition. `level` is its priority level, by default that of the load's clients.
        """
        found = self._level(level or self._client_level, arrives_ns)
        seats = self._pool if found is None else found.seats
        if seats.is_full(arrives_ns):
            self.refused += 1
            if found is not None:
                found.refused += 1
            return None
        width = min(max(math.ceil(objects / _OBJECTS_PER_SEAT), 1), _MOST_LIST_SEATS)
        cpu_ns = int((endpoint.cpu_ns() + self._per_object_ns * objects) * self._stretch)
        etcd_ns = endpoint.etcd.next_ns()
        reserved, free_ns = seats.leave(width)
        begins_ns = max(arrives_ns, free_ns)
        ends_ns = self._work(begins_ns, cpu_ns) + etcd_ns + more_ns
        queued_until_ns = begins_ns if begins_ns > arrives_ns else 0
        seats.take(reserved, queued_until_ns, ends_ns, is_mutating=endpoint.is_mutating)
        if found is not None:
            found.dispatched += 1
            found.demand.add(arrives_ns, ends_ns, width)
        return Turn(ends_ns, begins_ns - arrives_ns, etcd_ns)

    def count(self, endpoint: Endpoint, now_ns: int, level: str = WORKLOAD_HIGH) -> None:
        """Count a call of a component, which continues without waiting for the answer.

        It takes a seat and a core like any other. One that would wait for too long takes none: its
        component would be refused, and retries.
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
        cores = self._cores
        free_ns = seats.free_ns
        begins_ns = max(free_ns, now_ns)
        done_ns = begins_ns + cpu_ns
        if cores and cores[0] > begins_ns:
            done_ns = cores[0] + cpu_ns
        ends_ns = done_ns + etcd_ns
        took_ns = ends_ns - now_ns
        if took_ns < _PATIENCE_NS:
            if cores:
                heapreplace(cores, done_ns)
            seats.take_next(ends_ns, endpoint.is_mutating)
            if found is not None:
                found.dispatched += 1
                found.demand.add(now_ns, ends_ns, 1)
        elif found is not None:
            found.refused += 1
        self.cpu_ns += cpu_ns
        endpoint.observe(took_ns, begins_ns - now_ns, etcd_ns, endpoint.success)

    def wait(self, endpoint: Endpoint, now_ns: int, level: str, objects: int = 0) -> int:
        """Count a call for whose answer a component waits; when it has that."""
        turn = self.take(endpoint, now_ns, objects=objects, level=level)
        if turn is None:
            return now_ns + _PATIENCE_NS
        endpoint.observe(turn.ends_ns - now_ns, turn.waited_ns, turn.etcd_ns, endpoint.success)
        return turn.ends_ns

    def set_background(self, calls: Iterable[tuple[Endpoint, float]]) -> None:
        """Set the background calls and their rate per second: they leave less for others.

        They are counted as owed (see `settle`), and are too many to be queued one by one.
        """
        if self._cores:
            busy = sum(each.cpu.mean_ns * each.factor * rate for each, rate in calls) * 1e-9
            self._stretch = 1 / (1 - min(busy / len(self._cores), _BUSIEST))

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

    def _work(self, begins_ns: int, cpu_ns: int) -> int:
        """Occupy a core as soon as one is free; when the work is done."""
        self.cpu_ns += cpu_ns
        if not self._cores:
            return begins_ns + cpu_ns
        done_ns = max(begins_ns, self._cores[0]) + cpu_ns
        heapreplace(self._cores, done_ns)
        return done_ns
