"""The units of measures, by their names."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.results.comparison import Measure

_ENDINGS: Final = {"Seconds": "s", "Minutes": "min", "Hours": "h", "Percent": "%"}
_MONEY: Final = frozenset({"cost", "costPerHour", "addedCostPerHour"})


def of(measure: Measure, currency: str | None = None) -> str | None:
    """The unit of a measure that ``compare`` has."""
    if measure.currency is not None:
        return measure.currency
    if measure.is_own:
        return measure.unit
    named = of_name(measure.name, currency)
    # Of a living run the resource is the Traffic that a figure is about.
    is_share = measure.is_rate and named is None and measure.name != "requests"
    return "share" if is_share else named


def of_name(name: str, currency: str | None = None) -> str | None:
    """The unit of a measure of this name."""
    if name in _MONEY:
        return currency
    if name.startswith("response"):
        return "ms"
    return next((unit for end, unit in _ENDINGS.items() if name.endswith(end)), None)
