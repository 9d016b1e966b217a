"""Numbers of a load in the words of people."""

from __future__ import annotations

import math
from typing import Final

from kubestage.units import SECOND_NS

_MINUTE: Final = 60
_HOUR: Final = 3600
_NOTHING: Final = "–"
_BINARY: Final = ("B", "KiB", "MiB", "GiB", "TiB")
_STEP: Final = 1024


def duration(took_ns: int | None) -> str:
    """``850 µs``, ``12 ms``, ``1.34 s``, ``2 min 5 s``, ``1 h 2 min``; a dash if unknown."""
    return _NOTHING if took_ns is None else seconds(took_ns / SECOND_NS)


def seconds(value: float) -> str:
    """The same of seconds."""
    if value >= _HOUR:
        hours, rest = divmod(round(value / _MINUTE), 60)
        return f"{hours} h {rest} min" if rest else f"{hours} h"
    if value >= 2 * _MINUTE:
        minutes, rest = divmod(round(value), 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    if value >= 1 or value <= 0:
        return f"{number(value)} s"
    return f"{number(value * 1e3)} ms" if value >= 1e-3 else f"{number(value * 1e6)} µs"


def amount(value: float | None, unit: str) -> str:
    """A value with its unit, seconds in the one that suits them."""
    if value is None or not math.isfinite(value):
        return _NOTHING
    if unit == "s":
        return seconds(value)
    return f"{number(value)} {unit}".rstrip()


def number(value: float) -> str:
    """Three digits that count, or all of a larger whole."""
    if abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.3g}"


def binary_unit(most: float) -> tuple[str, int]:
    """The unit in which an amount of bytes is read best, and how many bytes that is."""
    place = 0
    while most >= _STEP and place < len(_BINARY) - 1:
        most, place = most / _STEP, place + 1
    return _BINARY[place], _STEP**place
