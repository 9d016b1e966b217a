"""What nodes cost per hour over time, by pool, and how much of it is idle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.objects import prices
from kubestage.results.charts import style
from kubestage.results.charts.life import lines, markers, times
from kubestage.results.packing import wording

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life

_REQUESTED: Final = "requested by pods"
_IDLE: Final = "idle"
_COLORS: Final = {_REQUESTED: style.BLUE, _IDLE: style.ORANGE}


def cost(life: Life) -> ChartType | None:
    """The cost per hour of all nodes, and the idle part of it; None without prices."""
    rows = life.rows("cost")
    if not rows:
        return None
    chart = panel(life, life.seconds, highest(life))
    return markers.finished(life, lines.layered(chart), "What nodes cost", subtitle(life))


def highest(life: Life) -> float:
    """What all nodes cost per hour at most, at the moments that are drawn."""
    return max((cost for cost, _ in _moments(life).values()), default=0.0)


def subtitle(life: Life) -> str:
    """What was spent, and at most per hour."""
    currency = _currency(life)
    total = wording.money(life.summary["cost"], currency)
    return f"{total} in all, {wording.money(highest(life), currency)} per hour at most"


def panel(life: Life, seconds: float, most: float) -> alt.Chart:
    """The cost of one run, on axes to so many seconds and so much per hour."""
    currency = _currency(life)
    axis = times.Times(seconds)
    scale = alt.Scale(domain=list(_COLORS), range=list(_COLORS.values()))
    chart: alt.Chart = (
        alt.Chart(style.data(axis.of(_areas(_moments(life)))))
        .mark_area(interpolate="step-after", opacity=0.75)
        .encode(
            x=axis.axis(),
            y=alt.Y(
                "low:Q",
                title=f"{currency} per hour",
                scale=alt.Scale(domain=[0, most or 1], nice=True),
            ),
            y2="high:Q",
            color=alt.Color("series:N", scale=scale, legend=alt.Legend(columns=2)),
            tooltip=["series:N", axis.tip(), alt.Tooltip("value:Q", title=currency)],
        )
    )
    return chart


def _currency(life: Life) -> str:
    found: str = life.summary.get("currency") or prices.DEFAULT_CURRENCY
    return found


def _moments(life: Life) -> dict[float, tuple[float, float]]:
    """What all nodes cost per hour at each moment, and how much of it is idle."""
    moments: dict[float, tuple[float, float]] = {}
    for row in life.rows("cost"):
        cost, idle = moments.get(row["atSeconds"], (0.0, 0.0))
        moments[row["atSeconds"]] = (cost + row["perHour"], idle + row["idlePerHour"])
    return moments


def _areas(moments: dict[float, tuple[float, float]]) -> list[Json]:
    """What is requested, and what is idle on top of it."""
    values: list[Json] = []
    for at, (cost, idle) in moments.items():
        used = min(cost - idle, cost)
        parts = ((_REQUESTED, 0.0, used), (_IDLE, used, max(idle, 0.0)))
        values += [
            {"atSeconds": at, "series": name, "low": low, "high": low + size, "value": size}
            for name, low, size in parts
        ]
    return values
