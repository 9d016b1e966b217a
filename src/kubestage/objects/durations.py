"""Spans of time in integer nanoseconds: how Kubernetes and Go write and read them."""

from __future__ import annotations

import functools
import re
from typing import Final

MICROSECOND: Final = 1_000
MILLISECOND: Final = 1_000_000
SECOND: Final = 1_000_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE

_MAX: Final = (1 << 63) - 1
_MIN: Final = -(1 << 63)
_UNITS: Final = {
    "ns": 1, "us": MICROSECOND, "µs": MICROSECOND, "μs": MICROSECOND, "ms": MILLISECOND,
    "s": SECOND, "m": MINUTE, "h": HOUR,
}  # fmt: skip
_PART: Final = re.compile(r"([0-9]*)(?:\.([0-9]*))?([^0-9.]*)", re.ASCII)


def human(duration_ns: int) -> str:
    """The age in a kubectl table: two or three significant figures, such as ``3d4h``."""
    seconds = int(_in_units(duration_ns, SECOND))
    if seconds < 120:
        return _within_two_minutes(seconds)
    minutes, hours = duration_ns // MINUTE, duration_ns // HOUR
    if minutes < 10:
        return _pair(minutes, "m", duration_ns // SECOND % 60, "s")
    if minutes < 180:
        return f"{minutes}m"
    if hours < 8:
        return _pair(hours, "h", minutes % 60, "m")
    if hours < 48:
        return f"{hours}h"
    days = hours // 24
    if days < 8:
        return _pair(days, "d", hours % 24, "h")
    if days < 365 * 2:
        return f"{days}d"
    if days < 365 * 8:
        return _pair(days // 365, "y", days % 365, "d")
    return f"{days // 365}y"


def short_human(duration_ns: int) -> str:
    """The age in its largest unit only, such as ``3d``."""
    seconds = int(_in_units(duration_ns, SECOND))
    if seconds < 60:
        return _within_two_minutes(seconds)
    minutes = int(_in_units(duration_ns, MINUTE))
    if minutes < 60:
        return f"{minutes}m"
    hours = _in_units(duration_ns, HOUR)
    if int(hours) < 24:
        return f"{int(hours)}h"
    if int(hours) < 24 * 365:
        return f"{int(hours) // 24}d"
    return f"{int(hours / 24 / 365)}y"


def _within_two_minutes(seconds: int) -> str:
    # Clocks differ, so an age just below zero is taken for now.
    return "<invalid>" if seconds < -1 else f"{max(seconds, 0)}s"


def _pair(first: int, first_unit: str, second: int, second_unit: str) -> str:
    return f"{first}{first_unit}{second}{second_unit}" if second else f"{first}{first_unit}"


def _in_units(duration_ns: int, unit_ns: int) -> float:
    """The span as Go's float64, whose rounding shows close to a whole unit."""
    whole, rest = divmod(abs(duration_ns), unit_ns)
    amount = whole + rest / unit_ns
    return amount if duration_ns >= 0 else -amount


def go_string(duration_ns: int) -> str:
    """The span as Go prints it, such as ``1h0m2.5s`` or ``150ms``."""
    if duration_ns == 0:
        return "0s"
    sign, rest = ("-", -duration_ns) if duration_ns < 0 else ("", duration_ns)
    if rest < SECOND:
        for unit, size in (("ns", 1), ("µs", MICROSECOND), ("ms", MILLISECOND)):
            if rest < size * 1000:
                return f"{sign}{_decimal(rest, size)}{unit}"
    minutes, rest = divmod(rest, MINUTE)
    hours, minutes = divmod(minutes, 60)
    text = f"{_decimal(rest, SECOND)}s"
    if hours:
        return f"{sign}{hours}h{minutes}m{text}"
    return f"{sign}{minutes}m{text}" if minutes else sign + text


def _decimal(amount: int, unit: int) -> str:
    whole, rest = divmod(amount, unit)
    if not rest:
        return str(whole)
    fraction = str(unit + rest)[1:].rstrip("0")
    return f"{whole}.{fraction}"


def round_to(duration_ns: int, unit_ns: int) -> int:
    """The nearest multiple of a unit, halves away from zero, as Go's ``Duration.Round``."""
    if unit_ns <= 0:
        return duration_ns
    count, rest = divmod(abs(duration_ns), unit_ns)
    rounded = (count + (rest * 2 >= unit_ns)) * unit_ns
    return max(-rounded, _MIN) if duration_ns < 0 else min(rounded, _MAX)


@functools.lru_cache(maxsize=4096)
def parse_duration(text: str) -> int:
    """Read Go's notation (``1h30m``, ``-1.5s``); ``ValueError`` has Go's words."""
    negative = text.startswith("-")
    rest = text[1:] if text[:1] in ("-", "+") else text
    if rest == "0":
        return 0
    total, at = 0, 0
    if not rest:
        raise _invalid(text)
    while at < len(rest):
        match = _PART.match(rest, at)
        assert match is not None
        whole, fraction, unit = match.groups()
        if not (whole or fraction):
            raise _invalid(text)
        total += _part(text, whole, fraction or "", unit)
        at = match.end()
        if total > _MAX + 1:
            raise _invalid(text)
    if negative:
        return -total
    if total > _MAX:
        raise _invalid(text)
    return total


def _part(text: str, whole: str, fraction: str, unit: str) -> int:
    whole = whole.lstrip("0")
    number = int(whole[:20] or "0")
    if number > _MAX + 1:
        raise _invalid(text)
    if not unit:
        raise ValueError(f"time: missing unit in duration {quote(text)}")
    size = _UNITS.get(unit)
    if size is None:
        raise ValueError(f"time: unknown unit {quote(unit)} in duration {quote(text)}")
    if number > (1 << 63) // size:
        raise _invalid(text)
    return number * size + _fraction(fraction, size)


def _fraction(digits: str, size: int) -> int:
    """A fraction of a unit by Go's way: as many digits as 63 bits hold, then float64."""
    significant = digits.lstrip("0")[:19]
    if significant and int(significant) > 1 << 63:
        significant = significant[:18]
    if not significant:
        return 0
    places = len(digits) - len(digits.lstrip("0")) + len(significant)
    return int(float(int(significant)) * (size / float(10**places))) if places < 300 else 0


def _invalid(text: str) -> ValueError:
    return ValueError(f"time: invalid duration {quote(text)}")


def quote(text: str) -> str:
    """Text as Go's time package shows it in errors: escaped byte by byte."""
    out: list[str] = []
    for char in text:
        if char < " " or char > "\x7f":
            out.extend(f"\\x{byte:02x}" for byte in char.encode("utf-8", "surrogatepass"))
        else:
            out.append("\\" + char if char in '"\\' else char)
    return f'"{"".join(out)}"'
