"""When a CronJob is due: the notation of cron, read as the cron library of Kubernetes reads it.

Five fields (minute, hour, day of month, month, day of week), the names ``@hourly`` to
``@yearly``, or ``@every 1h30m``. Errors have the library's words, oddities included.
"""

from __future__ import annotations

import functools
import re
from typing import Final, NamedTuple

import msgspec

from kubestage.errors import MalformedValue
from kubestage.golang import durations, integers
from kubestage.objects import cron_times, time_zones
from kubestage.objects.cron_times import STAR
from kubestage.objects.validation import field

_SPACE: Final = r"[\t\n\v\f\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+"
_split_spaces: Final = re.compile(_SPACE).split
_is_integer: Final = re.compile("[+-]?[0-9]+", re.ASCII).fullmatch
_INT64_MAX: Final = (1 << 63) - 1
_EVERY: Final = "@every "


class ScheduleError(MalformedValue):
    """A schedule that cannot be read."""


class _Bounds(NamedTuple):
    low: int
    high: int
    names: tuple[str, ...] = ()


_MINUTE: Final = _Bounds(0, 59)
_HOUR: Final = _Bounds(0, 23)
_DAY: Final = _Bounds(1, 31)
_MONTH: Final = _Bounds(
    1, 12, ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
)
_WEEKDAY: Final = _Bounds(0, 6, ("sun", "mon", "tue", "wed", "thu", "fri", "sat"))
_FIELDS: Final = (_MINUTE, _HOUR, _DAY, _MONTH, _WEEKDAY)

_NAMED: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}


class Schedule(msgspec.Struct, frozen=True):
    """Moments that recur: those that fit the fields, or one every `every_seconds`.

    `own_zone` is the zone that the schedule itself names (``TZ=...``), which goes before any
    other.
    """

    fields: cron_times.CronFields | None = None
    every_seconds: int = 0
    own_zone: str | None = None

    def next_ns(self, after_unix_ns: int, zone: str = time_zones.UTC) -> int | None:
        """The first moment after the given one, on a whole second.

        None if there is none within five years, as for the 31st of February.
        """
        if self.fields is None:
            whole = after_unix_ns - after_unix_ns % durations.SECOND
            return whole + self.every_seconds * durations.SECOND
        at_zone = zone if self.own_zone is None else self.own_zone
        after = after_unix_ns // durations.SECOND
        found = cron_times.next_seconds(self.fields, after, at_zone)
        return None if found is None else found * durations.SECOND


@functools.lru_cache(maxsize=4096)
def parse(text: str) -> Schedule:
    """Read a schedule, or raise `ScheduleError`."""
    if not text:
        raise ScheduleError("empty spec string")
    zone, rest = _zone(text)
    if rest.startswith("@"):
        return _descriptor(rest, zone)
    words = [word for word in _split_spaces(rest) if word]
    if len(words) != len(_FIELDS):
        shown = " ".join(words)
        raise ScheduleError(f"expected exactly 5 fields, found {len(words)}: [{shown}]")
    bits = [_field(word, bounds) for word, bounds in zip(words, _FIELDS, strict=True)]
    return Schedule(cron_times.CronFields(*bits), own_zone=zone)


def _zone(text: str) -> tuple[str | None, str]:
    """The zone that a schedule names before its fields, and what follows."""
    if not text.startswith(("TZ=", "CRON_TZ=")):
        return None, text
    first_word, space, rest = text.partition(" ")
    if not space:
        problem = "runtime error: slice bounds out of range [:-1]"
        raise ScheduleError(f"invalid schedule format: {problem}")
    name = first_word.partition("=")[2]
    try:
        time_zones.check(name)
    except time_zones.UnknownTimeZone as error:
        raise ScheduleError(f"provided bad location {name}: {error}") from None
    return (None if name == "Local" else name), re.sub(f"^{_SPACE}|{_SPACE}$", "", rest)


def _descriptor(text: str, zone: str | None) -> Schedule:
    fields = _NAMED.get(text)
    if fields is not None:
        return msgspec.structs.replace(parse(fields), own_zone=zone)
    if not text.startswith(_EVERY):
        raise ScheduleError(f"unrecognized descriptor: {text}")
    try:
        every_ns = durations.parse_duration(text[len(_EVERY) :])
    except ValueError as error:
        raise ScheduleError(f"failed to parse duration {text}: {error}") from None
    return Schedule(every_seconds=max(every_ns // durations.SECOND, 1))


def _field(text: str, bounds: _Bounds) -> int:
    """The values of a field as bits: a comma-separated list of ranges."""
    bits = 0
    for part in text.split(","):
        if part:
            bits |= _range(part, bounds)
    return bits


def _range(text: str, bounds: _Bounds) -> int:
    """The bits of ``5``, ``1-5``, ``*/10``, ``mon-fri`` or ``3-59/15``."""
    span, *steps = text.split("/")
    first, *others = span.split("-")
    star = 0
    if first in ("*", "?"):
        low, high, star = bounds.low, bounds.high, STAR
    else:
        low = _number(first, bounds.names, bounds.low)
        if len(others) > 1:
            raise ScheduleError(f"too many hyphens: {text}")
        high = _number(others[0], bounds.names, bounds.low) if others else low
    step = 1
    if len(steps) > 1:
        raise ScheduleError(f"too many slashes: {text}")
    if steps:
        step = _number(steps[0])
        if not others:
            high = bounds.high
        if step > 1:
            star = 0
    _check_range(low, high, step, bounds, text)
    return sum(1 << value for value in range(low, high + 1, step)) | star


def _check_range(low: int, high: int, step: int, bounds: _Bounds, text: str) -> None:
    if low < bounds.low:
        problem = f"beginning of range ({low}) below minimum ({bounds.low}): {text}"
    elif high > bounds.high:
        problem = f"end of range ({high}) above maximum ({bounds.high}): {text}"
    elif low > high:
        problem = f"beginning of range ({low}) beyond end of range ({high}): {text}"
    elif step == 0:
        problem = f"step of range should be a positive number: {text}"
    else:
        return
    raise ScheduleError(problem)


def _number(text: str, names: tuple[str, ...] = (), first: int = 0) -> int:
    """A number, or a name in the place of one."""
    if text.lower() in names:
        return names.index(text.lower()) + first
    problem = None
    if not _is_integer(text):
        problem = "invalid syntax"
    elif not -_INT64_MAX - 1 <= integers.parse(text) <= _INT64_MAX:
        problem = "value out of range"
    if problem is not None:
        why = f"strconv.Atoi: parsing {field.quote(text)}: {problem}"
        raise ScheduleError(f"failed to parse int from {text}: {why}")
    number = integers.parse(text)
    if number < 0:
        raise ScheduleError(f"negative number ({number}) not allowed: {text}")
    return number
