"""Points in time: RFC 3339 text of the API to and from integer nanoseconds since 1970.

Formatting and parsing are cached; a simulated cluster writes the same second many times.
"""

from __future__ import annotations

import calendar
import datetime as dt
import functools
import re
from typing import TYPE_CHECKING, Final

from kubestage.golang import durations, times

if TYPE_CHECKING:
    from collections.abc import Callable

RFC3339: Final = "2006-01-02T15:04:05Z07:00"
RFC3339_MICRO: Final = "2006-01-02T15:04:05.000000Z07:00"

_EPOCH_DAY: Final = dt.date(1970, 1, 1).toordinal()
_DAYS_IN_400_YEARS: Final = 146_097

_Pattern = re.Pattern[str]
# What comes before an element of the layout, the element, its form, and (name, low, high).
_STEPS: Final[tuple[tuple[str, str, _Pattern, str, int, int], ...]] = (
    ("", "2006", re.compile("[0-9]{4}"), "year", 0, 9999),
    ("-", "01", re.compile("[0-9]{2}"), "month", 1, 12),
    ("-", "02", re.compile("[0-9]{2}"), "day", 0, 99),
    ("T", "15", re.compile("[0-9]{1,2}"), "hour", 0, 23),
    (":", "04", re.compile("[0-9]{2}"), "minute", 0, 59),
    (":", "05", re.compile("[0-9]{2}"), "second", 0, 59),
)
_FRACTION: Final = re.compile("[.,]([0-9]+)")
_MICROS: Final = re.compile("[.,]([0-9]{6})")
_ZONE: Final = re.compile("Z|([+-])([0-9]{2}):([0-9]{2})")


def format_time(time_ns: int) -> str:
    """``2026-01-01T00:00:00Z``: the API's ``Time``, whole seconds in UTC."""
    return times.rfc3339(time_ns)


def format_micro_time(time_ns: int) -> str:
    """``2026-01-01T00:00:00.000000Z``: the API's ``MicroTime``, as in leases and events."""
    return f"{times.rfc3339(time_ns)[:-1]}.{time_ns % durations.SECOND // 1000:06d}Z"


@functools.lru_cache(maxsize=8192)
def parse_time(text: str) -> int:
    """Nanoseconds since 1970 of an RFC 3339 text; ``ValueError`` has Go's words."""
    return _read(text, RFC3339)


@functools.lru_cache(maxsize=8192)
def parse_micro_time(text: str) -> int:
    """Like ``parse_time``, but exactly six digits must follow the seconds."""
    return _read(text, RFC3339_MICRO)


def _read(text: str, layout: str) -> int:
    at = 0

    def refuse(element: str) -> ValueError:
        shown = map(durations.quote, (text, layout, text[at:], element))
        return ValueError("parsing time {} as {}: cannot parse {} as {}".format(*shown))

    numbers = []
    for literal, element, pattern, name, low, high in _STEPS:
        if not text.startswith(literal, at):
            raise refuse(literal)
        at += len(literal)
        match = pattern.match(text, at)
        if match is None:
            raise refuse(element)
        number = int(match[0])
        if not low <= number <= high:
            raise _out_of_range(text, name)
        numbers.append(number)
        at = match.end()
    match = (_FRACTION if layout == RFC3339 else _MICROS).match(text, at)
    if match is None and layout == RFC3339_MICRO:
        raise refuse(".000000")
    rest_ns = int(match[1][:9].ljust(9, "0")) if match else 0
    at = match.end() if match else at
    offset_seconds, at = _zone(text, at, refuse)
    if at < len(text):
        extra = durations.quote(text[at:])
        raise ValueError(f"parsing time {durations.quote(text)}: extra text: {extra}")
    year, month, day, hour, minute, second = numbers
    if not 1 <= day <= calendar.monthrange(year or 400, month)[1]:
        raise _out_of_range(text, "day")
    days = _day_number(year, month, day)
    seconds = days * 86_400 + hour * 3600 + minute * 60 + second - offset_seconds
    return seconds * durations.SECOND + rest_ns


def _zone(text: str, at: int, refuse: Callable[[str], ValueError]) -> tuple[int, int]:
    match = _ZONE.match(text, at)
    if match is None:
        raise refuse("Z07:00")
    if not match[1]:
        return 0, match.end()
    hours, minutes = int(match[2]), int(match[3])
    if hours > 24:
        raise _out_of_range(text, "time zone offset hour")
    if minutes > 60:
        raise _out_of_range(text, "time zone offset minute")
    offset_seconds = hours * 3600 + minutes * 60
    return (-offset_seconds if match[1] == "-" else offset_seconds), match.end()


def _day_number(year: int, month: int, day: int) -> int:
    """Days since 1970; Python's calendar has no year 0, so that one is moved 400 years on."""
    if year == 0:
        return dt.date(400, month, day).toordinal() - _DAYS_IN_400_YEARS - _EPOCH_DAY
    return dt.date(year, month, day).toordinal() - _EPOCH_DAY


def _out_of_range(text: str, name: str) -> ValueError:
    return ValueError(f"parsing time {durations.quote(text)}: {name} out of range")
