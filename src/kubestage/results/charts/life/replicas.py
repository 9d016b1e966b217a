"""Replicas over time, with the requests that they are for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.charts import style
from kubestage.results.charts.life import lines, markers, requests, times

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.results.life.life import Life

_FAINT: Final = "#b0b0b0"
_KINDS: Final = {"desired": _FAINT, "launching": style.ORANGE, "active": style.BLUE}


def replicas(life: Life, workload: str) -> ChartType | None:
    """Desired, launching and active replicas of a workload, and requests a second, dashed."""
    axis = times.Times(life.seconds)
    found = [row for row in life.rows("replicas") if row["workload"] == workload]
    if not any(row["desired"] or row["launching"] or row["active"] for row in found):
        return None
    known = times.with_gaps(found, life.observation_times(), *_KINDS)
    rows = times.changes(axis.of(known), tuple(_KINDS))
    shown = lines.melted(rows, {name: name for name in _KINDS}, steps=True)
    highest = int(lines.highest(shown))
    arriving = [row for row in life.rows("requests") if row["workload"] == workload]
    kinds = {**_KINDS, requests.RPS: style.PURPLE} if arriving else dict(_KINDS)
    y = style.count_axis("value", "replicas", highest)
    desired = [row for row in shown if row["series"] == "desired"]
    there = [row for row in shown if row["series"] != "desired"]
    # What is there lies on what is wanted, so that both are seen where they are the same.
    layers = [
        lines.drawn(desired, axis, y, kinds, steps=True, width=5),
        lines.drawn(there, axis, y, kinds, steps=True),
    ]
    if arriving:
        counts = lines.layered(*layers)
        chart = lines.layered(counts, requests.rate_line(axis, arriving, kinds), axes=2)
    else:
        chart = lines.layered(*layers)
    active = [row["active"] for row in found]
    subtitle = f"Active: {max(active)} at most, {active[-1]} at the end"
    return markers.finished(life, chart, f"Replicas of {workload}", subtitle, about=workload)
