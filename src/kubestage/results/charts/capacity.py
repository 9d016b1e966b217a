"""Charts of how full the cluster is, how evenly, and how much of the rest is of no use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt

from kubestage.results import analysis
from kubestage.results.charts import style, thinning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.results.analysis.digest import Run

_DOTTED: Final = 40
_PANELS: Final = 6
# As many panels in a row as leave no gap, or the smallest.
_IN_A_ROW: Final = (1, 1, 2, 3, 2, 3, 3)
_PANEL_HEIGHT: Final = 200


def allocation(run: Run) -> ChartType:
    """How much of the cluster is requested, a line per resource."""
    digest = thinning.states(analysis.digest(run))
    rows = list(analysis.table(digest, "allocation").records())
    last = digest.steps[-1].step if digest.steps else None
    ends = [
        f"{row['resource']} {style.percent(row['rate'])}" for row in rows if row["step"] == last
    ]
    subtitle = f"At the end: {', '.join(ends)}" if ends else "Nothing happened"
    chart = _lines(rows, digest, "rate", "share of what nodes offer")
    return style.finished(chart, "What pods request of the whole cluster", subtitle)


def fragmentation(run: Run) -> ChartType:
    """How much of what is free is stranded, a line per resource."""
    digest = thinning.states(analysis.digest(run))
    rows = list(analysis.table(digest, "fragmentation").records())
    chart = _lines(rows, digest, "strandedRate", "share of what is free")
    subtitle = "Free capacity on nodes where a pod of median size does not fit"
    if not any(row["stranded"] for row in rows):
        subtitle = "None: a pod of median size fits wherever anything is free"
    return style.finished(chart, "Stranded capacity", subtitle)


def balance(run: Run) -> ChartType:
    """How evenly nodes are filled, a panel per resource."""
    digest = thinning.states(analysis.digest(run))
    shown = digest.resources[:_PANELS]
    rows = [row for row in analysis.table(digest, "balance").records() if row["resource"] in shown]
    known = [_with_band(row) for row in rows]
    steps = [end.step for end in digest.steps]
    in_a_row = _IN_A_ROW[len(shown)]
    band = style.share_axis("min", "share of what a node offers", _highest(known, "max"))
    color = style.resource_colors(digest.resources).legend(None)
    base = alt.Chart().encode(x=style.step_axis(steps), color=color)
    if len(steps) > 1:
        spread, middle = base.mark_area(opacity=0.18), base.mark_area(opacity=0.3)
    else:
        spread = base.mark_bar(opacity=0.25, size=26)
        middle = base.mark_bar(opacity=0.4, size=26)
    panel = alt.layer(
        spread.encode(y=band, y2="max:Q", tooltip=_SPREAD),
        middle.encode(y="low:Q", y2="high:Q", tooltip=_SPREAD),
        base.mark_line(strokeWidth=2.5, point=len(steps) <= _DOTTED).encode(y="mean:Q"),
        data=style.data(known),
        width=(style.WIDTH + style.GAP) // in_a_row - style.GAP,
        height=_PANEL_HEIGHT,
    )
    header = alt.Facet("resource:N", sort=list(shown), title=None)
    chart = panel.facet(header, columns=in_a_row)
    subtitle = (
        "Line: mean over nodes; band: one standard deviation; shade: emptiest to fullest node"
    )
    return style.finished(chart, "How evenly nodes are filled", subtitle)


_SPREAD: Final = [
    alt.Tooltip("step:Q"),
    alt.Tooltip("nodes:Q", format=","),
    *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("min", "mean", "max", "stddev")),
]


def _lines(
    rows: Sequence[dict[str, Any]], digest: analysis.Digest, field: str, title: str
) -> ChartType:
    """A line per resource over steps, with gaps where it is unknown; for a single step, a bar."""
    known = list(rows) if len(digest.steps) > 1 else [row for row in rows if row[field] is not None]
    steps = [end.step for end in digest.steps]
    base = alt.Chart(style.data(known), width=style.WIDTH, height=style.HEIGHT).encode(
        y=style.share_axis(field, title, _highest(known, field)),
        tooltip=["step:Q", "resource:N", alt.Tooltip(f"{field}:Q", format=".1%")],
    )
    color = style.resource_colors(digest.resources)
    if len(steps) == 1:
        axis = alt.Axis(labelAngle=0, labelLimit=style.WIDTH // len(digest.resources))
        place = alt.X(
            "resource:N", sort=list(digest.resources), title=f"step {steps[0]}", axis=axis
        )
        bars: alt.Chart = base.mark_bar(width=style.bar_width(len(digest.resources))).encode(
            x=place, color=color.legend(None)
        )
        return bars
    points = alt.OverlayMarkDef(size=50) if len(steps) <= _DOTTED else False
    line = base.mark_line(strokeWidth=2.5, point=points)
    lines: alt.Chart = line.encode(x=style.step_axis(steps), color=color)
    return lines


def _with_band(row: dict[str, Any]) -> dict[str, Any]:
    """A row with one standard deviation around its mean; without nodes, one that ends the line."""
    if not row["nodes"]:
        return {**row, **dict.fromkeys(("min", "mean", "max", "stddev", "low", "high"))}
    low = max(row["mean"] - row["stddev"], row["min"])
    return {**row, "low": low, "high": min(row["mean"] + row["stddev"], row["max"])}


def _highest(rows: Sequence[dict[str, Any]], field: str) -> float:
    return max((row[field] for row in rows if row[field] is not None), default=1.0)
