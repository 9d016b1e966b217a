"""Series of samples: what was scraped, in columns.

Series that are scraped together share their times, and store a value only where it changes: a
counter that stands still costs nothing, however long it is watched.
"""

from __future__ import annotations

import itertools
import struct
from array import array
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from kubestage.promql.matchers import NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from kubestage.promql.matchers import Matcher

_N = TypeVar("_N", bound=np.generic)

Labels = tuple[tuple[str, str], ...]
"""Labels with their values, by name; none of them is empty."""

_STALE_BITS: Final = 0x7FF8000000000002
STALE: Final[float] = struct.unpack("<d", struct.pack("<Q", _STALE_BITS))[0]
"""The value that marks the end of a series: a NaN with bits of its own."""


def labels_of(pairs: Mapping[str, str]) -> Labels:
    """Labels from a mapping: in order, without the empty ones."""
    return tuple(sorted((name, value) for name, value in pairs.items() if value))


def is_stale(values: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which values mark the end of their series."""
    stale: NDArray[np.bool_] = values.view(np.uint64) == _STALE_BITS
    return stale


class Axis:
    """The times, in milliseconds since 1970, of everything that is scraped together."""

    def __init__(self) -> None:
        self.times = array("q")
        self._column: NDArray[np.int64] = np.empty(0, np.int64)

    def append(self, at_ms: int) -> None:
        """A new time; it has to be later than all before."""
        assert not self.times or at_ms > self.times[-1], "samples come in the order of time"
        self.times.append(at_ms)

    @property
    def column(self) -> NDArray[np.int64]:
        """All times."""
        if len(self._column) != len(self.times):
            self._column = np.array(self.times, np.int64)
        return self._column


class Columns:
    """Values of series that change together, one row for each time at which any of them did.

    They also end together.
    """

    def __init__(self, axis: Axis, width: int) -> None:
        self.axis = axis
        self.width = width
        self._changed_at = array("q")
        self._values = array("d")

    def put(self, values: Iterable[float]) -> None:
        """The values at the newest time of the axis, and from then on until others are put."""
        self._changed_at.append(len(self.axis.times) - 1)
        self._values.extend(values)

    def samples(self, chosen: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All times, and a row of values for each of the chosen columns.

        NOTE: the buckets of a distribution are nearly always read together, and to lay out each by
        itself was a third of a query of thousands of series (benchmarks/load.py).
        """
        times = self.axis.column
        changed = np.append(_array(self._changed_at, np.int64), len(times))
        values = np.repeat(self._rows(chosen), changed[1:] - changed[:-1], axis=1)
        return times[len(times) - values.shape[1] :], values

    def _rows(self, chosen: Sequence[int]) -> NDArray[np.float64]:
        """The values of the chosen columns, where any changed; not to be kept.

        NOTE: with thousands of series a second copy of all samples took 130 MB at the end of a load
        with 5,000 nodes, and hardly any time is saved by it (benchmarks/load.py).
        """
        return _array(self._values, np.float64).reshape(-1, self.width)[:, chosen].T

    def __getstate__(self) -> tuple[Any, ...]:
        return self.axis, self.width, self._changed_at, self._values

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.axis, self.width, self._changed_at, self._values = state


class BucketColumns(Columns):
    """The columns of one distribution: its buckets, which add up, then their count and sum.

    NOTE: numbers of 4 bytes for each bucket are half of what rows of floats take; a load with 5,000
    nodes had 90 MB of rows half-way (benchmarks/load.py).
    """

    def __init__(self, axis: Axis, width: int) -> None:
        super().__init__(axis, width)
        self._seen = array("I")

    def put_counts(self, counts: Sequence[int], total: float) -> None:
        """How much is in each bucket at the newest time of the axis, and the sum of it all."""
        self._changed_at.append(len(self.axis.times) - 1)
        before = len(self._seen)
        try:
            self._seen.extend(itertools.accumulate(counts))
        except OverflowError:
            self._seen = array("Q", [*self._seen[:before], *itertools.accumulate(counts)])
        self._values.append(total)

    def end(self) -> None:
        """The distribution is gone."""
        self.put_counts([0] * (self.width - 2), STALE)

    def _rows(self, chosen: Sequence[int]) -> NDArray[np.float64]:
        totals = _array(self._values, np.float64)
        size = np.uint32 if self._seen.typecode == "I" else np.uint64
        seen = _array(self._seen, size).reshape(-1, self.width - 2)
        # The count is what the last bucket adds up to; the sum of all comes after it.
        values = seen[:, [min(column, self.width - 3) for column in chosen]].T.astype(np.float64)
        values[:, is_stale(totals)] = STALE
        for row, column in enumerate(chosen):
            if column == self.width - 1:
                values[row] = totals
        return values

    def __getstate__(self) -> tuple[Any, ...]:
        return *super().__getstate__(), self._seen

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        *rest, self._seen = state
        super().__setstate__(tuple(rest))


class Series:
    """The samples of one combination of labels, from its first on at every time of its axis."""

    __slots__ = ("by_name", "column", "columns", "labels")

    def __init__(self, labels: Labels, columns: Columns, column: int = 0) -> None:
        self.labels = labels
        self.by_name = dict(labels)
        self.columns = columns
        self.column = column

    def append(self, at_ms: int, value: float) -> None:
        """A sample at a new time; for a series that has its axis to itself."""
        self.columns.axis.append(at_ms)
        self.put(value)

    def put(self, value: float) -> None:
        """The value at the newest time of the axis; for a series that changes by itself."""
        self.columns.put((value,))

    def samples(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All times and values; the end of a stretch is marked with `STALE`."""
        times, values = self.columns.samples((self.column,))
        return times, values[0]

    def __getstate__(self) -> tuple[Any, ...]:
        return self.labels, self.columns, self.column

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.labels, self.columns, self.column = state
        self.by_name = dict(self.labels)


def _array(numbers: array[Any], dtype: type[_N]) -> NDArray[_N]:
    """Numbers where they are: while this is in use, none can be added to them."""
    return np.frombuffer(numbers, dtype) if numbers else np.empty(0, dtype)


class SeriesStore:
    """All series, found by their labels."""

    def __init__(self) -> None:
        self._series: dict[Labels, Series] = {}
        self._by_name: dict[str, list[Series]] = {}

    def __len__(self) -> int:
        return len(self._series)

    def series(self, labels: Labels, axis: Axis | None = None) -> Series:
        """The series of these labels, created if there is none, on this axis or on its own."""
        found = self._series.get(labels)
        if found is None:
            found = self._add(Series(labels, Columns(Axis() if axis is None else axis, 1)))
        return found

    def buckets(self, labels: Sequence[Labels], axis: Axis) -> BucketColumns:
        """The columns of a distribution, created if there are none."""
        first = self._series.get(labels[0])
        if first is not None:
            columns = first.columns
            assert columns.width == len(labels), "what changes together stays together"
            assert isinstance(columns, BucketColumns), "a distribution stays one"
            return columns
        columns = BucketColumns(axis, len(labels))
        for column, each in enumerate(labels):
            self._add(Series(each, columns, column))
        return columns

    def _add(self, series: Series) -> Series:
        self._series[series.labels] = series
        self._by_name.setdefault(series.by_name.get(NAME, ""), []).append(series)
        return series

    def append(self, labels: Mapping[str, str], at_ms: int, value: float) -> None:
        """One sample of a series that does not share its times."""
        self.series(labels_of(labels)).append(at_ms, value)

    def select(self, matchers: Iterable[Matcher]) -> list[Series]:
        """The series that all matchers accept, by their labels."""
        rest = list(matchers)
        exact = next((each for each in rest if each.name == NAME and each.is_exact), None)
        if exact is None:
            found = list(self._series.values())
        else:
            found = self._by_name.get(exact.value, [])
            rest.remove(exact)
        for matcher in rest:
            found = [series for series in found if matcher.accepts(series.by_name)]
        return sorted(found, key=_labels)

    def names(self) -> list[str]:
        """The names of all metrics."""
        return sorted(self._by_name)


def _labels(series: Series) -> Labels:
    return series.labels
