"""Runs side by side in one picture: the results of pods, and how evenly nodes are filled."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt

from kubestage.results.charts import style

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from altair.typing import ChartType

    from kubestage.results.analysis.overview import Summary
    from kubestage.results.comparison import Comparison

_ROW: Final = 30
_OUTCOMES: Final = {
    "scheduled": style.BLUE,
    "finished": style.SKY,
    "pending": style.ORANGE,
    "gated": style.PURPLE,
    "preempted": style.VERMILION,
    "deleted": style.BLACK,
}
_PANELS: Final = 4
_WIDEST_NAME: Final = 200
_LETTER: Final = 7


def side_by_side(compared: Comparison) -> ChartType:
    """All runs: pods by outcome, then of each resource how full nodes are."""
    resources = list(dict.fromkeys(name for each in compared.summaries for name in each.resources))
    shown = resources[:_PANELS]
    parts = [_outcomes(compared), *(_spread(compared, each) for each in shown)]
    chart = alt.vconcat(*parts, spacing=style.GAP).resolve_scale(color="independent")
    left = len(resources) - len(shown)
    more = f"; {style.counted(left, 'more resource')} not shown" if left else ""
    subtitle = "Dot: mean over nodes; bar: one standard deviation; line: emptiest to fullest node"
    runs = style.counted(len(compared.names), "run")
    return style.finished(chart, f"{runs} side by side, at their ends", f"{subtitle}{more}")


def _outcomes(compared: Comparison) -> alt.Chart:
    rows = [
        {"run": name, "outcome": outcome, "pods": getattr(summary, outcome), "order": order}
        for name, summary in zip(compared.names, compared.summaries, strict=True)
        for order, outcome in enumerate(_OUTCOMES)
    ]
    there = {row["outcome"] for row in rows if row["pods"]} | {"scheduled"}
    domain = [outcome for outcome in _OUTCOMES if outcome in there]
    colors = alt.Scale(domain=domain, range=[_OUTCOMES[outcome] for outcome in domain])
    highest = max((summary.pods for summary in compared.summaries), default=1)
    ticks = alt.Axis(format=",d", values=style.whole_ticks(0, highest), grid=True)
    chart: alt.Chart = (
        alt.Chart(
            style.data(row for row in rows if row["outcome"] in there),
            width=style.WIDTH - _extent(compared.names),
            height=_ROW * len(compared.names),
            title=_heading("What became of pods"),
        )
        .mark_bar(size=_ROW * 0.6)
        .encode(
            y=_runs(compared.names),
            x=alt.X("pods:Q", title=None, axis=ticks, scale=alt.Scale(domain=[0, highest])),
            color=alt.Color("outcome:N", scale=colors, legend=alt.Legend(orient="top")),
            order="order:Q",
            tooltip=["run:N", "outcome:N", alt.Tooltip("pods:Q", format=",")],
        )
    )
    return chart


def _spread(compared: Comparison, resource: str) -> ChartType:
    """From the emptiest to the fullest node, with the mean and the deviation from it."""
    rows = list(_rates(compared.names, compared.summaries, resource))
    highest = max((row["max"] for row in rows), default=1.0)
    scale = alt.Scale(domain=[0, max(1.0, highest)], nice=False)
    axis = alt.Axis(format="%", tickCount=5)
    tips = [
        alt.Tooltip("run:N"),
        *(alt.Tooltip(f"{name}:Q", format=".1%") for name in ("min", "mean", "max", "stddev")),
    ]
    base = alt.Chart(style.data(rows)).encode(y=_runs(compared.names), tooltip=tips)
    start = alt.X("min:Q", title=None, scale=scale, axis=axis)
    return alt.layer(
        base.mark_rule(strokeWidth=2, color=style.BLUE, opacity=0.5).encode(x=start, x2="max:Q"),
        base.mark_bar(size=_ROW * 0.4, color=style.BLUE, opacity=0.35).encode(
            x=alt.X("low:Q", scale=scale), x2="high:Q"
        ),
        base.mark_point(size=60, filled=True, color=style.BLUE, opacity=1).encode(
            x=alt.X("mean:Q", scale=scale)
        ),
        width=style.WIDTH - _extent(compared.names),
        height=_ROW * len(compared.names),
        title=_heading(f"{resource}, node by node"),
    )


def _rates(
    names: Sequence[str], summaries: Sequence[Summary], resource: str
) -> Iterator[dict[str, Any]]:
    for name, summary in zip(names, summaries, strict=True):
        found = summary.resources.get(resource)
        if found is None or found.mean is None:
            continue
        assert found.min is not None
        assert found.max is not None
        assert found.stddev is not None
        yield {
            "run": name,
            "min": found.min,
            "max": found.max,
            "mean": found.mean,
            "stddev": found.stddev,
            "low": max(found.mean - found.stddev, found.min),
            "high": min(found.mean + found.stddev, found.max),
        }


def _runs(names: Sequence[str]) -> alt.Y:
    wide = _extent(names)
    axis = alt.Axis(
        minExtent=wide, maxExtent=wide, labelLimit=wide, labelPadding=10, ticks=False, domain=False
    )
    return alt.Y(
        "run:N", sort=list(names), scale=alt.Scale(domain=list(names)), title=None, axis=axis
    )


def _extent(names: Sequence[str]) -> int:
    """Room for the names of runs, the same in every part, so that parts stand below each other."""
    return min(_WIDEST_NAME, _LETTER * max(map(len, names)) + 2 * _LETTER)


def _heading(text: str) -> alt.TitleParams:
    return alt.TitleParams(text, anchor="start", fontSize=14, offset=6)
