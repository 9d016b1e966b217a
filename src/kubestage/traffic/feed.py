"""The requests of a stream of traffic: when they come, and what each of them costs.

All random values come from named streams, drawn one after the other. So they depend neither on
the portions in which requests are drawn, nor on whether their costs are used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.traffic import draws
from kubestage.traffic.patterns import reading

if TYPE_CHECKING:
    import numpy.typing as npt

    from kubestage.traffic.spec import Spec

    Times = npt.NDArray[np.int64]
    Floats = npt.NDArray[np.float64]


# So much is passed over at a time, however many requests that are.
_SKIPPED_NS: Final = 60 * 1_000_000_000


class Demands(NamedTuple):
    """What requests need, in the order in which they come.

    CPU time, whole though a float, and I/O time, in nanoseconds; and `uniform` from 0 to
    below 1, for all other random decisions about a request.
    """

    cpu_ns: Floats
    io_ns: Times
    uniform: Floats


class Feed:
    """The requests of one Traffic from a moment on.

    `name` separates the random streams of one Traffic from those of others, and of a pattern from
    the one it replaced; `costs` does so for what requests cost, if that was replaced since.
    """

    def __init__(
        self, spec: Spec, seed: int, name: str, begin_ns: int, costs: str | None = None
    ) -> None:
        first_ns = begin_ns + spec.start_after_ns
        self.begin_ns = first_ns
        self.end_ns = None if spec.duration_ns is None else first_ns + spec.duration_ns
        self._components = [
            (first_ns + each.after_ns, each.arrivals)
            for each in reading.components(spec.pattern, seed, name)
        ]
        self._cpu, self._io = spec.cpu, spec.io
        costs = name if costs is None else costs
        self._cpu_stream = draws.stream_of(seed, costs, "cpu")
        self._io_stream = draws.stream_of(seed, costs, "io")
        self._uniform_stream = draws.stream_of(seed, costs, "luck")

    def skip_to(self, now_ns: int) -> None:
        """Requests before this time have come already, from another feed of the same pattern."""
        while self.begin_ns < now_ns:
            self.begin_ns = min(self.begin_ns + _SKIPPED_NS, now_ns)
            self.arrivals(self.begin_ns)

    def arrivals(self, end_ns: int) -> Times:
        """The times of the requests before this one, from where the last answer ended, in order."""
        if self.end_ns is not None:
            end_ns = min(end_ns, self.end_ns)
        found = [
            arrivals.take(end_ns - origin_ns) + origin_ns
            for origin_ns, arrivals in self._components
        ]
        if len(found) == 1:
            return found[0]
        times = np.concatenate(found)
        times.sort(kind="stable")
        return times

    def demands(self, count: int) -> Demands:
        """What the next so many requests need."""
        cpu_ns = draws.draw_ns(self._cpu, self._cpu_stream, count)
        io_ns = draws.draw_ns(self._io, self._io_stream, count).astype(np.int64)
        return Demands(cpu_ns, io_ns, self._uniform_stream.random(count))

    def next_after(self, now_ns: int) -> int | None:
        """When the next request can come, from this time on: not sooner. None is never again."""
        found = [
            origin_ns + next_ns
            for origin_ns, arrivals in self._components
            if (next_ns := arrivals.next_ns()) is not None
        ]
        if not found:
            return None
        next_ns = max(min(found), now_ns)
        return None if self.end_ns is not None and next_ns >= self.end_ns else next_ns
