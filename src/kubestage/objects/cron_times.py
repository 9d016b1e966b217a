"""The next moment that fits the fields of a cron schedule, across changes of the clock.

The cron library of Kubernetes walks from the upcoming second on, field by field, and what it does
when the clock is put forward or back follows from that walk. This is the same walk in longer
strides: it jumps to the next value that fits wherever the clock is not changed on the way.
"""

from __future__ import annotations

import datetime as dt
from typing import Final, NamedTuple

from kubestage.objects import time_zones

STAR: Final = 1 << 63
"""Set in a field that was left open: then the other of the two day fields decides alone."""

_DAY: Final = 86_400
_HOUR: Final = 3_600
_MINUTE: Final = 60
_EPOCH_DAY: Final = dt.date(1970, 1, 1).toordinal()
_YEARS: Final = 5


class CronFields(NamedTuple):
    """Which values fit: bit n stands for n."""

    minute: int
    hour: int
    day: int
    month: int
    weekday: int

    def fits_day(self, date: dt.date) -> bool:
        """Both day fields must fit; if neither was left open, one of them is enough."""
        day = bool(self.day >> date.day & 1)
        weekday = bool(self.weekday >> date.isoweekday() % 7 & 1)
        if (self.day | self.weekday) & STAR:
            return day and weekday
        return day or weekday


class _Walk:
    """A moment on its way forward, seen as a clock on the wall of its zone shows it."""

    def __init__(self, unix: int, zone: str) -> None:
        self._zone = zone
        # Whether the smaller parts of the time have been set to zero.
        self._rounded = False
        self.move_to(unix)

    def move_to(self, unix: int) -> None:
        self.unix = unix
        self._local = unix + time_zones.offset_seconds(self._zone, unix)
        days, self.clock = divmod(self._local, _DAY)
        self.date = dt.date.fromordinal(days + _EPOCH_DAY)

    def show(self, date: dt.date, clock: int) -> None:
        """Move to when the wall shows this."""
        local = (date.toordinal() - _EPOCH_DAY) * _DAY + clock
        self.move_to(time_zones.to_unix_seconds(self._zone, local))

    def round_down(self, unit: int) -> None:
        """Leave out the parts below a unit, unless a greater unit has seen to that."""
        if self._rounded:
            return
        self._rounded = True
        if unit == _MINUTE:
            self.move_to(self.unix - self.unix % _MINUTE)
        else:
            self.show(self.date, self.clock - self.clock % unit)

    def round_down_to_month(self) -> None:
        if not self._rounded:
            self._rounded = True
            self.show(self.date.replace(day=1), 0)

    def stride(self, unit: int, count: int) -> None:
        """Move on by units at once, if the clock is not changed on the way; else by one."""
        local = self._local
        self.move_to(self.unix + unit * count)
        if self._local - local != unit * count:
            self.move_to(self.unix - unit * (count - 1))

    def to_next_minute(self, seconds: int) -> None:
        self._rounded = True
        self.stride(1, seconds)

    def next_month(self) -> None:
        years, month = divmod(self.date.month, 12)
        first = self.date.replace(year=self.date.year + years, month=month + 1, day=1)
        self.show(first + dt.timedelta(days=self.date.day - 1), self.clock)

    def next_days(self, count: int) -> None:
        """Move on by days; a midnight that does not exist is approached as the library does."""
        self.show(self.date + dt.timedelta(days=count), self.clock)
        hour = self.clock // _HOUR
        if hour:
            self.move_to(self.unix + _HOUR * (24 - hour if hour > 12 else -hour))


def next_seconds(fields: CronFields, after: int, zone: str) -> int | None:
    """The first fitting second after a second; None if there is none for five years."""
    if not (fields.minute and fields.hour and fields.month):
        return None
    walk = _Walk(after + 1, zone)
    limit = walk.date.year + _YEARS
    while walk.date.year <= limit:
        if (
            _reach_month(fields, walk)
            and _reach_day(fields, walk)
            and _reach(walk, fields.hour, _HOUR, 24)
            and _reach(walk, fields.minute, _MINUTE, 60)
        ):
            second = walk.clock % 60
            if not second:
                return walk.unix
            walk.to_next_minute(60 - second)
    return None


def _reach_month(fields: CronFields, walk: _Walk) -> bool:
    """Move to a month that fits; False at each new year, for all to be looked at again."""
    while not fields.month >> walk.date.month & 1:
        walk.round_down_to_month()
        walk.next_month()
        if walk.date.month == 1:
            return False
    return True


def _reach_day(fields: CronFields, walk: _Walk) -> bool:
    """Move to a day that fits; False at each new month."""
    while not fields.fits_day(walk.date):
        walk.round_down(_DAY)
        walk.next_days(_days_to_go(fields, walk.date) if walk.clock == 0 else 1)
        if walk.date.day == 1:
            return False
    return True


def _days_to_go(fields: CronFields, date: dt.date) -> int:
    """Days to the next one that fits, or to the first of the next month."""
    one = dt.timedelta(days=1)
    there = date + one
    while there.day != 1 and not fields.fits_day(there):
        there += one
    return (there - date).days


def _reach(walk: _Walk, fitting: int, unit: int, size: int) -> bool:
    """Move to an hour or a minute that fits; False when it starts again at zero."""
    while True:
        value = walk.clock // unit % size
        if fitting >> value & 1:
            return True
        walk.round_down(unit)
        value = walk.clock // unit % size
        later = fitting >> (value + 1) & ((1 << (size - value - 1)) - 1)
        count = (later & -later).bit_length() if later else size - value
        walk.stride(unit, count)
        if walk.clock // unit % size == 0:
            return False
