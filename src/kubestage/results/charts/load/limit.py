"""A search for the highest load in one picture: load against what was to hold."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

import altair as alt
import msgspec

from kubestage.results.charts import look

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from altair.typing import ChartType

Json = dict[str, Any]

_KINDS: Final = {"met": look.BLUE, "missed": look.VERMILION}
_HEADROOM: Final = 1.12
# From so many times the smallest load on, small ones would lie on top of one another.
_WIDE: Final = 12


class Slo(msgspec.Struct, frozen=True):
    """What is to hold: a value that may be at most the threshold, or must be at least it."""

    name: str
    threshold: float
    unit: str = ""
    is_upper: bool = True

    def holds(self, value: float) -> bool:
        """Whether a value meets it."""
        return value <= self.threshold if self.is_upper else value >= self.threshold

    def __str__(self) -> str:
        sign = "≤" if self.is_upper else "≥"
        return f"{self.name} {sign} {self.threshold:g} {self.unit}".rstrip()


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
    lowest and highest value that a load may be said to have, at `confidence`; without them the
    band reaches from the lowest to the highest seed. `limit` is the highest load that holds.
    """
    known = [row for row in points if row["value"] is not None]
    if not known:
        return None
    by_load = collections.defaultdict(list)
    for row in known:
        by_load[float(row["load"])].append(float(row["value"]))
    spread = bands or {load: (min(values), max(values)) for load, values in by_load.items()}
    curve = [
        {
            "load": load,
            "mean": sum(by_load[load]) / len(by_load[load]),
            "low": spread.get(load, (min(by_load[load]),) * 2)[0],
            "high": spread.get(load, (max(by_load[load]),) * 2)[1],
        }
        for load in sorted(by_load)
    ]
    highest = max(slo.threshold, *(row["value"] for row in known), *(row["high"] for row in curve))
    x, y = _load_axis(sorted(by_load), varied), _ValueAxis(slo, highest)
    drawn = alt.layer(
        *_curve(curve, x, y),
        _dots(known, slo, x, y),
        *_threshold(slo, y),
        *(_limit(limit, x) if limit is not None else ()),
        width=look.WIDTH,
        height=look.HEIGHT,
    )
    return look.finished(
        drawn, f"How much {varied} {slo} allows", _subtitle(points, limit, confidence)
    )


def _curve(curve: Sequence[Json], x: alt.X, y: _ValueAxis) -> list[alt.Chart]:
    base = alt.Chart(look.data(curve)).encode(x=x)
    return [
        base.mark_area(opacity=0.16, color=look.BLUE, clip=True).encode(y=y.of("low"), y2="high"),
        base.mark_line(color=look.BLUE, strokeWidth=2, clip=True).encode(y=y.of("mean")),
    ]


def _dots(known: Sequence[Json], slo: Slo, x: alt.X, y: _ValueAxis) -> alt.Chart:
    rows = [{**row, "result": "met" if slo.holds(row["value"]) else "missed"} for row in known]
    color = alt.Color("result:N", scale=alt.Scale(domain=list(_KINDS), range=list(_KINDS.values())))
    chart: alt.Chart = (
        alt.Chart(look.data(rows))
        .mark_point(filled=True, size=40, opacity=0.85)
        .encode(
            x=x, y=y.of("value"), color=color, tooltip=["load:Q", "value:Q", "seed:N", "result:N"]
        )
    )
    return chart


def _threshold(slo: Slo, y: _ValueAxis) -> list[alt.Chart]:
    base = alt.Chart(look.data([{"value": slo.threshold, "text": str(slo)}])).encode(
        y=y.of("value")
    )
    return [
        base.mark_rule(color=look.BLACK, strokeDash=[5, 4], strokeWidth=1.5),
        base.mark_text(align="left", baseline="bottom", dx=4, dy=-4, color=look.BLACK).encode(
            x=alt.value(0), text="text:N"
        ),
    ]


def _limit(limit: float, x: alt.X) -> list[alt.Chart]:
    base = alt.Chart(look.data([{"load": limit, "text": f"limit {limit:g}"}])).encode(x=x)
    return [
        base.mark_rule(color=look.GREEN, strokeWidth=2),
        base.mark_text(
            align="left", baseline="top", dx=5, color=look.GREEN, fontWeight="bold"
        ).encode(y=alt.value(2), text="text:N"),
    ]


def _load_axis(loads: Sequence[float], varied: str) -> alt.X:
    low, high = loads[0], loads[-1]
    axis = alt.Axis(grid=False, format="~g", labelOverlap=True)
    if low == high:
        scale = alt.Scale(domain=[low * 0.5, high * 1.5] if low > 0 else [low - 1, high + 1])
    elif low > 0 and high / low > _WIDE:
        scale = alt.Scale(type="log", domain=[low / 1.08, high * 1.08], nice=False)
    else:
        margin = 0.03 * (high - low)
        scale = alt.Scale(domain=[low - margin, high + margin], nice=False, zero=False)
    return alt.X("load:Q", title=varied, axis=axis, scale=scale)


class _ValueAxis(msgspec.Struct, frozen=True):
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
    told = f"{look.counted(loads, 'load')} with up to {look.counted(seeds, 'seed')} each; "
    told += "none of them holds" if limit is None else f"it holds up to {limit:g}"
    band = "the band is from the lowest to the highest seed"
    if confidence is not None:
        band = f"the band holds the mean with {100 * confidence:g}% confidence"
    return f"{told}; {band}"
