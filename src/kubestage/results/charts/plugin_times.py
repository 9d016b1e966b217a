"""Charts of how long scheduling took: where the time went, plugin by plugin."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import altair as alt

from kubestage.results import timings as recorded_timings
from kubestage.results.charts import style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.results.timings import RecordedTimings

_MOST: Final = 15
_ROW: Final = 22
_NAMES: Final = 220
_MS: Final = 1e-6
_COLORS: Final = {
    "PreEnqueue": style.GREY,
    "PreFilter": style.SKY,
    "Filter": style.BLUE,
    "PostFilter": style.VERMILION,
    "PreScore": style.ORANGE,
    "Score": style.GREEN,
    "Reserve": style.PURPLE,
    "Permit": "#B15928",
    "PreBind": style.YELLOW,
    "Bind": style.BLACK,
    "PostBind": "#6A3D9A",
}


def timings(recorded: RecordedTimings) -> ChartType:
    """The plugins that took the longest, in all, by extension point; a panel for each profile."""
    rows = [row for row in recorded.rows if row.part == recorded_timings.PLUGIN and row.total]
    totals: collections.Counter[tuple[str, str]] = collections.Counter()
    for row in rows:
        totals[row.profile, row.plugin or ""] += row.total
    order = dict.fromkeys(key for key, _ in totals.most_common(_MOST))
    shown = [
        {
            "profile": row.profile,
            "plugin": row.plugin,
            "point": row.extension_point,
            "total": row.total * _MS,
            "mean": row.mean * _MS,
            "p99": row.p99 * _MS,
        }
        for row in rows
        if (row.profile, row.plugin) in order
    ]
    chart = (
        _bars(shown, list(dict.fromkeys(plugin for _, plugin in order)))
        .facet(alt.Facet("profile:N", title=None), data=style.data(shown), columns=1)
        .resolve_scale(y="independent")
    )
    left = len(totals) - len(order)
    more = f"; {style.counted(left, 'plugin')} that took less not shown" if left > 0 else ""
    source = "Wall time" if recorded.source == recorded_timings.MEASURED else "Modelled time"
    return style.finished(chart, "Time spent in plugins", f"{source} of the whole run{more}")


def _bars(shown: list[dict[str, Any]], plugins: list[str]) -> alt.Chart:
    there = [point for point in _COLORS if any(row["point"] == point for row in shown)]
    scale = alt.Scale(domain=there, range=[_COLORS[point] for point in there])
    tips = (alt.Tooltip(f"{name}:Q", format=",.4f") for name in ("total", "mean", "p99"))
    chart: alt.Chart = (
        alt.Chart(width=style.WIDTH - _NAMES, height=alt.Step(_ROW))
        .mark_bar()
        .encode(
            y=alt.Y("plugin:N", sort=plugins, title=None),
            x=alt.X("total:Q", title="milliseconds"),
            color=alt.Color("point:N", scale=scale, legend=alt.Legend(orient="top")),
            tooltip=["plugin:N", "point:N", *tips],
        )
    )
    return chart


def compared_timings(names: Sequence[str], runs: Sequence[RecordedTimings]) -> ChartType:
    """The time of extension points in several runs: from the median to the 99th percentile."""
    shown = [
        {
            "profile": row.profile,
            "point": row.extension_point,
            "run": name,
            **{each: max(getattr(row, each), 1) * _MS for each in ("mean", "p50", "p99")},
        }
        for name, recorded in zip(names, runs, strict=True)
        for row in recorded.rows
        if row.part == recorded_timings.POINT and row.total
    ]
    points = [point for point in _COLORS if any(row["point"] == point for row in shown)]
    colors = [style.RESOURCES[at % len(style.RESOURCES)] for at in range(len(names))]
    color = alt.Color("run:N", scale=alt.Scale(domain=list(names), range=colors))
    base = alt.Chart(width=style.WIDTH - _NAMES, height=alt.Step(_ROW)).encode(
        y=alt.Y("point:N", sort=points, title=None),
        yOffset=alt.YOffset("run:N", sort=list(names)),
        color=color,
        tooltip=[
            "run:N",
            "point:N",
            *(alt.Tooltip(f"{each}:Q", format=",.4f") for each in ("mean", "p50", "p99")),
        ],
    )
    ranges = base.mark_rule(strokeWidth=3, opacity=0.5).encode(
        x=alt.X("p50:Q", title="milliseconds", scale=alt.Scale(type="log")), x2="p99:Q"
    )
    means = base.mark_point(filled=True, size=50, opacity=1).encode(x="mean:Q")
    chart = (
        alt.layer(ranges, means)
        .facet(alt.Facet("profile:N", title=None), data=style.data(shown), columns=1)
        .resolve_scale(y="independent")
    )
    subtitle = "Line: from the median to the 99th percentile; dot: mean"
    return style.finished(chart, "Time of extension points, run by run", subtitle)
