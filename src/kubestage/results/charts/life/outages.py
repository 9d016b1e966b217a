"""When workloads were below their desired replicas and nodes NotReady: a bar for each stretch."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import markers, times

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

MOST: Final = 30
"""Of so many workloads and nodes there are bars."""

_BELOW: Final = "below desired"
_NOT_READY: Final = "NotReady"
_COLORS: Final = {_BELOW: style.VERMILION, _NOT_READY: style.BLACK}
_ROW: Final = 24
_LABEL: Final = 220
_FEW_NODES: Final = 4


def outages(life: Life) -> ChartType | None:
    """A bar for each stretch of time in which something was missing; None if nothing was."""
    health = life.summary.get("health")
    if health is None:
        return None
    troubled = _troubled(health)
    if not troubled:
        return None
    troubled.sort(key=lambda each: -sum(end - begin for begin, end in each[2]))
    shown = troubled[:MOST]
    axis = times.Times(life.seconds)
    length = axis.unit[1]
    rows = [
        {
            "subject": subject,
            "series": problem,
            "time": round(begin / length, 6),
            "end": round(end / length, 6),
        }
        for subject, problem, windows in shown
        for begin, end in windows
    ]
    names = list(dict.fromkeys(each[0] for each in shown))
    bars = _bars(rows, axis, names, {each[1] for each in shown})
    height = max(_ROW * len(names), 3 * _ROW)
    layered = alt.layer(bars, width=style.WIDTH, height=height)
    title = "Below desired replicas, and nodes NotReady"
    chart = markers.finished(life, layered, title, _subtitle(health, len(troubled)))
    return style.wide(chart)


def subjects(life: Life) -> int:
    """Of how many workloads and nodes there is a bar."""
    health = life.summary.get("health")
    return 0 if health is None else len(_troubled(health))


def _troubled(health: Json) -> list[tuple[str, str, list[list[float]]]]:
    found = [(each["workload"], _BELOW, each["windows"]) for each in health["workloads"]]
    return [each for each in [*found, *_nodes(health["nodesNotReady"])] if each[2]]


def _nodes(rows: list[Json]) -> list[tuple[str, str, list[list[float]]]]:
    """Nodes that were NotReady; of many, those that were so at the same times have one bar."""
    alike: dict[tuple[int, ...], list[Json]] = {}
    for row in rows:
        moments = tuple(round(each) for window in row["windows"] for each in window)
        alike.setdefault(moments if len(rows) > _FEW_NODES else (len(alike),), []).append(row)
    return [
        (
            f"node/{each[0]['node']}" + (f" and {len(each) - 1:,} more" if len(each) > 1 else ""),
            _NOT_READY,
            each[0]["windows"],
        )
        for each in alike.values()
    ]


def _bars(rows: list[Json], axis: times.Times, subjects: list[str], there: set[str]) -> alt.Chart:
    kinds = {name: color for name, color in _COLORS.items() if name in there}
    scale = alt.Scale(domain=list(kinds), range=list(kinds.values()))
    labels = alt.Axis(labelLimit=_LABEL, grid=True, ticks=False, domain=False)
    chart: alt.Chart = (
        alt.Chart(style.data(rows))
        # A short stretch has its outline to be seen by.
        .mark_bar(strokeWidth=1.5, height=_ROW // 2, clip=True)
        .encode(
            x=axis.axis(),
            x2="end:Q",
            y=alt.Y("subject:N", title=None, sort=subjects, axis=labels),
            color=alt.Color("series:N", scale=scale, legend=alt.Legend(symbolType="square")),
            stroke=alt.Stroke("series:N", scale=scale),
            tooltip=["subject:N", "series:N", axis.tip(), alt.Tooltip("end:Q", format=",.2f")],
        )
    )
    return chart


def _subtitle(health: Json, troubled: int) -> str:
    """What has no bar, too."""
    workloads = health["workloads"]
    below = sum(1 for each in workloads if each["windows"])
    well = len(workloads) - below
    text = f"{below:,} of {style.counted(len(workloads), 'workload')} below desired at some time"
    if well:
        text += f"; the other{'' if well == 1 else f' {well:,}'} had all replicas, once started"
    if troubled > MOST:
        text += f"; the {MOST} that took longest are drawn"
    return text
