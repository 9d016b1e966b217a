"""A request as an entity, and the stocks that it passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Protocol

from kubestage.sim.clock import NEVER_NS
from kubestage.sim.entity import Entity
from kubestage.sim.stock import MapStock, SinkStock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.traffic.disciplines import Discipline

KIND: Final = "Request"


class Request(Entity):
    """What it needs, when it arrived, and its progress.

    `end_ns` is when it will be complete, if that is known. `serial` is the number of the replica
    that it was sent to, and `outcome` how it ended, as in the record. One that `is_lost` gets no
    answer, and waits for its deadline.
    """

    __slots__ = (
        "arrived_ns", "cpu_ns", "deadline_ns", "end_ns", "io_ns", "is_lost", "number", "outcome",
        "serial", "started_ns", "uniform",
    )  # fmt: skip

    def __init__(
        self, number: int, arrived_ns: int, cpu_ns: float, io_ns: int, uniform: float
    ) -> None:
        super().__init__(f"request-{number}", KIND)
        self.number = number
        self.arrived_ns = arrived_ns
        self.cpu_ns = cpu_ns
        self.io_ns = io_ns
        self.uniform = uniform
        self.deadline_ns = NEVER_NS
        self.end_ns = NEVER_NS
        self.started_ns: int | None = None
        self.serial = -1
        self.outcome = 0
        self.is_lost = False


class Watcher(Protocol):
    """Is notified where requests come in."""

    @property
    def now_ns(self) -> int:
        """What time it is."""
        ...

    def arrived(self, request: Request) -> None:
        """A request waits to be sent."""
        ...

    def received(self, request: Request, replica: RequestsProcessing) -> None:
        """A replica has a request."""
        ...

    def ended(self, request: Request) -> None:
        """A request is complete or has failed."""
        ...


class TrafficSource:
    """Where requests come from; they pass through and are not kept."""

    kind_stocked = KIND
    count = 0

    def __init__(self) -> None:
        self.name = "TrafficSource"

    def entities_in_stock(self) -> Sequence[Request]:
        """Nothing: what comes out of here is not kept here."""
        return ()

    def remove(self, what: Entity | None = None) -> Request | None:
        """The requested request."""
        return what if isinstance(what, Request) else None


class RequestsRouting(MapStock[Request]):
    """Requests that have arrived and are about to be sent, first come first."""

    __slots__ = ("_watcher",)

    def __init__(self, watcher: Watcher) -> None:
        super().__init__("RequestsRouting", KIND)
        self._watcher = watcher

    def add(self, entity: Request) -> None:
        """A request arrives."""
        super().add(entity)
        self._watcher.arrived(entity)


class RequestsProcessing(MapStock[Request]):
    """The requests at one replica, which serves them by its discipline."""

    __slots__ = (
        "_watcher", "completed", "discipline", "failed", "is_gone", "is_silent", "lost",
        "received", "replica", "response_ns", "serial",
    )  # fmt: skip

    def __init__(self, watcher: Watcher, replica: str, serial: int, discipline: Discipline) -> None:
        super().__init__(f"RequestsProcessing-{replica}", KIND)
        self.replica = replica
        self.serial = serial
        self.discipline = discipline
        self.is_gone = self.is_silent = False
        self.lost = 0
        self.received = self.completed = self.failed = self.response_ns = 0
        self._watcher = watcher

    def add(self, entity: Request) -> None:
        """A request comes in."""
        super().add(entity)
        self._watcher.received(entity, self)

    def remove(self, what: Entity | None = None) -> Request | None:
        """A request leaves."""
        request = super().remove(what)
        if request is not None:
            if request.is_lost:
                self.lost -= 1
            else:
                self.discipline.leave(request, self._watcher.now_ns)
        return request

    def lose(self, request: Request) -> None:
        """A request that came in gets no answer, and is not served."""
        request.is_lost = True
        self.lost += 1

    def lose_all(self) -> None:
        """None of them gets an answer; the newest first, so that no worker takes another."""
        for request in reversed(self.requests()):
            if not request.is_lost:
                self.discipline.leave(request, self._watcher.now_ns)
                self.lose(request)

    def is_full(self, most: int | None) -> bool:
        """Whether it refuses others; those that are lost do not count."""
        return most is not None and self.count - self.lost >= most

    def requests(self) -> list[Request]:
        """Those at this replica, in the order of their arrival."""
        return list(self._entities.values())

    def count_end(self, request: Request, now_ns: int) -> None:
        """A request that was sent here has ended."""
        if request.outcome == 0:
            self.completed += 1
            self.response_ns += now_ns - request.arrived_ns
        else:
            self.failed += 1


class RequestsEnd(SinkStock[Request]):
    """`RequestsComplete` or `RequestsFailed`: the end of the road."""

    __slots__ = ("_watcher",)

    def __init__(self, watcher: Watcher, name: str) -> None:
        super().__init__(name, KIND, keeps_entities=False)
        self._watcher = watcher

    def add(self, entity: Request) -> None:
        """A request has ended."""
        super().add(entity)
        self._watcher.ended(entity)
