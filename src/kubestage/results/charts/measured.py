"""The measures of a run over its attempts and steps, a panel each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt

from kubestage.results import analysis
from kubestage.results.analysis.measured import SHARE, text_of
from kubestage.results.charts import style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.results.analysis.digest import Run
    from kubestage.results.analysis.measured import MeasuredSeries

_POINTS: Final = 400
PANELS: Final = 6
_HEIGHT: Final = 180


def measures(run: Run) -> ChartType:
    """The values of every measure, in the order in which they were computed."""
    found = [each for each in analysis.digest(run).measures if each.values]
    shown = found[:PANELS]
    rows = [row for each in shown for row in _rows(each)]
    titles = {"attempt" if any(each.attempts) else "step" for each in shown}
    ends = ", ".join(f"{each.name} {text_of(each.values[-1], each.unit)}" for each in shown)
    more = f", and {len(found) - len(shown)} more in the table" if len(found) > len(shown) else ""
    chart = panels(
        rows,
        [each.name for each in shown],
        alt.X("at:Q", title=" or ".join(sorted(titles)), axis=alt.Axis(format="~s", tickMinStep=1)),
        are_shares=all(each.unit == SHARE for each in shown),
    )
    return style.finished(chart, "Measures", f"At the end: {ends}{more}")


def panels(
    rows: Sequence[dict[str, Any]], names: Sequence[str], x: alt.X, *, are_shares: bool
) -> ChartType:
    """A panel for each measure, with a scale of its own."""
    in_a_row = min(len(names), 2)
    axis = alt.Axis(format=".0%" if are_shares else "~s")
    panel = (
        alt.Chart(style.data(rows))
        .mark_line(strokeWidth=2, color=style.BLUE, interpolate="step-after", point=len(rows) < 3)
        .encode(
            x=x,
            y=alt.Y("value:Q", title=None, axis=axis, scale=alt.Scale(zero=False)),
            tooltip=["measure:N", "value:Q"],
        )
        .properties(width=(style.WIDTH + style.GAP) // in_a_row - style.GAP, height=_HEIGHT)
    )
    facets = panel.facet(alt.Facet("measure:N", sort=list(names), title=None), columns=in_a_row)
    drawn: ChartType = facets.resolve_scale(x="independent", y="independent")
    return drawn


def thinned(values: Sequence[Any], most: int = _POINTS) -> list[int]:
    """The places of as many values as are drawn, the last among them."""
    size = -(-len(values) // most) or 1
    return sorted({*range(0, len(values), size), len(values) - 1})


def _rows(series: MeasuredSeries) -> list[dict[str, Any]]:
    places = series.attempts if any(series.attempts) else series.steps
    return [
        {"measure": series.name, "at": places[at], "value": series.values[at]}
        for at in thinned(series.values)
    ]
