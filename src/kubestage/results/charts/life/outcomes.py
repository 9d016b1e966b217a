"""Responses over time, by how requests ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.charts.life import lines, markers, times

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

_ENDS: Final = {
    "completed": ("completed", style.BLUE),
    "timeout": ("timeout", style.VERMILION),
    "overloaded": ("overloaded", style.ORANGE),
    "noReplica": ("no replica", style.BLACK),
    "interrupted": ("interrupted", style.PURPLE),
    "noAnswer": ("no answer", style.GREY),
}
_POINTS: Final = 150


def outcomes(life: Life, traffic: str) -> ChartType | None:
    """How many requests a second were completed, and how many failed by which reason."""
    rows = [row for row in life.rows("requests") if row["traffic"] == traffic]
    there = [end for end in _ENDS if any(row[end] for row in rows)]
    if not there:
        return None
    axis = times.Times(life.seconds)
    values, highest = _areas(axis.of(_rates(rows, there, life.seconds)), there)
    kinds = dict(_ENDS[end] for end in there)
    scale = alt.Scale(domain=list(kinds), range=list(kinds.values()))
    chart = (
        alt.Chart(style.data(values))
        .mark_area(interpolate="step-after", opacity=0.75, clip=True)
        .encode(
            x=axis.axis(),
            y=lines.value_axis("responses per second", highest, field="low"),
            y2="high:Q",
            color=alt.Color("series:N", scale=scale, legend=alt.Legend(columns=6)),
            tooltip=["series:N", axis.tip(), alt.Tooltip("value:Q", format=",.4~g")],
        )
    )
    completed, failed = (sum(row[each] for row in rows) for each in ("completed", "failed"))
    share = style.percent(failed / (completed + failed))
    subtitle = f"{completed:,} completed, {failed:,} failed ({share})"
    title = f"Responses of {traffic} by outcome"
    return markers.finished(life, lines.layered(chart), title, subtitle)


def _rates(rows: Sequence[Json], ends: Sequence[str], seconds: float) -> list[Json]:
    """What ended per second, in neighbouring rows together."""
    groups = times.grouped(rows, _POINTS)
    until = [group[0]["atSeconds"] for group in groups[1:]] + [seconds]
    found: list[Json] = []
    for group, end in zip(groups, until, strict=True):
        at = group[0]["atSeconds"]
        length = max(end - at, 1e-9)
        rates = {name: sum(row[name] for row in group) / length for name in ends}
        found.append({"atSeconds": at, **rates})
    return [*found, {**found[-1], "atSeconds": seconds}]


def _areas(rows: Sequence[Json], ends: Sequence[str]) -> tuple[list[Json], float]:
    """Areas on top of each other, and how high they are together at most."""
    values: list[Json] = []
    highest = 0.0
    for row in rows:
        height = 0.0
        for end in ends:
            part = {"time": row["time"], "series": _ENDS[end][0], "value": row[end]}
            values.append({**part, "low": height, "high": height + row[end]})
            height += row[end]
        highest = max(highest, height)
    return values, highest
