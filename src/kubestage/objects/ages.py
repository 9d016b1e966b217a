"""Durations as kubectl's tables show them."""

from __future__ import annotations

from kubestage.units import HOUR_NS, MINUTE_NS, SECOND_NS


def human(duration_ns: int) -> str:
    """The age in a kubectl table: two or three significant figures, such as ``3d4h``."""
    seconds = int(_in_units(duration_ns, SECOND_NS))
    if seconds < 120:
        return _within_two_minutes(seconds)
    minutes, hours = duration_ns // MINUTE_NS, duration_ns // HOUR_NS
    if minutes < 10:
        return _pair(minutes, "m", duration_ns // SECOND_NS % 60, "s")
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
    seconds = int(_in_units(duration_ns, SECOND_NS))
    if seconds < 60:
        return _within_two_minutes(seconds)
    minutes = int(_in_units(duration_ns, MINUTE_NS))
    if minutes < 60:
        return f"{minutes}m"
    hours = _in_units(duration_ns, HOUR_NS)
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
