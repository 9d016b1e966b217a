"""Means and intervals in words, as precise as they are sure."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.results.packing import wording
from kubestage.sweep.statistics.measure_names import PERCENT

if TYPE_CHECKING:
    from kubestage.results.statistics.intervals import Estimate

NOTHING: Final = "-"
_DIGITS: Final = 4
_NARROW: Final = 1e-4
_MOST_PLACES: Final = 12
_CURRENCY_LETTERS: Final = 3


def mean(estimate: Estimate, unit: str | None) -> str:
    """``12.35 ± 0.21``; the mean alone where there is no interval."""
    if estimate.mean is None:
        return NOTHING
    if not estimate.half_width:
        return amount(estimate.mean, unit)
    width, centre = _scaled(estimate.half_width, unit), _scaled(estimate.mean, unit)
    places = _places(width)
    reach = f"{width:,.{places}f}"
    if width < _NARROW * abs(centre):
        # More digits than anyone reads: the mean with a few, and how small the rest is.
        places = max(0, _DIGITS - math.floor(math.log10(abs(centre))))
        reach = f"{width:.1g}"
    if _is_currency(unit):
        return f"{_money(centre, unit, places)} ± {reach}"
    return _with_unit(f"{_signed(centre, places)} ± {reach}", unit)


def change(estimate: Estimate, unit: str | None) -> str:
    """The same of a difference, with its sign."""
    text = mean(estimate, unit)
    return text if text.startswith("-") or not estimate.mean else f"+{text}"


def amount(value: float, unit: str | None) -> str:
    """A value with its unit, with four digits."""
    shown = _scaled(value, unit)
    if _is_currency(unit):
        return _money(shown, unit, 2 if abs(shown) >= 1 or not shown else 4)
    size = math.floor(math.log10(abs(shown))) + 1 if shown else 1
    places = min(_MOST_PLACES, max(0, _DIGITS - size))
    text = f"{shown:,.{places}f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return _with_unit(text, unit)


def share(value: float | None) -> str:
    """A change as a share, with its sign: ``+14.6%``."""
    if value is None:
        return NOTHING
    text = f"{100 * value:+.1f}%"
    return text[1:] if not float(text[:-1]) else text


def part(value: float | None) -> str:
    """A part of a whole, without a sign: ``42%``."""
    if value is None:
        return NOTHING
    return "< 1%" if 0 < value < 0.005 else f"{100 * value:.0f}%"


def unit_name(unit: str | None) -> str:
    """A unit behind the name of a measure: `` (s)``; empty without one."""
    return "" if unit is None else f" ({'%' if unit in ('share', *PERCENT) else unit})"


def _scaled(value: float, unit: str | None) -> float:
    return 100 * value if unit == "share" else value


def _places(reach: float) -> int:
    """Decimal places that show two digits of how far an interval reaches."""
    return min(_MOST_PLACES, max(0, 1 - math.floor(math.log10(reach))))


def _signed(value: float, places: int) -> str:
    """A number without the sign of a zero."""
    text = f"{abs(value):,.{places}f}"
    return f"-{text}" if value < 0 and float(text.replace(",", "")) else text


def _money(value: float, unit: str | None, places: int) -> str:
    assert unit is not None
    text, symbol = _signed(value, places), wording.SYMBOLS.get(unit)
    if symbol is None:
        return f"{text} {unit}"
    return f"-{symbol}{text[1:]}" if text.startswith("-") else f"{symbol}{text}"


def _with_unit(text: str, unit: str | None) -> str:
    if unit is None:
        return text
    return f"{text}%" if unit in ("share", *PERCENT) else f"{text} {unit}"


def _is_currency(unit: str | None) -> bool:
    return unit is not None and len(unit) == _CURRENCY_LETTERS and unit.isupper()
