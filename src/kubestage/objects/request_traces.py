"""Recorded load as CSV: rates over time (``time,rps``), or each request (``arrival``).

The first row names the columns; others than these are left alone. Times are seconds from the start
(``90``, ``1m30s``). Those of a calendar (RFC 3339, or seconds since 1970) count from the first row.
"""

from __future__ import annotations

import array
import csv
import functools
import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_TIMES: Final = ("time", "timestamp")
_RATES: Final = ("rps", "qps")
_ARRIVALS: Final = ("arrival",)
_COLUMNS: Final = "name the columns in the first row: time,rps or arrival"
_ROW: Final = "write a time and the requests a second from then on, such as 60,12.5"
# No rehearsal begins three years after its start: such a time is one of a calendar.
_CALENDAR_NS: Final = 100_000_000 * durations.SECOND
_LATEST_NS: Final = 1 << 62
MOST_A_SECOND: Final = 10_000_000


class RequestTrace(msgspec.Struct, frozen=True):
    """Times in order and, of a trace of rates, how many requests a second come from each on."""

    times_ns: array.array[int]
    rates: array.array[float] | None = None

    @property
    def end_ns(self) -> int:
        """When the trace is over and can be repeated: its last row is as long as the
        one before it.
        """
        last = self.times_ns[-1]
        return last if len(self.times_ns) < 2 else 2 * last - self.times_ns[-2]


@functools.lru_cache(maxsize=16)
def read(text: str) -> RequestTrace:
    """Read a trace; `InputError` names what is wrong, and the line."""
    rows = _rows(text)
    line, header = next(rows, (1, []))
    names = [name.strip().lower() for name in header]
    when, much = _column(names, _TIMES), _column(names, _RATES)
    if when is not None and much is not None:
        return _rates(rows, when, much)
    arrival = _column(names, _ARRIVALS)
    if arrival is not None:
        return _arrivals(rows, arrival)
    problem = f"no columns {_or(_TIMES)} and {_or(_RATES)}, nor {_or(_ARRIVALS)}"
    raise InputError(problem, line=line, fix=_COLUMNS)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    """Rows with something in them, each with its line."""
    reader = csv.reader(text.splitlines())
    try:
        for row in reader:
            if any(cell.strip() for cell in row):
                yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"is no CSV: {error}", line=reader.line_num, fix=_COLUMNS) from error


def _column(names: Sequence[str], accepted: Sequence[str]) -> int | None:
    return next((names.index(name) for name in accepted if name in names), None)


def _or(names: Sequence[str]) -> str:
    return " or ".join(names)


def _rates(rows: Iterator[tuple[int, list[str]]], when: int, much: int) -> RequestTrace:
    times, rates = array.array("q"), array.array("d")
    last_ns = -1
    for line, row in rows:
        time_ns = _time(row, when, line)
        if time_ns <= last_ns:
            problem = "the same time twice" if time_ns == last_ns else "is before the row above it"
            fix = "sort the rows by time, and add up those of the same time"
            raise InputError(f"{row[when].strip()}: {problem}", line=line, fix=fix)
        times.append(time_ns)
        rates.append(_rate(row, much, line))
        last_ns = time_ns
    return RequestTrace(_from_start(times), rates)


def _arrivals(rows: Iterator[tuple[int, list[str]]], column: int) -> RequestTrace:
    times = array.array("q")
    last_ns = 0
    for line, row in rows:
        time_ns = _time(row, column, line)
        if time_ns < last_ns:
            problem = f"{row[column].strip()}: is before the row above it"
            raise InputError(problem, line=line, fix="sort the rows by time")
        times.append(time_ns)
        last_ns = time_ns
    return RequestTrace(_from_start(times))


def _from_start(times: array.array[int]) -> array.array[int]:
    if not times:
        raise InputError("the trace has no rows", fix="add a row below the names of the columns")
    first = times[0]
    return array.array("q", [each - first for each in times]) if first >= _CALENDAR_NS else times


def _time(row: list[str], column: int, line: int) -> int:
    text = row[column].strip() if column < len(row) else ""
    time_ns = _read_time(text)
    if time_ns is None:
        fix = "write seconds (90.5), a duration (1m30s) or a moment (2026-01-31T12:00:00Z)"
        raise InputError(f"{text!r} is no time", line=line, fix=fix)
    if not 0 <= time_ns < _LATEST_NS:
        problem = "before the start" if time_ns < 0 else "too far away"
        raise InputError(f"{text} is {problem}", line=line, fix="times begin with 0")
    return time_ns


def _read_time(text: str) -> int | None:
    try:
        seconds = float(text)
    except ValueError:
        for read in (durations.parse_duration, timestamps.parse_time):
            try:
                return read(text)
            except ValueError:
                continue
        return None
    return round(seconds * durations.SECOND) if math.isfinite(seconds) else None


def _rate(row: list[str], column: int, line: int) -> float:
    text = row[column].strip() if column < len(row) else ""
    try:
        rate = float(text)
    except ValueError:
        raise InputError(f"{text!r} is no rate", line=line, fix=_ROW) from None
    if not 0 <= rate <= MOST_A_SECOND:
        problem = f"the rate {text} is not from 0 to {MOST_A_SECOND:,} requests a second"
        raise InputError(problem, line=line, fix=_ROW)
    return rate
