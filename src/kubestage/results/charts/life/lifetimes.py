"""Each node as a slice of time, by its instance type and price."""

from __future__ import annotations

import bisect
import statistics
from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.objects import prices
from kubestage.results.charts import style
from kubestage.results.charts.life import markers, times
from kubestage.results.life import wording
from kubestage.results.packing import wording as money

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

MOST: Final = 2000
"""So many nodes are drawn, those that came first; the table has all."""

_COLORS: Final = (
    style.SKY, style.BLUE, style.GREEN, style.YELLOW, style.ORANGE, style.VERMILION, style.PURPLE,
    style.GREY,
)  # fmt: skip
_FEW_LANES: Final = 40
_GAP: Final = 0.08
_LANE_PIXELS: Final = 6
_MOST_HEIGHT: Final = 420
_LEGEND_COLUMNS: Final = 4
_UNKNOWN: Final = "type unknown"


def lifetimes(life: Life) -> ChartType | None:
    """Every node from when it came to when it went; None if none came or went."""
    rows = life.rows("lifetimes")
    if not rows:
        return None
    currency = life.summary.get("currency") or prices.DEFAULT_CURRENCY
    axis = times.Times(life.seconds)
    names = _names(rows, currency)
    count, values = _slices(rows[:MOST], names, life.seconds)
    slices = [
        {**each, "end": round(each["endSeconds"] / axis.unit[1], 6)}
        for each in axis.of(values, "beginSeconds")
    ]
    mark: Json = {"opacity": 0.9}
    if count <= _FEW_LANES:
        mark |= {"cornerRadius": 2, "stroke": "white", "strokeWidth": 0.5}
    chart = (
        alt.Chart(style.data(slices))
        .mark_rect(**mark)
        .encode(
            x=axis.axis(),
            x2="end:Q",
            y=style.count_axis("low", "nodes", count),
            y2="high:Q",
            color=_color(rows, names, currency),
            tooltip=[
                alt.Tooltip("node:N"), alt.Tooltip("pool:N"), alt.Tooltip("kind:N", title="type"),
                axis.tip(), alt.Tooltip("lived:N"), alt.Tooltip("added:N"),
                alt.Tooltip("removed:N"),
            ],
        )
    )  # fmt: skip
    height = min(max(_LANE_PIXELS * count, style.HEIGHT), _MOST_HEIGHT)
    layered = alt.layer(chart, width=style.WIDTH, height=height)
    return markers.finished(life, layered, "Nodes as they live", _subtitle(rows, count))


def _names(rows: Sequence[Json], currency: str) -> dict[tuple[str, str, float], str]:
    """What each kind of node is called, the cheapest first."""
    kinds = sorted({_kind(row) for row in rows}, key=lambda each: (each[2], each[0], each[1]))
    several = len({capacity for _, capacity, _ in kinds}) > 1
    found = {}
    for kind, capacity, price in kinds:
        parts = [kind or _UNKNOWN, capacity if several else ""]
        if price:
            parts.append(money.money(price, currency))
        found[kind, capacity, price] = " ".join(each for each in parts if each)
    return found


def _kind(row: Json) -> tuple[str, str, float]:
    return row["instanceType"], row["capacityType"], row["perHour"] or 0.0


def _color(
    rows: Sequence[Json], names: dict[tuple[str, str, float], str], currency: str
) -> alt.Color:
    """A colour for each kind; of many kinds, the darker the dearer."""
    if len(names) <= len(_COLORS):
        scale = alt.Scale(domain=list(names.values()), range=list(_COLORS[: len(names)]))
        legend = alt.Legend(columns=_LEGEND_COLUMNS, symbolType="square")
        return alt.Color("kind:N", scale=scale, legend=legend)
    highest = max(row["perHour"] or 0.0 for row in rows)
    shades = alt.Scale(domain=[0, highest or 1], range=list(style.SHADES))
    legend = alt.Legend(title=f"{currency} per hour", orient="top", format="~g")
    return alt.Color("price:Q", scale=shades, legend=legend)


def lanes(spans: Sequence[tuple[float, float]]) -> list[int]:
    """The lane of each span of time, in order of their beginning: the lowest that is free."""
    free: list[int] = []
    leaving: list[tuple[float, int]] = []
    found: list[int] = []
    for begin, end in spans:
        while leaving and leaving[0][0] <= begin:
            bisect.insort(free, leaving.pop(0)[1])
        lane = free.pop(0) if free else len(leaving)
        bisect.insort(leaving, (end, lane))
        found.append(lane)
    return found


def _slices(
    rows: Sequence[Json], names: dict[tuple[str, str, float], str], seconds: float
) -> tuple[int, list[Json]]:
    """How many lanes there are, and the slices."""
    ordered = sorted(rows, key=lambda each: (each["fromSeconds"], -(each["perHour"] or 0.0)))
    spans = [
        (max(row["fromSeconds"], 0.0), seconds if row["toSeconds"] is None else row["toSeconds"])
        for row in ordered
    ]
    places = lanes(spans)
    count = 1 + max(places)
    gap = _GAP if count <= _FEW_LANES else 0.0
    values = [
        {
            "node": row["node"],
            "pool": row["pool"],
            "kind": names[_kind(row)],
            "price": row["perHour"] or 0.0,
            "beginSeconds": begin,
            "endSeconds": end,
            "low": lane + gap,
            "high": lane + 1 - gap,
            "lived": wording.span(end - begin),
            "added": row["whyAdded"],
            "removed": row["whyRemoved"],
        }
        for row, (begin, end), lane in zip(ordered, spans, places, strict=True)
    ]
    return count, values


def _subtitle(rows: Sequence[Json], most: int) -> str:
    ended = [row["toSeconds"] - row["fromSeconds"] for row in rows if row["toSeconds"] is not None]
    text = f"{style.counted(len(rows), 'node')}, {most:,} at a time at most"
    if ended:
        median = wording.span(statistics.median(ended))
        text += f"; {len(ended):,} removed, after {median} in the median"
    if len(rows) > MOST:
        text += f"; the first {MOST:,} are drawn"
    return text
