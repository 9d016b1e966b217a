"""Bounds as a shade, with lines between them or beyond."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import lines

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.charts.life.times import Times


# The upper bound of a short run is far above all else; what matters is what lies below.
_CUT: Final = 1.6
_FIELDS: Final = ("lower", "target", "upper", "request", "used")
_UNITS: Final = {"memory": (2.0**-20, "MiB")}


def bounded(
    axis: Times, rows: Sequence[Json], resource: str, kinds: Mapping[str, str]
) -> tuple[ChartType, bool]:
    """A chart of rows with ``lower`` and ``upper``, and a line for each field of `kinds`.

    Also returns whether the upper bound goes beyond the chart.
    """
    factor, title = _UNITS.get(resource, (1.0, "cores"))
    scaled = [{**row, **{name: _times(row.get(name), factor) for name in _FIELDS}} for row in rows]
    values = lines.melted(scaled, {name: name for name in kinds}, steps=True)
    highest = lines.highest(values) or 1.0
    top = max((row["upper"] or 0 for row in scaled), default=0)
    y = lines.value_axis(title, min(top, _CUT * highest) or highest)
    # Far beyond the chart is as good as anywhere beyond, and can be drawn.
    shade = [
        {**row, **_shaded(row, 2 * _CUT * highest)}
        for row in lines.held(scaled, ("lower", "upper"))
    ]
    band = (
        alt.Chart(style.data(shade))
        .mark_area(interpolate="step-after", opacity=0.18, color=style.BLUE, clip=True)
        .encode(x=axis.axis(), y="lower:Q", y2="upper:Q")
    )
    chart = lines.layered(band, lines.drawn(values, axis, y, kinds, steps=True))
    return chart, top > _CUT * highest


def _shaded(row: Json, beyond: float) -> Json:
    """Both bounds, or none: where one is not known there is nothing to shade."""
    lower, upper = row["lower"], row["upper"]
    if lower is None or upper is None:
        return {"lower": None, "upper": None}
    return {"lower": lower, "upper": min(upper, beyond)}


def _times(value: float | None, factor: float) -> float | None:
    return None if value is None else value * factor
