"""Points in time as a Go program writes them into JSON and into messages."""

from __future__ import annotations

from kubestage.objects import timestamps
from kubestage.units import SECOND_NS


def in_json(time_ns: int | None) -> str:
    """Nanoseconds since 1970 as JSON has them; none is the year one."""
    if time_ns is None:
        return "0001-01-01T00:00:00Z"
    return timestamps.format_time(time_ns).rstrip("Z") + _fraction(time_ns) + "Z"


def in_text(time_ns: int | None) -> str:
    """The same as a message has them."""
    return in_json(time_ns).replace("T", " ").replace("Z", " +0000 UTC")


def _fraction(time_ns: int) -> str:
    rest = time_ns % SECOND_NS
    return f".{rest:09d}".rstrip("0") if rest else ""
