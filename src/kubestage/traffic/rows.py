"""What happened to requests in each stretch of time, in bounded memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.traffic import histogram

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_ROWS: Final = 2_048
OUTCOMES: Final = 6
ARRIVED: Final = OUTCOMES
RESPONSE_US: Final = OUTCOMES + 1
SUB_BITS: Final = 4
_VALUE_BITS: Final = 40
_FIRST_ROWS: Final = 64


class Rows:
    """Counts by stretch of time: outcomes, arrivals, response times.

    A row is as long as the resolution. When there are too many, they are merged in pairs and each
    is twice as long from then on. Rows start at multiples of the resolution. Response times are
    whole microseconds here, the longest 12 days; there are buckets for the octaves that occur,
    the first of which is `first_bucket`.
    """

    def __init__(self, begin_ns: int, resolution_ns: int) -> None:
        self.resolution_ns = resolution_ns
        self.first = begin_ns // resolution_ns
        self.count = 0
        self.counts: NDArray[Any] = np.zeros((_FIRST_ROWS, OUTCOMES + 2), np.int64)
        self.responses: NDArray[Any] = np.zeros((_FIRST_ROWS, 0), np.uint32)
        self.first_bucket = 0

    def reach(self, at_ns: int) -> None:
        """Have a row for this moment, and for all before."""
        while at_ns // self.resolution_ns - self.first >= MOST_ROWS:
            self._merge()
        self.count = max(self.count, at_ns // self.resolution_ns - self.first + 1)
        if self.count > len(self.counts):
            longer = min(max(2 * len(self.counts), self.count), MOST_ROWS)
            self.counts = _lengthened(self.counts, longer)
            self.responses = _lengthened(self.responses, longer)

    def add_arrivals(self, at_ns: NDArray[np.int64]) -> None:
        """Requests arrived at these times (sorted)."""
        if len(at_ns):
            self.reach(int(at_ns[-1]))
            rows = at_ns // self.resolution_ns - self.first
            self.counts[: self.count, ARRIVED] += np.bincount(rows, minlength=self.count)

    def add_ends(
        self,
        ended_ns: NDArray[np.int64],
        outcomes: NDArray[np.int64],
        response_ns: NDArray[np.int64],
    ) -> None:
        """Requests ended; the response times are those of the completed ones (outcome 0)."""
        if not len(ended_ns):
            return
        self.reach(int(ended_ns.max()))
        rows = ended_ns // self.resolution_ns - self.first
        width = self.counts.shape[1]
        np.add.at(self.counts.reshape(-1), rows * width + outcomes, 1)
        completed = rows if len(response_ns) == len(rows) else rows[outcomes == 0]
        response_us = np.minimum(response_ns // 1_000, (1 << _VALUE_BITS) - 1)
        np.add.at(self.counts.reshape(-1), completed * width + RESPONSE_US, response_us)
        if len(completed):
            buckets = histogram.buckets_of(response_us, SUB_BITS)
            self._span(int(buckets.min()), int(buckets.max()))
            places = completed * self.responses.shape[1] + (buckets - self.first_bucket)
            np.add.at(self.responses.reshape(-1), places, np.uint32(1))

    def starts_ns(self) -> list[int]:
        """When each row starts."""
        return [(self.first + row) * self.resolution_ns for row in range(self.count)]

    def percentiles_ms(
        self, row: int, percents: tuple[int, ...], rows: int = 1
    ) -> list[float | None]:
        """Response times of those that were completed in a row, or in several from there on.

        None if there were none.
        """
        counts = self.responses[row : row + rows].sum(axis=0, dtype=np.int64)
        found = histogram.percentiles(counts, percents, SUB_BITS, self.first_bucket)
        return [None] * len(percents) if found is None else [value / 1_000 for value in found]

    def _span(self, low: int, high: int) -> None:
        """Have buckets from one to the other, in whole octaves."""
        octave = 1 << SUB_BITS
        width = self.responses.shape[1]
        first, end = low - low % octave, high - high % octave + octave
        if width:
            first, end = min(first, self.first_bucket), max(end, self.first_bucket + width)
        if end - first > width:
            wider = np.zeros((len(self.responses), end - first), np.uint32)
            known = self.first_bucket - first if width else 0
            wider[:, known : known + width] = self.responses
            self.responses, self.first_bucket = wider, first

    def _merge(self) -> None:
        shift = self.first % 2
        self.counts = _paired(self.counts, shift)
        self.responses = _paired(self.responses, shift)
        self.count = (self.count + shift + 1) // 2
        self.first //= 2
        self.resolution_ns *= 2


def _lengthened(table: NDArray[Any], rows: int) -> NDArray[Any]:
    longer = np.zeros((rows, table.shape[1]), table.dtype)
    longer[: len(table)] = table
    return longer


def _paired(table: NDArray[Any], shift: int) -> NDArray[Any]:
    """Rows added up in pairs; with a shift, the first one is alone."""
    if not shift and len(table) % 2 == 0:
        whole: NDArray[Any] = table[::2] + table[1::2]
        return whole
    pairs = (len(table) + shift + 1) // 2
    even = np.zeros((2 * pairs, table.shape[1]), table.dtype)
    even[shift : shift + len(table)] = table
    added: NDArray[Any] = even[::2] + even[1::2]
    return added
