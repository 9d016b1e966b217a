"""How a replica serves its requests, one request at a time.

The plain versions of what `fast` does in bulk: the numbers are the same to the last digit.
"""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final, Protocol

from kubestage.sim.clock import NEVER_NS
from kubestage.traffic import requests
from kubestage.traffic.fast import skenario

if TYPE_CHECKING:
    from kubestage.traffic.request import Request
    from kubestage.traffic.requests import Service

_FAR_NS: Final = 4.0e18


class Discipline(Protocol):
    """Serves the requests of one replica, which has `capacity` cores."""

    capacity: float

    def set_capacity(self, cores: float, now_ns: int) -> None:
        """There are so many cores from now on."""
        ...

    def enter(self, request: Request, now_ns: int) -> bool:
        """Take a request; False if it can never be served."""
        ...

    def leave(self, request: Request, now_ns: int) -> None:
        """Let a request go, served or not."""
        ...

    def next_ns(self) -> int:
        """When `turn` must be called next."""
        ...

    def turn(self, now_ns: int) -> list[Request]:
        """The requests that are complete now, in the order of their arrival."""
        ...

    def used(self, now_ns: int) -> float:
        """The CPU time used until now, in nanoseconds of one core."""
        ...


class _Ends:
    """Requests whose end is known, unless it is past their deadline."""

    def __init__(self) -> None:
        self._by_time: dict[int, list[Request]] = {}

    def add(self, request: Request, end_ns: int) -> None:
        """It ends then."""
        if end_ns <= request.deadline_ns:
            request.end_ns = end_ns
            self._by_time.setdefault(end_ns, []).append(request)

    def discard(self, request: Request) -> None:
        """It ends otherwise."""
        same = self._by_time.get(request.end_ns, [])
        if request in same:
            same.remove(request)
            if not same:
                del self._by_time[request.end_ns]

    def next_ns(self) -> int:
        """When the next one ends."""
        return min(self._by_time, default=NEVER_NS)

    def pop(self, now_ns: int) -> list[Request]:
        """Those that end now."""
        return sorted(self._by_time.pop(now_ns, []), key=_number)


def _number(request: Request) -> int:
    return request.number


class ProcessorSharing:
    """All requests in their CPU phase run at one speed, then each has its I/O time to itself."""

    def __init__(self, now_ns: int) -> None:
        self.capacity = 0.0
        self._virtual = 0.0
        self._used = 0.0
        self._settled_ns = now_ns
        self._finish: dict[Request, float] = {}
        self._ends = _Ends()

    def set_capacity(self, cores: float, now_ns: int) -> None:
        """There are so many cores from now on."""
        self._settle(now_ns)
        self.capacity = cores

    def enter(self, request: Request, now_ns: int) -> bool:
        """Start the CPU phase."""
        self._settle(now_ns)
        self._finish[request] = self._virtual + request.cpu_ns
        return True

    def leave(self, request: Request, now_ns: int) -> None:
        """End whatever phase it is in."""
        self._ends.discard(request)
        if request in self._finish:
            self._end_phase(request, now_ns)

    def next_ns(self) -> int:
        """When the next phase ends."""
        return min(self._due_ns(), self._ends.next_ns())

    def turn(self, now_ns: int) -> list[Request]:
        """End the phases that end now."""
        complete = self._ends.pop(now_ns)
        while self._due_ns() <= now_ns:
            request = self._first()
            self._end_phase(request, now_ns)
            if request.io_ns:
                self._ends.add(request, now_ns + request.io_ns)
            else:
                complete.append(request)
        return complete

    def used(self, now_ns: int) -> float:
        """What was counted, and what was used since."""
        return self._used + (now_ns - self._settled_ns) * min(self.capacity, len(self._finish))

    def _first(self) -> Request:
        return min(self._finish, key=lambda request: (self._finish[request], request.number))

    def _end_phase(self, request: Request, now_ns: int) -> None:
        self._settle(now_ns)
        del self._finish[request]
        if not self._finish:
            self._virtual = 0.0

    def _settle(self, now_ns: int) -> None:
        elapsed_ns, self._settled_ns = now_ns - self._settled_ns, now_ns
        busy = len(self._finish)
        if not elapsed_ns or not busy:
            return
        if self.capacity < busy:
            self._virtual += elapsed_ns * (self.capacity / busy)
            self._used += elapsed_ns * self.capacity
        else:
            self._virtual += elapsed_ns
            self._used += elapsed_ns * busy

    def _due_ns(self) -> int:
        if not self._finish:
            return NEVER_NS
        left, busy = self._finish[self._first()] - self._virtual, len(self._finish)
        if self.capacity < busy:
            left /= self.capacity / busy
        return self._settled_ns + (ceil(min(left, _FAR_NS)) if left > 0 else 0)


class FirstComeFirstServed:
    """Workers hold one request each until it is complete; the others wait in a queue."""

    def __init__(self, workers: int | None) -> None:
        self.capacity = 0.0
        self._default_workers = workers
        self._workers = 0
        self._used = 0.0
        self._served: dict[Request, float] = {}
        self._queue: list[Request] = []
        self._ends = _Ends()

    def set_capacity(self, cores: float, now_ns: int) -> None:
        """There are so many cores, and perhaps more workers, from now on."""
        self.capacity = cores
        self._workers = self._default_workers or ceil(cores)
        self._serve(now_ns)

    def enter(self, request: Request, now_ns: int) -> bool:
        """Get a worker, or wait for one."""
        self._queue.append(request)
        self._serve(now_ns)
        return True

    def leave(self, request: Request, now_ns: int) -> None:
        """Free the worker for the next one."""
        self._ends.discard(request)
        if request in self._served:
            self._used += self._used_by(request, now_ns)
            del self._served[request]
            self._serve(now_ns)
        else:
            self._queue.remove(request)

    def next_ns(self) -> int:
        """When the next worker will be free."""
        return self._ends.next_ns()

    def turn(self, now_ns: int) -> list[Request]:
        """Those whose workers are done."""
        return self._ends.pop(now_ns)

    def used(self, now_ns: int) -> float:
        """What was used by those that left and those that are served, in their order."""
        total = self._used
        for request in sorted(self._served, key=_number):
            total += self._used_by(request, now_ns)
        return total

    def _serve(self, now_ns: int) -> None:
        while self._queue and len(self._served) < self._workers:
            request = self._queue.pop(0)
            rate = min(self.capacity / self._workers, 1.0)
            request.started_ns = now_ns
            self._served[request] = rate
            hold_ns = ceil(min(request.cpu_ns / rate, _FAR_NS))
            self._ends.add(request, now_ns + hold_ns + request.io_ns)

    def _used_by(self, request: Request, now_ns: int) -> float:
        rate, started_ns = self._served[request], request.started_ns
        assert started_ns is not None
        elapsed_ns = now_ns - started_ns
        if elapsed_ns >= ceil(min(request.cpu_ns / rate, _FAR_NS)):
            return request.cpu_ns
        return elapsed_ns * rate


class SkenarioCpu:
    """Each request holds a part of the CPU, decided when it arrives, as its end is."""

    def __init__(self, now_ns: int) -> None:
        self.capacity = 0.0
        self._used = 0.0
        self._occupied = 0.0
        self._settled_ns = now_ns
        self._held: dict[Request, float] = {}
        self._ends = _Ends()

    def set_capacity(self, cores: float, now_ns: int) -> None:
        """There are so many cores from now on; who is here is not affected."""
        self._settle(now_ns)
        self.capacity = cores

    def enter(self, request: Request, now_ns: int) -> bool:
        """Decide how much it gets and when it ends; it may be too late by then."""
        self._settle(now_ns)
        total = self.capacity * 1000.0
        free = total - self._occupied
        if free <= skenario.LEAST_FREE:
            return request.deadline_ns != NEVER_NS
        cpu_ms = request.cpu_ns / 1e6 * 1000.0 / free
        service_ms = cpu_ms + request.io_ns / 1e6
        held = cpu_ms * free / service_ms if service_ms > 0 else 0.0
        occupied = self._occupied + held
        base_ns = int(min(service_ms, _FAR_NS / 1e7)) * 1_000_000
        longest_ns = 1 + int(skenario.stretch(occupied * 100.0 / total / 100.0) * base_ns)
        end_ns = now_ns + base_ns + int(request.uniform * longest_ns)
        self._ends.add(request, end_ns)
        if end_ns <= request.deadline_ns and held > 0:
            self._held[request] = held
            self._occupied = occupied
        return True

    def leave(self, request: Request, now_ns: int) -> None:
        """Give back what it held."""
        self._ends.discard(request)
        if request in self._held:
            self._settle(now_ns)
            self._occupied -= self._held.pop(request)
            if not self._held:
                self._occupied = 0.0

    def next_ns(self) -> int:
        """When the next one ends."""
        return self._ends.next_ns()

    def turn(self, now_ns: int) -> list[Request]:
        """Those that end now."""
        return self._ends.pop(now_ns)

    def used(self, now_ns: int) -> float:
        """What was counted, and what was used since."""
        return self._used + (now_ns - self._settled_ns) * (self._occupied / 1000.0)

    def _settle(self, now_ns: int) -> None:
        self._used += (now_ns - self._settled_ns) * (self._occupied / 1000.0)
        self._settled_ns = now_ns


def make(service: Service, now_ns: int) -> Discipline:
    """The discipline of one replica."""
    if service.discipline == requests.PROCESSOR_SHARING:
        return ProcessorSharing(now_ns)
    if service.discipline == requests.FCFS:
        return FirstComeFirstServed(service.workers)
    return SkenarioCpu(now_ns)
