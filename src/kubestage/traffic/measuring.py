"""The requests of one stream between two measurements."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from kubestage.traffic.record import Record
    from kubestage.traffic.replicas import Replicas
    from kubestage.traffic.requests import Replica as State

_NOT_YET: Final = -1


class RequestCounts(msgspec.Struct, frozen=True, gc=False):
    """Requests that came and ended in a stretch of time, and those there at its end.

    `buckets` is how response times were spread, where that is known.
    """

    came: int
    completed: int
    failed: int
    response_ns: int
    in_flight: int
    buckets: Any = None

    def plus(self, other: RequestCounts) -> RequestCounts:
        """Together with those of another stream."""
        has_buckets = self.buckets is not None and other.buckets is not None
        return RequestCounts(
            self.came + other.came,
            self.completed + other.completed,
            self.failed + other.failed,
            self.response_ns + other.response_ns,
            self.in_flight + other.in_flight,
            self.buckets + other.buckets if has_buckets else None,
        )


class Measuring:
    """Compares a stream with its state at the last measurement.

    The first measurement has nothing to compare with; nor has that of a new replica. Nothing is
    measured of replicas on silent nodes.
    """

    def __init__(self) -> None:
        self._measured_ns = _NOT_YET
        self._pods: dict[str, State] = {}
        self._totals = (0, 0, 0, 0)
        self._buckets: NDArray[np.int64] | None = None
        self._queried_ns = 0
        self._queried: dict[str, State] = {}

    def measure(
        self, replicas: Replicas, now_ns: int
    ) -> tuple[int, RequestCounts, dict[str, RequestCounts]] | None:
        """The time since the last measurement, all requests since, and those of each replica."""
        before_ns, self._measured_ns = self._measured_ns, now_ns
        whole = self._whole(replicas.requests.record)
        states = replicas.requests.replicas()
        before, self._pods = self._pods, states
        if before_ns == _NOT_YET:
            return None
        silent = {each.name for each in replicas.by_pod.values() if each.is_silent}
        by_pod = {
            name: RequestCounts(
                state.received - was.received,
                state.completed - was.completed,
                state.failed - was.failed,
                state.response_ns - was.response_ns,
                state.in_flight,
            )
            for name, state in states.items()
            if (was := before.get(name)) is not None
            and was.serial == state.serial
            and name not in silent
        }
        return now_ns - before_ns, whole, by_pod

    def utilisation(self, replicas: Replicas, now_ns: int) -> float | None:
        """The average utilization of active replicas since the last call."""
        states = replicas.requests.replicas()
        shares: list[float] = []
        before, self._queried = self._queried, states
        for replica in replicas.active.entities_in_stock():
            state, was = states.get(replica.name), before.get(replica.name)
            if state is None or replica.is_silent:
                continue
            spent, since_ns = state.cpu_core_ns, replica.since_ns or 0
            if was is not None and was.serial == state.serial:
                spent -= was.cpu_core_ns
                since_ns = max(since_ns, self._queried_ns)
            if now_ns > since_ns:
                shares.append(spent / ((now_ns - since_ns) * replica.capacity))
        self._queried_ns = now_ns
        return sum(shares) / len(shares) if shares else None

    def _whole(self, record: Record) -> RequestCounts:
        now = (record.arrived, record.completed, record.failed, record.response_ns)
        before, self._totals = self._totals, now
        was, self._buckets = self._buckets, record.mark()
        buckets = self._buckets if was is None else self._buckets - was
        came, completed, failed, response_ns = (
            new - old for new, old in zip(now, before, strict=True)
        )
        return RequestCounts(came, completed, failed, response_ns, record.in_flight, buckets)
