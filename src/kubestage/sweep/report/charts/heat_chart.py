"""A measure over two axes as a heat map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.sweep.report import amounts, axis_names

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.sweep.report.sweep_report import SweepReport
    from kubestage.sweep.statistics.heat import HeatMap

_ROW: Final = 34
_WITH_TEXT: Final = 120
_NARROW: Final = 5
# Not the black that a dark page replaces: it inverts all of a cell.
_INK: Final = "#222222"
_DARK_FROM: Final = 0.42


def heat(report: SweepReport, found: HeatMap) -> ChartType | None:
    """A cell for each pair of values, darker where there is more."""
    means = [each.estimate.mean for each in found.cells if each.estimate.mean is not None]
    if len(means) < 2:
        return None
    low, high = min(means), max(means)
    measure = report.source.measures[found.measure]
    rows = [
        {
            "first": each.first,
            "second": each.second,
            "mean": each.estimate.mean,
            "shown": amounts.amount(each.estimate.mean or 0.0, measure.unit),
            "interval": amounts.mean(each.estimate, measure.unit),
            "settings": each.settings,
            "dark": ((each.estimate.mean or 0.0) - low) / (high - low or 1) > _DARK_FROM,
        }
        for each in found.cells
    ]
    short = dict(zip(report.source.axes, axis_names.short(report.source.axes), strict=True))
    plain = alt.Axis(ticks=False, domain=False, grid=False, labelAngle=0, labelOverlap=True)
    base = alt.Chart(style.data(rows)).encode(
        x=alt.X("second:N", sort=list(found.labels[1]), title=short[found.axes[1]], axis=plain),
        y=alt.Y("first:N", sort=list(found.labels[0]), title=short[found.axes[0]], axis=plain),
        tooltip=["first:N", "second:N", "interval:N", "settings:Q"],
    )
    color = alt.Color(
        "mean:Q",
        scale=alt.Scale(range=list(style.SHADES), domain=[low, high]),
        legend=alt.Legend(title=f"{found.measure}{amounts.unit_name(measure.unit)}", tickCount=4),
    )
    layers = [base.mark_rect(stroke="white", strokeWidth=1).encode(color=color)]
    if len(rows) <= _WITH_TEXT:
        ink = alt.condition("datum.dark", alt.value("white"), alt.value(_INK))
        layers.append(base.mark_text(fontSize=11).encode(text="shown:N", color=ink))
    height = _ROW * max(2, len(found.labels[0]))
    chart = alt.layer(*layers, width=style.WIDTH, height=height)
    names = " and ".join(short[each] for each in found.axes)
    others = ", the other axes averaged" if len(report.source.axes) > 2 else ""
    subtitle = f"Means over seeds{others}"
    finished = style.finished(chart, f"{found.measure} by {names}", subtitle)
    return finished if max(map(len, found.labels)) <= _NARROW else style.wide(finished)
