"""Lines over time, some of them on an axis of their own at the right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import altair as alt

from kubestage.results.charts import style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.charts.life.times import Times


_MANY: Final = 10_000
_HEADROOM: Final = 1.08


def melted(rows: Sequence[Json], names: Mapping[str, str], *, steps: bool = False) -> list[Json]:
    """A row for each value, under the name that the legend has for it.

    Where a value is not known any more there is one row without it, at which the line ends. A line
    of `steps` goes on until then, for that is how long its last value held.
    """
    found = []
    for field, title in names.items():
        last = None
        for row in rows:
            value = row[field]
            if value is None and last is None:
                continue
            if value is None and steps:
                found.append({"time": row["time"], "series": title, "value": last})
            found.append({"time": row["time"], "series": title, "value": value})
            last = value
    return found


def held(rows: Sequence[Json], fields: Sequence[str]) -> list[Json]:
    """Rows in which the last known values hold until the moment at which they are not known."""
    found: list[Json] = []
    for row in rows:
        if found and row[fields[0]] is None and found[-1][fields[0]] is not None:
            found.append({**row, **{name: found[-1][name] for name in fields}})
        found.append(row)
    return found


def highest(*values: Sequence[Json]) -> float:
    """The highest value of all rows that have one."""
    known = [row["value"] for rows in values for row in rows if row["value"] is not None]
    return max(known, default=0)


def colors(kinds: Mapping[str, str]) -> alt.Color:
    """One legend for all lines of a chart."""
    scale = alt.Scale(domain=list(kinds), range=list(kinds.values()))
    legend = alt.Legend(symbolType="stroke", symbolSize=260, columns=6)
    return alt.Color("series:N", scale=scale, legend=legend)


def drawn(
    rows: Sequence[Json],
    times: Times,
    y: alt.Y,
    kinds: Mapping[str, str],
    *,
    steps: bool = False,
    dashed: bool = False,
    width: float = 2,
) -> alt.Chart:
    """Lines of one axis."""
    mark: Json = {"strokeWidth": width, "clip": True}
    if not dashed:
        # A value between two gaps is a point, which has an end of the line to be seen by only.
        mark["strokeCap"] = "round"
    if steps:
        mark["interpolate"] = "step-after"
    if dashed:
        mark["strokeDash"] = [5, 4]
    tips = ["series:N", times.tip(), alt.Tooltip("value:Q", format=",.4~g")]
    chart: alt.Chart = (
        alt.Chart(style.data(rows))
        .mark_line(**mark)
        .encode(x=times.axis(), y=y, color=colors(kinds), tooltip=tips)
    )
    return chart


def layered(*layers: ChartType, axes: int = 1) -> ChartType:
    """Layers as one chart; with two axes, each layer has its own."""
    chart = alt.layer(*layers, width=style.WIDTH, height=style.HEIGHT)
    return chart.resolve_scale(y="independent") if axes > 1 else chart


def value_axis(
    title: str,
    highest: float,
    *,
    right: bool = False,
    unit: str = "",
    ticks: Sequence[int] | None = None,
    field: str = "value",
) -> alt.Y:
    """Numbers from nothing up, at these `ticks` if any; those at the right have no grid."""
    form = ".1~%" if unit == "%" else "~s" if highest >= _MANY else alt.Undefined
    if ticks is not None and form is alt.Undefined:
        form = "d"
    side: Literal["left", "right"] = "right" if right else "left"
    place = alt.Axis(
        format=form,
        tickCount=5,
        orient=side,
        grid=not right,
        values=alt.Undefined if ticks is None else list(ticks),
    )
    scale = alt.Scale(domain=[0, _HEADROOM * highest if highest > 0 else 1], nice=False)
    return alt.Y(f"{field}:Q", title=title, axis=place, scale=scale)
