"""The chart of what nodes cost, step by step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import altair as alt

from kubestage.results import analysis
from kubestage.results.charts import style, thinning
from kubestage.results.packing import wording

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.results.analysis.digest import Run

_USED: Final = "requested by pods"
_IDLE: Final = "idle"
_PARTS: Final = (_USED, _IDLE)


def cost(run: Run) -> ChartType:
    """What nodes cost per hour, and which part of it no pod requests."""
    digest = thinning.states(analysis.digest(run))
    found = [
        row for row in analysis.table(digest, "cost").records() if row["costPerHour"] is not None
    ]
    currency = digest.prices.currency
    rows = [part for row in found for part in _parts(row, currency)]
    steps = [row["step"] for row in found]
    base = alt.Chart(style.data(rows), width=style.WIDTH, height=style.HEIGHT).encode(
        y=alt.Y("cost:Q", stack="zero", title=f"{currency} per hour"),
        color=alt.Color(
            "part:N",
            scale=alt.Scale(domain=list(_PARTS), range=[style.BLUE, style.ORANGE]),
            legend=alt.Legend(title=None),
        ),
        order=alt.Order("rank:Q"),
        tooltip=["step:Q", "part:N", alt.Tooltip("shown:N", title="per hour")],
    )
    if len(steps) > 1:
        marked = base.mark_area(interpolate="step-after", opacity=0.75)
        chart = marked.encode(x=style.step_axis(steps))
    else:
        chart = base.mark_bar(width=style.bar_width(1)).encode(
            x=alt.X("step:O", title="step", axis=alt.Axis(labelAngle=0))
        )
    return style.finished(chart, "What nodes cost per hour", _subtitle(found, currency))


def _parts(row: dict[str, Any], currency: str) -> list[dict[str, Any]]:
    idle = row["costPerHour"] * (row["idleRate"] or 0)
    amounts = (row["costPerHour"] - idle, idle)
    return [
        {
            "step": row["step"],
            "part": part,
            "rank": rank,
            "cost": max(amount, 0.0),
            "shown": wording.money(amount, currency),
        }
        for rank, (part, amount) in enumerate(zip(_PARTS, amounts, strict=True))
    ]


def _subtitle(found: list[dict[str, Any]], currency: str) -> str:
    if not found:
        return "No node has a price"
    last = found[-1]
    cost = wording.money(last["costPerHour"], currency)
    return f"At the end: {cost}, {wording.share(last['idleRate'])} of it idle"
