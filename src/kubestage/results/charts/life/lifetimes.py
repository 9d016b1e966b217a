"""Each node as a slice of time, by its instance type and price."""

from __future__ import annotations

import bisect
import statistics
from typing import TYPE_CHECKING, Final, NamedTuple

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


class LifetimesScale(NamedTuple):
    """What panels of nodes share, of one run or of several side by side."""

    seconds: float
    currency: str
    names: dict[tuple[str, str, float], str]
    """What each kind of node is called, the cheapest first."""
    lanes: int
    """How many nodes there are at a time, at most."""


def lifetimes(life: Life) -> ChartType | None:
    """Every node from when it came to when it went; None if none came or went."""
    rows = life.rows("lifetimes")
    if not rows:
        return None
    scale = scale_of([life])
    layered = alt.layer(panel(life, scale), width=style.WIDTH, height=height(scale))
    return markers.finished(life, layered, "Nodes as they live", subtitle(life))


def scale_of(lives: Sequence[Life]) -> LifetimesScale:
    """The scale of all these runs."""
    rows = [row for life in lives for row in life.rows("lifetimes")]
    currency = lives[0].summary.get("currency") or prices.DEFAULT_CURRENCY
    most = max(_most(life) for life in lives)
    return LifetimesScale(
        max(life.seconds for life in lives), currency, _names(rows, currency), most
    )


def height(scale: LifetimesScale) -> int:
    """How high a panel is."""
    return min(max(_LANE_PIXELS * scale.lanes, style.HEIGHT), _MOST_HEIGHT)


def panel(life: Life, scale: LifetimesScale) -> alt.Chart:
    """The slices of one run."""
    axis = times.Times(scale.seconds)
    values = _slices(life, scale.names)
    slices = [
        {**each, "end": round(each["endSeconds"] / axis.unit[1], 6)}
        for each in axis.of(values, "beginSeconds")
    ]
    mark: Json = {"opacity": 0.9}
    if scale.lanes <= _FEW_LANES:
        mark |= {"cornerRadius": 2, "stroke": "white", "strokeWidth": 0.5}
        slices = [
            {**each, "low": each["low"] + _GAP, "high": each["high"] - _GAP} for each in slices
        ]
    chart: alt.Chart = (
        alt.Chart(style.data(slices))
        .mark_rect(**mark)
        .encode(
            x=axis.axis(),
            x2="end:Q",
            y=style.count_axis("low", "nodes", scale.lanes),
            y2="high:Q",
            color=_color(scale),
            tooltip=[
                alt.Tooltip("node:N"), alt.Tooltip("pool:N"), alt.Tooltip("kind:N", title="type"),
                axis.tip(), alt.Tooltip("lived:N"), alt.Tooltip("added:N"),
                alt.Tooltip("removed:N"),
            ],
        )
    )  # fmt: skip
    return chart


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


def _color(shared: LifetimesScale) -> alt.Color:
    """A colour for each kind; of many kinds, the darker the dearer."""
    names = shared.names
    if len(names) <= len(_COLORS):
        scale = alt.Scale(domain=list(names.values()), range=list(_COLORS[: len(names)]))
        legend = alt.Legend(columns=_LEGEND_COLUMNS, symbolType="square")
        return alt.Color("kind:N", scale=scale, legend=legend)
    highest = max(price for _, _, price in names)
    shades = alt.Scale(domain=[0, highest or 1], range=list(style.SHADES))
    legend = alt.Legend(title=f"{shared.currency} per hour", orient="top", format="~g")
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


def _in_order(life: Life) -> tuple[list[Json], list[tuple[float, float]]]:
    """The nodes that are drawn in the order in which they came, and when each is there."""
    rows = life.rows("lifetimes")[:MOST]
    rows.sort(key=lambda each: (each["fromSeconds"], -(each["perHour"] or 0.0)))
    spans = [
        (
            max(row["fromSeconds"], 0.0),
            life.seconds if row["toSeconds"] is None else row["toSeconds"],
        )
        for row in rows
    ]
    return rows, spans


def _most(life: Life) -> int:
    return 1 + max(lanes(_in_order(life)[1]), default=0)


def _slices(life: Life, names: dict[tuple[str, str, float], str]) -> list[Json]:
    rows, spans = _in_order(life)
    return [
        {
            "node": row["node"],
            "pool": row["pool"],
            "kind": names[_kind(row)],
            "price": row["perHour"] or 0.0,
            "beginSeconds": begin,
            "endSeconds": end,
            "low": lane,
            "high": lane + 1,
            "lived": wording.span(end - begin),
            "added": row["whyAdded"],
            "removed": row["whyRemoved"],
        }
        for row, (begin, end), lane in zip(rows, spans, lanes(spans), strict=True)
    ]


def subtitle(life: Life) -> str:
    """How many nodes there were, and how long those lived that went."""
    rows = life.rows("lifetimes")
    ended = [row["toSeconds"] - row["fromSeconds"] for row in rows if row["toSeconds"] is not None]
    text = f"{style.counted(len(rows), 'node')}, {_most(life):,} at a time at most"
    if ended:
        median = wording.span(statistics.median(ended))
        text += f"; {len(ended):,} removed, after {median} in the median"
    if len(rows) > MOST:
        text += f"; the first {MOST:,} are drawn"
    return text
