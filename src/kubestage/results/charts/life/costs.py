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
    currency = life.summary.get("currency") or prices.DEFAULT_CURRENCY
    axis = times.Times(life.seconds)
    values, highest = _areas(axis.of(rows))
    scale = alt.Scale(domain=list(_COLORS), range=list(_COLORS.values()))
    chart = (
        alt.Chart(style.data(values))
        .mark_area(interpolate="step-after", opacity=0.75)
        .encode(
            x=axis.axis(),
            y=alt.Y(
                "low:Q",
                title=f"{currency} per hour",
                scale=alt.Scale(domain=[0, highest or 1], nice=True),
            ),
            y2="high:Q",
            color=alt.Color("series:N", scale=scale, legend=alt.Legend(columns=2)),
            tooltip=["series:N", axis.tip(), alt.Tooltip("value:Q", title=currency)],
        )
    )
    total = wording.money(life.summary["cost"], currency)
    subtitle = f"{total} in all, {wording.money(highest, currency)} per hour at most"
    return markers.finished(life, lines.layered(chart), "What nodes cost", subtitle)


def _areas(rows: list[Json]) -> tuple[list[Json], float]:
    """What is requested, what is idle on top of it, and how high both are at most."""
    moments: dict[float, tuple[float, float]] = {}
    for row in rows:
        cost, idle = moments.get(row["time"], (0.0, 0.0))
        moments[row["time"]] = (cost + row["perHour"], idle + row["idlePerHour"])
    values: list[Json] = []
    for time, (cost, idle) in moments.items():
        used = min(cost - idle, cost)
        parts = ((_REQUESTED, 0.0, used), (_IDLE, used, max(idle, 0.0)))
        values += [
            {"time": time, "series": name, "low": low, "high": low + size, "value": size}
            for name, low, size in parts
        ]
    return values, max((cost for cost, _ in moments.values()), default=0.0)
