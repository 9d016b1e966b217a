"""The API server: which call is served when, by how many it can serve at once.

Calls are served in the order in which they arrive. They wait in one queue for a seat, then for a
core, and then for etcd. As no call overtakes another, it is known at arrival when a call will be
done: the model stores the times at which seats and cores get free, and no calls in flight.
"""

from __future__ import annotations

import math
from collections import deque
from heapq import heappop, heappush, heapreplace
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.cluster.endpoints import Endpoints
from kubestage.objects import distributions

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.cluster.endpoints import Endpoint
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
    """Seats, cores and the queue before them."""

    def __init__(self, profile: Profile, streams: Streams) -> None:
        api = profile.api
        self.endpoints = Endpoints(profile, streams)
        self.cpu_ns = 0
        self.refused = 0
        self._max_queued = api.max_queued
        self._per_object_ns = distributions.parse(api.list_per_object).first
        # When each seat and each core gets free, soonest first. The lowest bit of a seat's
        # time is set if a write has it.
        self._seats = [0] * max(api.seats, 1)
        self._cores = [0] * api.cores
        # When the queued calls are served, with such a bit.
        self._line: deque[int] = deque()
        # How much longer work takes because of background calls.
        self._stretch = 1.0

    @property
    def cores(self) -> int:
        """How many calls it works on at once; 0 is no limit."""
        return len(self._cores)

    def take(
        self, endpoint: Endpoint, arrives_ns: int, *, objects: int = 0, more_ns: int = 0
    ) -> Turn | None:
        """Serve a call that arrives now or next; None if the queue is full.

        A list of many objects takes several seats and more of a core. `more_ns` is what the call
        waits for in addition.
        """
        line = self._line
        while line and line[0] >> 1 <= arrives_ns:
            line.popleft()
        if self._max_queued and len(line) >= self._max_queued:
            self.refused += 1
            return None
        width = min(max(math.ceil(objects / _OBJECTS_PER_SEAT), 1), _MOST_LIST_SEATS)
        cpu_ns = int((endpoint.cpu_ns() + self._per_object_ns * objects) * self._stretch)
        etcd_ns = endpoint.etcd.next_ns()
        # Later calls get none of these, nor any that gets free sooner: no call overtakes another.
        seats = [heappop(self._seats) for _ in range(min(width, len(self._seats)))]
        begins_ns = max(arrives_ns, seats[-1] >> 1)
        ends_ns = self._work(begins_ns, cpu_ns) + etcd_ns + more_ns
        for _ in seats:
            heappush(self._seats, ends_ns << 1 | endpoint.is_mutating)
        if begins_ns > arrives_ns:
            line.append(begins_ns << 1 | endpoint.is_mutating)
        return Turn(ends_ns, begins_ns - arrives_ns, etcd_ns)

    def count(self, endpoint: Endpoint, now_ns: int) -> None:
        """Count a call of a component, which continues without waiting for the answer.

        It takes a seat and a core like any other. One that would wait for too long takes none: its
        component would be refused, and retries.
        """
        cpu_ns = int(endpoint.cpu_ns() * self._stretch)
        etcd_ns = endpoint.etcd.next_ns()
        seats, cores = self._seats, self._cores
        free_ns = seats[0] >> 1
        begins_ns = max(now_ns, free_ns)
        done_ns = begins_ns + cpu_ns
        if cores and cores[0] > begins_ns:
            done_ns = cores[0] + cpu_ns
        ends_ns = done_ns + etcd_ns
        if ends_ns - now_ns < _PATIENCE_NS:
            if cores:
                heapreplace(cores, done_ns)
            heapreplace(seats, ends_ns << 1 | endpoint.is_mutating)
        self.cpu_ns += cpu_ns
        endpoint.observe(ends_ns - now_ns, begins_ns - now_ns, etcd_ns, endpoint.success)

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
        return _count_later(self._seats, now_ns)

    def in_line(self, now_ns: int) -> tuple[int, int]:
        """How many reads and writes of clients are queued."""
        return _count_later(self._line, now_ns)

    def _work(self, begins_ns: int, cpu_ns: int) -> int:
        """Occupy a core as soon as one is free; when the work is done."""
        self.cpu_ns += cpu_ns
        if not self._cores:
            return begins_ns + cpu_ns
        done_ns = max(begins_ns, self._cores[0]) + cpu_ns
        heapreplace(self._cores, done_ns)
        return done_ns


def _count_later(marked: Iterable[int], now_ns: int) -> tuple[int, int]:
    """How many of these times are later than now, for reads and for writes."""
    found = [each & 1 for each in marked if each >> 1 > now_ns]
    return len(found) - sum(found), sum(found)
