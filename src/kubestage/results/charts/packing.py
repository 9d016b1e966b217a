"""How full each node is, and who accounts for what a cluster costs per hour."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style
from kubestage.results.packing import tables, wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from altair.typing import ChartType

    from kubestage.results.packing.node_shares import NodeShare
    from kubestage.results.packing.packing import Packing

_MOST: Final = 12
_BAR: Final = 22
_IDLE: Final = "idle"
_OTHERS: Final = "others"
_COLORS: Final = (style.BLUE, style.ORANGE, style.GREEN, style.PURPLE, style.SKY, style.VERMILION)


def nodes(found: Sequence[NodeShare]) -> ChartType | None:
    """A dot for each node: how much of its CPU and of its memory pods request."""
    if not found:
        return None
    values = [
        {
            "node": each.node,
            "pool": each.pool or tables.NO_POOL,
            "cpu": each.cpu_share or 0.0,
            "memory": each.memory_share or 0.0,
            "pods": each.pods,
        }
        for each in found
    ]
    pools = sorted({str(each["pool"]) for each in values})
    colors = [_COLORS[place % len(_COLORS)] for place in range(len(pools))]
    scale = alt.Scale(domain=[0, 1], clamp=True, nice=False)
    axis = alt.Axis(format="%", tickCount=6)
    chart = (
        alt.Chart(style.data(values))
        .mark_circle(size=70 if len(values) < 200 else 24, opacity=0.55)
        .encode(
            x=alt.X("cpu:Q", title="CPU requested", scale=scale, axis=axis),
            y=alt.Y("memory:Q", title="memory requested", scale=scale, axis=axis),
            color=alt.Color("pool:N", scale=alt.Scale(domain=pools, range=colors)),
            tooltip=[
                "node:N",
                "pool:N",
                alt.Tooltip("cpu:Q", format=".0%"),
                alt.Tooltip("memory:Q", format=".0%"),
                "pods:Q",
            ],
        )
        .properties(width=style.WIDTH, height=style.HEIGHT)
    )
    subtitle = "Each dot is a node; far from the corner at the top right, money is idle"
    return style.finished(chart, "How full the nodes are", subtitle)


def workloads(packing: Packing) -> ChartType | None:
    """What each workload costs per hour, the dearest first, and what is idle; None unpriced."""
    costs = packing.costs
    if not costs.cluster_cost:
        return None
    rows = [(each.name, each.cost_per_hour or 0.0) for each in costs.workloads]
    values = [{"name": name, "cost": cost, "sort": "workload"} for name, cost in rows[:_MOST]]
    if rows[_MOST:]:
        rest = sum(cost for _, cost in rows[_MOST:])
        name = f"{len(rows) - _MOST:,} {_OTHERS}"
        values.append({"name": name, "cost": rest, "sort": "workload"})
    values.append({"name": _IDLE, "cost": max(costs.idle_per_hour or 0.0, 0.0), "sort": _IDLE})
    names = [str(each["name"]) for each in values]
    scale = alt.Scale(domain=["workload", _IDLE], range=[style.BLUE, style.ORANGE])
    chart = (
        alt.Chart(style.data(values))
        .mark_bar()
        .encode(
            y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=320)),
            x=alt.X("cost:Q", title=f"{costs.currency} per hour"),
            color=alt.Color("sort:N", scale=scale, legend=None),
            tooltip=["name:N", alt.Tooltip("cost:Q", title=costs.currency)],
        )
        .properties(width=style.WIDTH, height=_BAR * len(values))
    )
    total = wording.money(costs.cluster_cost, costs.currency)
    subtitle = f"Of {total} per hour, {wording.share(costs.idle_share)} is idle"
    return style.finished(chart, "Who accounts for the cost", subtitle)
