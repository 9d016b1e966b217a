"""Charts of pods over steps: who waits, who had to go, how often the scheduler tried."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import altair as alt

from kubestage.results import analysis
from kubestage.results.charts import look, thinning

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.results.analysis.digest import Run


def pending(run: Run) -> ChartType:
    """How many pods have no node at the end of each step."""
    told = thinning.states(analysis.digest(run))
    rows = [
        {"step": end.step, "why": why, "pods": number}
        for end in told.steps
        for why, number in (("pending", end.pending), ("gated", end.gated))
    ]
    left = told.steps[-1].pending if told.steps else 0
    subtitle = f"At the end {look.counted(left, 'pod')} could not be scheduled"
    if not left:
        subtitle = "At the end no pod waits for the scheduler"
    kinds = {"pending": look.ORANGE}
    if any(row["pods"] for row in rows if row["why"] == "gated"):
        kinds["gated"] = look.PURPLE
    chart = _stacked(rows, "why", "pods", kinds)
    return look.finished(chart, "Pods without a node at the end of each step", subtitle)


def preemptions(run: Run) -> ChartType:
    """How many pods were preempted in each step."""
    told = analysis.digest(run)
    steps = [end.step for end in told.steps]
    rows = [{**row, "what": "preempted"} for row in analysis.by_step(told).records()]
    total = sum(row["preempted"] for row in rows)
    hit = sum(1 for row in rows if row["preempted"])
    subtitle = f"{look.counted(total, 'pod')}, in {hit} of {look.counted(len(rows), 'step')}"
    subtitle += thinning.told(steps)
    told_rows = thinning.sums(rows, steps, "what", "preempted")
    chart = _stacked(told_rows, "what", "preempted", {"preempted": look.VERMILION})
    return look.finished(
        chart,
        "Pods that had to go for others",
        subtitle if total else "No pod was preempted",
    )


def attempts(run: Run) -> ChartType:
    """How often the scheduler tried in each step, and with what result."""
    told = analysis.digest(run)
    steps = [end.step for end in told.steps]
    counts = analysis.attempts(told, by=("step", "result"))
    known = [row for row in counts.records() if row["step"] in set(steps)]
    silent = [{"step": step, "result": "scheduled", "attempts": 0} for step in steps]
    rows = thinning.sums([*known, *silent], steps, "result", "attempts")
    kinds = {"scheduled": look.BLUE, "unschedulable": look.ORANGE, "error": look.VERMILION}
    kinds = {kind: color for kind, color in kinds.items() if kind in set(counts.column("result"))}
    total = sum(row["attempts"] for row in rows)
    subtitle = f"{look.counted(total, 'attempt')} at {look.counted(len(told.pods), 'pod')}"
    subtitle += thinning.told(steps)
    chart = _stacked(rows, "result", "attempts", kinds)
    return look.finished(chart, "Attempts of the scheduler", subtitle)


def _stacked(rows: list[dict[str, Any]], by: str, value: str, kinds: dict[str, str]) -> alt.Chart:
    """Bars over steps, parted by what they count."""
    scale = alt.Scale(domain=list(kinds), range=list(kinds.values()))
    legend = alt.Legend() if len(kinds) > 1 else None
    order = {kind: place for place, kind in enumerate(kinds)}
    heights: collections.Counter[int] = collections.Counter()
    for row in rows:
        heights[row["step"]] += row[value]
    data = [{**row, "order": order.get(row[by], len(kinds))} for row in rows]
    chart: alt.Chart = (
        alt.Chart(look.data(data), width=look.WIDTH, height=look.HEIGHT)
        .mark_bar(width=look.bar_width(len(heights)))
        .encode(
            x=look.step_bands(heights),
            y=look.count_axis(value, value, max(heights.values(), default=0)),
            color=alt.Color(f"{by}:N", scale=scale, legend=legend),
            order="order:Q",
            tooltip=["step:O", f"{by}:N", alt.Tooltip(f"{value}:Q", format=",")],
        )
    )
    return chart
