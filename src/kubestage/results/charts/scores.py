"""The chart of an attempt: the weighted scores of its best nodes, plugin by plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import altair as alt

from kubestage.results.charts import style

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json

_ROW: Final = 22


def scores(explanation: Json, pod: str, top: int) -> ChartType:
    """A bar for each of the best nodes, the chosen one first, in parts by plugin."""
    totals, chosen = explanation["totals"], explanation["selected"]
    best = sorted(totals, key=lambda node: (node != chosen, -totals[node], node))[:top]
    rows = [
        {"node": node, "plugin": plugin, "score": found["final"], "total": totals[node]}
        for node in best
        for plugin, found in explanation["score"][node].items()
    ]
    plugins = list(dict.fromkeys(row["plugin"] for row in rows))
    colors = [style.RESOURCES[at % len(style.RESOURCES)] for at in range(len(plugins))]
    chart: alt.Chart = (
        alt.Chart(style.data(rows), width=style.WIDTH, height=alt.Step(_ROW))
        .mark_bar()
        .encode(
            x=alt.X("score:Q", title="weighted score"),
            y=alt.Y("node:N", sort=best, title=None),
            color=alt.Color("plugin:N", scale=alt.Scale(domain=plugins, range=colors)),
            tooltip=["node:N", "plugin:N", "score:Q", "total:Q"],
        )
    )
    subtitle = f"{chosen} is chosen" if chosen else "no node is chosen"
    more = f"; the best {len(best)} of {len(totals)} nodes" if len(best) < len(totals) else ""
    return style.finished(chart, f"Scores of nodes for {pod}", f"{subtitle}{more}")
