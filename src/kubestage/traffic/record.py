"""The record of the requests of one Traffic: how many, how they fared, how long they took.

Its size is bounded however long the run is, unless every request is recorded. It does not depend
on the engine, nor on the blocks in which requests are reported.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.sim.clock import NEVER_NS
from kubestage.traffic import histogram
from kubestage.traffic.rows import ARRIVED, RESPONSE_US, Rows
from kubestage.traffic.sample import Sample
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

COMPLETED: Final = 0
TIMEOUT: Final = 1
NO_REPLICA: Final = 2
OVERLOADED: Final = 3
INTERRUPTED: Final = 4
NO_ANSWER: Final = 5
REASONS: Final = {
    TIMEOUT: "Timeout",
    NO_REPLICA: "NoReplica",
    OVERLOADED: "Overloaded",
    INTERRUPTED: "Interrupted",
    NO_ANSWER: "NoAnswer",
}
"""Why a request failed: too late; no replica to serve it; its replica was full, or was deleted, or
is on a silent node and the request has no timeout."""

NUMBER: Final = 0
ARRIVED_NS: Final = 1
ENDED_NS: Final = 2
OUTCOME: Final = 3
REPLICA: Final = 4
WAITED_NS: Final = 5
END_WIDTH: Final = 6
"""The fields of a request that ended. Requests and replicas are numbered as they come; -1 is no
replica. It waited until it was first served, or, if it never was, until it ended."""

_MS: Final = 1_000_000
PERCENTS: Final = (50, 95, 99)
_SUB_BITS: Final = 7
_VALUE_BITS: Final = 62


class Record:
    """All that is known of the requests until `now_ns`."""

    def __init__(
        self,
        begin_ns: int = 0,
        *,
        resolution_ns: int = SECOND_NS,
        keep_requests: bool = False,
    ) -> None:
        self.now_ns = begin_ns
        self.arrived = 0
        self.outcomes = [0] * (1 + len(REASONS))
        self.replica_names: list[str] = []
        self._rows = Rows(begin_ns, resolution_ns)
        self._buckets = np.zeros(histogram.bucket_count(_SUB_BITS, _VALUE_BITS), np.int64)
        self._sample = Sample()
        self._response_ns = self._sojourn_ns = self._longest_ns = 0
        self._shortest_ns = NEVER_NS
        self._sampled: list[NDArray[np.int64]] | None = [] if keep_requests else None

    @property
    def completed(self) -> int:
        """How many were completed."""
        return self.outcomes[COMPLETED]

    @property
    def failed(self) -> int:
        """How many have failed, for whatever reason."""
        return sum(self.outcomes) - self.completed

    @property
    def in_flight(self) -> int:
        """How many arrived and have not ended."""
        return self.arrived - sum(self.outcomes)

    @property
    def response_ns(self) -> int:
        """The sum of the response times of the completed ones."""
        return self._response_ns

    def add_arrivals(self, at_ns: NDArray[np.int64]) -> None:
        """Requests arrived at these times (sorted, none before those already reported)."""
        self.arrived += len(at_ns)
        self._rows.add_arrivals(at_ns)

    def add_ends(self, ends: NDArray[np.int64]) -> None:
        """Requests ended: a line for each, with the columns named above, in any order."""
        if not len(ends):
            return
        outcomes, ended_ns = ends[:, OUTCOME], ends[:, ENDED_NS]
        spent_ns = ended_ns - ends[:, ARRIVED_NS]
        is_completed = outcomes == COMPLETED
        response_ns = spent_ns if is_completed.all() else spent_ns[is_completed]
        for outcome, count in enumerate(np.bincount(outcomes, minlength=len(self.outcomes))):
            self.outcomes[outcome] += int(count)
        self._rows.add_ends(ended_ns, outcomes, response_ns)
        self._sojourn_ns += int(spent_ns.sum())
        if len(response_ns):
            self._response_ns += int(response_ns.sum())
            self._longest_ns = max(self._longest_ns, int(response_ns.max()))
            self._shortest_ns = min(self._shortest_ns, int(response_ns.min()))
            buckets = histogram.buckets_of(response_ns, _SUB_BITS)
            self._buckets += np.bincount(buckets, minlength=len(self._buckets))
            self._sample.add(ends[:, NUMBER], ends[:, ARRIVED_NS], spent_ns, is_completed)
        if self._sampled is not None:
            self._sampled.append(ends.copy())

    def reach(self, now_ns: int) -> None:
        """Time has come this far; rows without an event count, too."""
        if now_ns > self.now_ns:
            self.now_ns = now_ns
            self._rows.reach(now_ns - 1)

    def check(self, arrivals_in_flight: Sequence[int], area_ns: int) -> None:
        """Assert that no request was lost, and Little's law.

        `area_ns` is the number in flight, integrated over time: it is the time that all of them
        spent, ended or not.
        """
        assert self.in_flight == len(arrivals_in_flight), "a request got lost"
        waiting_ns = sum(self.now_ns - int(at_ns) for at_ns in arrivals_in_flight)
        assert area_ns == self._sojourn_ns + waiting_ns, "Little's law does not hold"

    def table(self) -> dict[str, list[Any]]:
        """What happened row by row; without completed requests the response time is None."""
        rows, counts = self._rows, self._rows.counts[: self._rows.count]
        arrived, completed = counts[:, ARRIVED], counts[:, COMPLETED]
        failed = counts[:, TIMEOUT : NO_ANSWER + 1].sum(axis=1)
        processing = np.cumsum(arrived - completed - failed)
        bands = [rows.percentiles_ms(row, PERCENTS) for row in range(rows.count)]
        mean_us = [_ratio(row[RESPONSE_US], row[COMPLETED]) for row in counts.tolist()]
        table = {
            "at_s": [at_ns / SECOND_NS for at_ns in rows.starts_ns()],
            "arrived": arrived.tolist(),
            "completed": completed.tolist(),
            "failed": failed.tolist(),
            "timeout": counts[:, TIMEOUT].tolist(),
            "no_replica": counts[:, NO_REPLICA].tolist(),
            "overloaded": counts[:, OVERLOADED].tolist(),
            "interrupted": counts[:, INTERRUPTED].tolist(),
            "no_answer": counts[:, NO_ANSWER].tolist(),
            "routing": [0] * rows.count,
            "processing": processing.tolist(),
            "response_mean_ms": [None if mean is None else mean / 1_000 for mean in mean_us],
        }
        for at, percent in enumerate(PERCENTS):
            table[f"response_p{percent}_ms"] = [band[at] for band in bands]
        return table

    def bands(self, most: int) -> list[tuple[float, float, list[float | None]]]:
        """Percentiles (ms) of neighbouring rows together, at most so many: start, length, values.

        Both are in seconds of the clock; what the values are of is in the order of `PERCENTS`.
        """
        size = -(-self._rows.count // most) or 1
        length = size * self._rows.resolution_ns / SECOND_NS
        starts = self._rows.starts_ns()[::size]
        return [
            (at_ns / SECOND_NS, length, self._rows.percentiles_ms(at * size, PERCENTS, size))
            for at, at_ns in enumerate(starts)
        ]

    @property
    def resolution_ns(self) -> int:
        """How long a row of the table is."""
        return self._rows.resolution_ns

    def summary(self) -> dict[str, Any]:
        """The whole run in a few numbers."""
        response: dict[str, float | None] = dict.fromkeys(("mean", "p50", "p95", "p99", "max"))
        found = histogram.percentiles(self._buckets, PERCENTS, _SUB_BITS)
        if found is not None:
            response["mean"] = self._response_ns / self.completed / _MS
            for percent, value in zip(PERCENTS, found, strict=True):
                nearest = min(max(value, self._shortest_ns), self._longest_ns)
                response[f"p{percent}"] = nearest / _MS
            response["max"] = self._longest_ns / _MS
        return {
            "requests": self.arrived,
            "completed": self.completed,
            "failed": {REASONS[at]: count for at, count in enumerate(self.outcomes) if at},
            "in_flight": self.in_flight,
            "response_ms": response,
        }

    def mark(self) -> NDArray[np.int64]:
        """How response times are spread by now, to compare with later."""
        return self._buckets.copy()

    def percentiles_since(
        self, mark: NDArray[np.int64] | None, percents: Sequence[int]
    ) -> dict[int, float]:
        """Percentiles (ns) of the response times since a mark; none if nothing was completed."""
        return percentiles(self._buckets if mark is None else self._buckets - mark, percents)

    def responses(self) -> list[tuple[int, int]]:
        """Arrival and response time (ns) of an even sample of the completed ones, by arrival."""
        return self._sample.rows()

    def requests(self) -> dict[str, list[Any]]:
        """All requests that ended, in the order of their arrival, if they were to be kept."""
        assert self._sampled is not None, "requests are recorded only on request"
        ends = (
            np.concatenate(self._sampled) if self._sampled else np.zeros((0, END_WIDTH), np.int64)
        )
        ends = ends[np.argsort(ends[:, NUMBER], kind="stable")]
        names = [*self.replica_names, ""]
        return {
            "number": ends[:, NUMBER].tolist(),
            "arrived_ns": ends[:, ARRIVED_NS].tolist(),
            "replica": [names[at] for at in ends[:, REPLICA].tolist()],
            "ended_ns": ends[:, ENDED_NS].tolist(),
            "outcome": [REASONS.get(at, "Completed") for at in ends[:, OUTCOME].tolist()],
            "waited_ns": ends[:, WAITED_NS].tolist(),
        }


def percentiles(buckets: NDArray[np.int64], percents: Sequence[int]) -> dict[int, float]:
    """Percentiles (ns) of response times that are spread like that; none if there are none."""
    found = histogram.percentiles(buckets, percents, _SUB_BITS)
    return {} if found is None else dict(zip(percents, found, strict=True))


def _ratio(part: int, whole: int) -> float | None:
    return part / whole if whole else None
