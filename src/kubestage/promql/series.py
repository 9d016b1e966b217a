"""Series of samples: what was scraped, in columns.

Series that are scraped together share their times, and store a value only where it changes: a
counter that stands still costs nothing, however long it is watched.
"""

from __future__ import annotations

import struct
from array import array
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.promql.matchers import NAME

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from kubestage.promql.matchers import Matcher

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
    """Values of series that change together, one row for each time at which any of them did."""

    def __init__(self, axis: Axis, width: int) -> None:
        self.axis = axis
        self.width = width
        self._changed_at = array("q")
        self._values = array("d")
        self._rows: NDArray[np.float64] = np.empty((0, width))

    def put(self, values: Iterable[float]) -> None:
        """The values at the newest time of the axis, and from then on until others are put."""
        self._changed_at.append(len(self.axis.times) - 1)
        self._values.extend(values)

    @property
    def version(self) -> tuple[int, int]:
        """Different whenever there is something new."""
        return len(self.axis.times), len(self._changed_at)

    def samples(self, column: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All times and values of one of them."""
        if len(self._rows) != len(self._changed_at):
            self._rows = np.array(self._values, np.float64).reshape(-1, self.width)
        times = self.axis.column
        changed = np.append(np.array(self._changed_at, np.int64), len(times))
        counts = changed[1:] - changed[:-1]
        values = np.repeat(self._rows[:, column], counts)
        return times[len(times) - len(values) :], values

    def __getstate__(self) -> tuple[Any, ...]:
        return self.axis, self.width, self._changed_at, self._values

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.axis, self.width, self._changed_at, self._values = state
        self._rows = np.empty((0, self.width))


class Series:
    """The samples of one combination of labels, from its first on at every time of its axis."""

    __slots__ = ("_column", "_dense", "by_name", "columns", "labels")

    def __init__(self, labels: Labels, columns: Columns, column: int = 0) -> None:
        self.labels = labels
        self.by_name = dict(labels)
        self.columns = columns
        self._column = column
        self._dense: tuple[tuple[int, int], NDArray[np.int64], NDArray[np.float64]] | None = None

    def append(self, at_ms: int, value: float) -> None:
        """A sample at a new time; for a series that has its axis to itself."""
        self.columns.axis.append(at_ms)
        self.put(value)

    def put(self, value: float) -> None:
        """The value at the newest time of the axis; for a series that changes by itself."""
        self.columns.put((value,))

    def samples(self) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """All times and values; the end of a stretch is marked with `STALE`."""
        version = self.columns.version
        if self._dense is None or self._dense[0] != version:
            self._dense = (version, *self.columns.samples(self._column))
        return self._dense[1], self._dense[2]

    def __getstate__(self) -> tuple[Any, ...]:
        return self.labels, self.columns, self._column

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.labels, self.columns, self._column = state
        self.by_name = dict(self.labels)
        self._dense = None


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

    def together(self, labels: Sequence[Labels], axis: Axis) -> Columns:
        """The columns of several series that change together, created if there are none."""
        first = self._series.get(labels[0])
        if first is not None:
            assert first.columns.width == len(labels), "what changes together stays together"
            return first.columns
        columns = Columns(axis, len(labels))
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
