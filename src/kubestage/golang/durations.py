"""Durations in integer nanoseconds, as Go's ``time`` prints and reads them."""

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
