"""The interface of the engines that work through the requests of one Traffic, and their inputs.

At one instant things happen in this order, in every engine: departures that are due;
requests that are too late, oldest first, each followed by departures that are due by that; replicas
that come, change or go; arrivals, one after the other; they are sent, one after the other;
departures that are due by that. So a request that is complete at its deadline is complete.
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol

import msgspec

from kubestage.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kubestage.traffic.record import Record

PROCESSOR_SHARING: Final = "ProcessorSharing"
FCFS: Final = "FCFS"
SKENARIO_CPU: Final = "SkenarioCPU"
DISCIPLINES: Final = (PROCESSOR_SHARING, FCFS, SKENARIO_CPU)

ROUND_ROBIN: Final = "RoundRobin"
LEAST_REQUESTS: Final = "LeastRequests"
RANDOM: Final = "Random"
ROUTINGS: Final = (ROUND_ROBIN, LEAST_REQUESTS, RANDOM)


class Service(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How requests are routed, and how a replica serves them.

    `workers` is for FCFS only; without it a replica has as many as it has cores, rounded up.
    """

    discipline: Literal["ProcessorSharing", "FCFS", "SkenarioCPU"] = PROCESSOR_SHARING
    workers: int | None = None
    max_requests: int | None = None
    timeout_ns: int | None = None
    routing: Literal["RoundRobin", "LeastRequests", "Random"] = ROUND_ROBIN

    def __post_init__(self) -> None:
        for name in ("workers", "max_requests", "timeout_ns"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"must be 1 or more, not {value}", path=name)


class Replica(NamedTuple):
    """One replica until now: what it holds, what it used, and how those that it was sent fared.

    `serial` separates it from others that had the same name before. `response_ns` is the sum over
    the completed ones.
    """

    serial: int
    in_flight: int
    cpu_core_ns: float
    received: int
    completed: int
    failed: int
    response_ns: int


class Feed(Protocol):
    """Where arrivals and demands come from.

    All is drawn one after the other, so that it does not depend on how much is drawn at once.
    """

    begin_ns: int

    def arrivals(self, end_ns: int) -> NDArray[np.int64]:
        """The arrivals from the last end (at first, the beginning) until before this one, sorted.

        Ends are whole seconds after the beginning.
        """
        ...

    def next_after(self, now_ns: int) -> int | None:
        """When the next arrival can be, at the earliest; None if there is none any more."""
        ...

    def demands(
        self, count: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        """CPU time (ns), I/O time (ns) and `uniform` (0 to 1) of the next so many requests."""
        ...


class Requests(Protocol):
    """Works through the requests of one Traffic.

    A replica that is added again after it was drained takes part again; to remove or change one
    that is not known does nothing. To ask how replicas stand changes nothing.

    A caller that changes something first calls `advance` with the present time: by then all
    departures until then have happened, and all arrivals before.
    """

    @property
    def record(self) -> Record:
        """All that is known until now."""
        ...

    @property
    def in_flight(self) -> int:
        """How many requests are at a replica."""
        ...

    def add_replica(self, name: str, capacity_cores: float) -> None:
        """A replica takes part from now on."""
        ...

    def set_capacity(self, name: str, capacity_cores: float) -> None:
        """A replica has so many cores from now on."""
        ...

    def set_silent(self, name: str, is_silent: bool) -> None:
        """Whether a replica gives no answers from now on, as its node cannot be reached.

        Requests that it holds, and those that it is sent, are lost: each fails at its timeout, or
        at once if it has none, also when the replica is back by then.
        """
        ...

    def drain(self, name: str) -> None:
        """A replica is sent nothing any more; what it holds goes on."""
        ...

    def remove_replica(self, name: str) -> None:
        """A replica is gone; what it held has failed."""
        ...

    def set_feed(self, feed: Feed) -> None:
        """Arrivals come from here, from now on; requests on their way go on."""
        ...

    def stop(self) -> None:
        """Nothing arrives any more; requests on their way go on, and the record ends with them."""
        ...

    def advance(self, until_ns: int, *, is_over: bool = False) -> None:
        """Work through all that is due.

        With `is_over` nothing else happens at that instant, and those who arrive at it do so.
        Whatever is changed nevertheless comes after them.
        """
        ...

    def replicas(self) -> dict[str, Replica]:
        """How each replica stands now, by name, in the order in which they came."""
        ...

    def check(self) -> None:
        """Check that no request was lost, and that Little's law holds to the nanosecond."""
        ...


def check_capacity(cores: float) -> None:
    """Refuse what no replica can have."""
    if not 0 < cores < inf:
        raise InputError(f"a replica needs some CPU, not {cores} cores", path="capacity")
