"""The axis of a measure: its unit, and a range that fits what is drawn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import altair as alt

from kubestage.sweep.report import amounts
from kubestage.sweep.statistics.measure_names import PERCENT

if TYPE_CHECKING:
    from collections.abc import Iterable

_MARGIN: Final = 0.06


class MeasureAxis(NamedTuple):
    """A measure, and the lowest and highest value that is drawn."""

    name: str
    unit: str | None
    low: float
    high: float

    def x(self, field: str) -> alt.X:
        """The measure from left to right."""
        return alt.X(f"{field}:Q", title=self.title, axis=self._axis, scale=self._scale)

    def y(self, field: str) -> alt.Y:
        """The measure from bottom to top."""
        return alt.Y(f"{field}:Q", title=self.title, axis=self._axis, scale=self._scale)

    @property
    def title(self) -> str:
        """The measure with its unit."""
        return f"{self.name}{amounts.unit_name(self.unit)}"

    @property
    def format(self) -> str:
        """How numbers are written."""
        return ".4~%" if self.unit == "share" else ",.4~r"

    @property
    def _axis(self) -> alt.Axis:
        suffix = " + '%'" if self.unit in PERCENT else ""
        return alt.Axis(tickCount=6, labelExpr=f"format(datum.value, '{self.format}'){suffix}")

    @property
    def _scale(self) -> alt.Scale:
        span = self.high - self.low
        margin = _MARGIN * span if span else abs(self.low) * _MARGIN or 1.0
        # What is never negative has no room below nothing.
        low = 0.0 if 0 <= self.low < margin else self.low - margin
        return alt.Scale(domain=[low, self.high + margin], nice=False, zero=False)


def fitted(name: str, unit: str | None, values: Iterable[float | None]) -> MeasureAxis:
    """The axis of a measure that has all these values on it."""
    known = [each for each in values if each is not None]
    return MeasureAxis(name, unit, min(known, default=0.0), max(known, default=1.0))
