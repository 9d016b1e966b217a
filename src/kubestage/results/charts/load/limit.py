"""A search for the highest load in one picture: load against what was to hold."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Final, NamedTuple

import altair as alt

from kubestage.results.charts import style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.load.slo import Slo


_KINDS: Final = {"met": style.BLUE, "missed": style.VERMILION}
_HEADROOM: Final = 1.12
# From so many times the smallest load on, small ones would lie on top of one another.
_WIDE: Final = 12


def limit_chart(
    points: Sequence[Json],
    slo: Slo,
    *,
    limit: float | None = None,
    bands: Mapping[float, tuple[float, float]] | None = None,
    varied: str = "load",
    confidence: float | None = None,
) -> ChartType | None:
    """Every run as a dot, their means as a line, and how sure one can be of them as a band.

    `points` have ``load``, ``seed`` and ``value`` (None where a run had none). `bands` are the
    lowest and highest value of a load, at `confidence`; without them the
    band reaches from the lowest to the highest seed. `limit` is the highest load that holds.
    """
    panel = _panel(points, slo, limit, bands or {}, varied)
    if panel is None:
        return None
    sure = None if bands is None else confidence
    return style.finished(panel, f"{slo} by {varied}", _subtitle(points, limit, sure))


def limit_charts(
    goals: Mapping[Slo, Sequence[Json]], *, limit: float | None, varied: str = "load"
) -> ChartType | None:
    """One such chart for each goal, one below the other."""
    panels = [(slo, _panel(points, slo, limit, {}, varied)) for slo, points in goals.items()]
    drawn = [
        panel.properties(title=alt.TitleParams(str(slo), fontSize=14, offset=8))
        for slo, panel in panels
        if panel is not None
    ]
    if not drawn:
        return None
    subtitle = _subtitle([row for points in goals.values() for row in points], limit, None)
    chart = alt.vconcat(*drawn, spacing=style.GAP)
    return style.finished(chart, f"What {varied} may be", subtitle)


def _panel(
    points: Sequence[Json],
    slo: Slo,
    limit: float | None,
    bands: Mapping[float, tuple[float, float]],
    varied: str,
) -> ChartType | None:
    known = [row for row in points if row["value"] is not None]
    if not known:
        return None
    by_load = collections.defaultdict(list)
    for row in known:
        by_load[float(row["load"])].append(float(row["value"]))
    curve = []
    for load, values in sorted(by_load.items()):
        low, high = bands.get(load, (min(values), max(values)))
        curve.append({"load": load, "mean": sum(values) / len(values), "low": low, "high": high})
    highest = max(slo.threshold, *(row["value"] for row in known), *(row["high"] for row in curve))
    x, y = _load_axis(sorted(by_load), varied), _ValueAxis(slo, highest)
    layers = [*_curve(curve, x, y), _dots(known, slo, x, y), *_threshold(slo, y)]
    if limit is not None:
        layers += _limit(limit, x)
    return alt.layer(*layers, width=style.WIDTH, height=style.HEIGHT)


def _curve(curve: Sequence[Json], x: alt.X, y: _ValueAxis) -> list[alt.Chart]:
    base = alt.Chart(style.data(curve)).encode(x=x)
    return [
        base.mark_area(opacity=0.16, color=style.BLUE, clip=True).encode(y=y.of("low"), y2="high"),
        base.mark_line(color=style.BLUE, strokeWidth=2, clip=True).encode(y=y.of("mean")),
    ]


def _dots(known: Sequence[Json], slo: Slo, x: alt.X, y: _ValueAxis) -> alt.Chart:
    rows = [{**row, "result": "met" if slo.holds(row["value"]) else "missed"} for row in known]
    color = alt.Color("result:N", scale=alt.Scale(domain=list(_KINDS), range=list(_KINDS.values())))
    chart: alt.Chart = (
        alt.Chart(style.data(rows))
        .mark_point(filled=True, size=40, opacity=0.85)
        .encode(
            x=x, y=y.of("value"), color=color, tooltip=["load:Q", "value:Q", "seed:N", "result:N"]
        )
    )
    return chart


def _threshold(slo: Slo, y: _ValueAxis) -> list[alt.Chart]:
    base = alt.Chart(style.data([{"value": slo.threshold, "text": str(slo)}])).encode(
        y=y.of("value")
    )
    text: Json = {"baseline": "bottom", "dy": -4, "color": style.BLACK, "fontSize": 12}
    # Where the curve is far from it: what may rise begins low, what must rise ends high.
    if slo.is_upper:
        label = base.mark_text(align="left", dx=4, **text).encode(x=alt.value(0))
    else:
        label = base.mark_text(align="right", dx=-4, **text).encode(x=alt.value("width"))
    rule = base.mark_rule(color=style.BLACK, strokeDash=[5, 4], strokeWidth=1.5)
    return [rule, label.encode(text="text:N")]


def _limit(limit: float, x: alt.X) -> list[alt.Chart]:
    base = alt.Chart(style.data([{"load": limit, "text": f"limit {limit:g}"}])).encode(x=x)
    return [
        base.mark_rule(color=style.GREEN, strokeWidth=2),
        base.mark_text(
            align="left", baseline="top", dx=5, color=style.GREEN, fontWeight="bold"
        ).encode(y=alt.value(2), text="text:N"),
    ]


def _load_axis(loads: Sequence[float], varied: str) -> alt.X:
    low, high = loads[0], loads[-1]
    axis = alt.Axis(grid=False, labelExpr="format(datum.value, ',.4~r')", labelOverlap=True)
    if low == high:
        scale = alt.Scale(domain=[low * 0.5, high * 1.5] if low > 0 else [low - 1, high + 1])
    elif low > 0 and high / low > _WIDE:
        scale = alt.Scale(type="log", domain=[low / 1.08, high * 1.08], nice=False)
    else:
        margin = 0.03 * (high - low)
        scale = alt.Scale(domain=[low - margin, high + margin], nice=False, zero=False)
    return alt.X("load:Q", title=varied, axis=axis, scale=scale)


class _ValueAxis(NamedTuple):
    """The axis of the value, for whatever field is drawn on it."""

    slo: Slo
    highest: float

    def of(self, field: str) -> alt.Y:
        title = f"{self.slo.name} ({self.slo.unit})" if self.slo.unit else self.slo.name
        most = _HEADROOM * self.highest if self.highest > 0 else 1
        scale = alt.Scale(domain=[0, most], nice=False)
        return alt.Y(f"{field}:Q", title=title, axis=alt.Axis(tickCount=6), scale=scale)


def _subtitle(points: Sequence[Json], limit: float | None, confidence: float | None) -> str:
    loads = len({row["load"] for row in points})
    seeds = len({row["seed"] for row in points})
    subtitle = f"{style.counted(loads, 'load')} with up to {style.counted(seeds, 'seed')} each; "
    subtitle += "none of them is good enough" if limit is None else f"the limit is {limit:g}"
    band = "the band is from the lowest to the highest seed"
    if confidence is not None:
        band = f"the band holds the mean with {100 * confidence:g}% confidence"
    return f"{subtitle}; {band}"
