"""Parts of a date, of values that are seconds since 1970."""

from __future__ import annotations

import calendar
import datetime as dt
from typing import TYPE_CHECKING, Final

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.promql.frames import Floats

_EPOCH: Final = dt.datetime(1970, 1, 1, tzinfo=dt.UTC)


def part(name: str, values: Floats) -> Floats:
    """A part of each date, in UTC."""
    take = _PARTS[name]
    flat = [_taken(take, seconds) for seconds in values.ravel().tolist()]
    return np.array(flat).reshape(values.shape)


def _taken(take: Callable[[dt.datetime], int], seconds: float) -> float:
    try:
        return float(take(_EPOCH + dt.timedelta(seconds=int(seconds))))
    except (OverflowError, ValueError):
        return float("nan")


def _day_of_week(date: dt.datetime) -> int:
    return date.isoweekday() % 7


def _day_of_year(date: dt.datetime) -> int:
    return date.timetuple().tm_yday


def _days_in_month(date: dt.datetime) -> int:
    return calendar.monthrange(date.year, date.month)[1]


def _day_of_month(date: dt.datetime) -> int:
    return date.day


def _hour(date: dt.datetime) -> int:
    return date.hour


def _minute(date: dt.datetime) -> int:
    return date.minute


def _month(date: dt.datetime) -> int:
    return date.month


def _year(date: dt.datetime) -> int:
    return date.year


_PARTS: Final = {
    "day_of_month": _day_of_month,
    "day_of_week": _day_of_week,
    "day_of_year": _day_of_year,
    "days_in_month": _days_in_month,
    "hour": _hour,
    "minute": _minute,
    "month": _month,
    "year": _year,
}
