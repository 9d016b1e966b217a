"""The replicas of one Traffic when requests are moved one by one, and whose turn it is."""

from __future__ import annotations

from heapq import heappop, heappush
from typing import TYPE_CHECKING

from kubestage.sim.clock import NEVER_NS
from kubestage.traffic import disciplines, requests
from kubestage.traffic.request import RequestsProcessing

if TYPE_CHECKING:
    from kubestage.traffic.request import Request, Watcher
    from kubestage.traffic.requests import Service


class Fleet:
    """Replicas by name and by serial number; the active ones in the order of activation.

    One that is removed stays in `by_serial` until the requests that it held have ended.

    NOTE: the next departure of a replica is computed only after a change there (`touch`). To
    ask all of them each time takes twenty times as long with 61 replicas.
    """

    def __init__(self, service: Service, watcher: Watcher, names: list[str]) -> None:
        self.replicas: dict[str, RequestsProcessing] = {}
        self.active: list[RequestsProcessing] = []
        self.by_serial: dict[int, RequestsProcessing] = {}
        self._service = service
        self._watcher = watcher
        self._names = names
        self._turn = 0
        self._due: list[tuple[int, int]] = []
        self._due_by_serial: dict[int, int] = {}

    def add(self, name: str, capacity_cores: float) -> None:
        """A replica is active from now on."""
        replica, now_ns = self.replicas.get(name), self._watcher.now_ns
        if replica is None:
            discipline = disciplines.make(self._service, now_ns)
            replica = RequestsProcessing(self._watcher, name, len(self._names), discipline)
            self._names.append(name)
            self.replicas[name] = self.by_serial[replica.serial] = replica
        if replica not in self.active:
            self.active.append(replica)
        self.set_capacity(name, capacity_cores)

    def set_capacity(self, name: str, capacity_cores: float) -> None:
        """A replica has so many cores from now on."""
        replica = self.replicas.get(name)
        if replica is not None:
            replica.discipline.set_capacity(capacity_cores, self._watcher.now_ns)
            self.touch(replica)

    def drain(self, name: str) -> None:
        """A replica is not active any more."""
        self.active = [each for each in self.active if each.replica != name]

    def remove(self, name: str) -> RequestsProcessing | None:
        """A replica is gone."""
        self.drain(name)
        replica = self.replicas.pop(name, None)
        if replica is not None:
            replica.is_gone = True
            self.forget(replica)
        return replica

    def forget(self, replica: RequestsProcessing) -> None:
        """Drop a replica that is gone once it has no requests."""
        if replica.is_gone and not replica.count:
            del self.by_serial[replica.serial]
            self._due_by_serial.pop(replica.serial, None)

    def choose(self, request: Request) -> RequestsProcessing:
        """Which replica a request is sent to; uses a part of the request's `uniform`."""
        active, count = self.active, len(self.active)
        if self._service.routing == requests.RANDOM:
            at = min(int(request.uniform * count), count - 1)
            request.uniform = request.uniform * count - at
            return active[at]
        turn = self._turn % count
        self._turn += 1
        if self._service.routing == requests.LEAST_REQUESTS:
            return min(active[turn:] + active[:turn], key=_count)
        return active[turn]

    def touch(self, replica: RequestsProcessing) -> None:
        """Something has changed at a replica: see when it is due."""
        due_ns = replica.discipline.next_ns()
        if self._due_by_serial.get(replica.serial) != due_ns:
            self._due_by_serial[replica.serial] = due_ns
            heappush(self._due, (due_ns, replica.serial))

    def next_departure_ns(self) -> int:
        """When a phase of some request ends next."""
        due = self._due
        while due and self._due_by_serial.get(due[0][1]) != due[0][0]:
            heappop(due)
        return due[0][0] if due else NEVER_NS

    def due(self, now_ns: int) -> list[RequestsProcessing]:
        """The replicas where a phase ends now."""
        found = []
        while self.next_departure_ns() <= now_ns:
            serial = heappop(self._due)[1]
            del self._due_by_serial[serial]
            found.append(self.by_serial[serial])
        return found


def _count(replica: RequestsProcessing) -> int:
    return replica.count
