"""Charts of pods over steps: which wait, which were preempted, how often the scheduler tried."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any

import altair as alt

from kubestage.results import analysis
from kubestage.results.charts import style, thinning

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.results.analysis.digest import Run


def pending(run: Run) -> ChartType:
    """How many pods have no node at the end of each step."""
    digest = thinning.states(analysis.digest(run))
    rows = [
        {"step": end.step, "why": why, "pods": number}
        for end in digest.steps
        for why, number in (("pending", end.pending), ("gated", end.gated))
    ]
    left = digest.steps[-1].pending if digest.steps else 0
    subtitle = f"At the end {style.counted(left, 'pod')} could not be scheduled"
    if not left:
        subtitle = "At the end no pod waits for the scheduler"
    kinds = {"pending": style.ORANGE}
    if any(row["pods"] for row in rows if row["why"] == "gated"):
        kinds["gated"] = style.PURPLE
    chart = _stacked(rows, "why", "pods", kinds)
    return style.finished(chart, "Pods without a node at the end of each step", subtitle)


def preemptions(run: Run) -> ChartType:
    """How many pods were preempted in each step."""
    digest = analysis.digest(run)
    steps = [end.step for end in digest.steps]
    rows = [{**row, "what": "preempted"} for row in analysis.table(digest, "steps").records()]
    total = sum(row["preempted"] for row in rows)
    hit = sum(1 for row in rows if row["preempted"])
    subtitle = f"{style.counted(total, 'pod')}, in {hit} of {style.counted(len(rows), 'step')}"
    subtitle += thinning.group_note(steps)
    shown_rows = thinning.sums(rows, steps, "what", "preempted")
    chart = _stacked(shown_rows, "what", "preempted", {"preempted": style.VERMILION})
    return style.finished(
        chart,
        "Pods that had to go for others",
        subtitle if total else "No pod was preempted",
    )


def attempts(run: Run) -> ChartType:
    """How often the scheduler tried in each step, and with what result."""
    digest = analysis.digest(run)
    steps = [end.step for end in digest.steps]
    counts = analysis.attempts(digest, by=("step", "result"))
    known = [row for row in counts.records() if row["step"] in set(steps)]
    silent = [{"step": step, "result": "scheduled", "attempts": 0} for step in steps]
    rows = thinning.sums([*known, *silent], steps, "result", "attempts")
    kinds = {"scheduled": style.BLUE, "unschedulable": style.ORANGE, "error": style.VERMILION}
    kinds = {kind: color for kind, color in kinds.items() if kind in set(counts.column("result"))}
    total = sum(row["attempts"] for row in rows)
    subtitle = f"{style.counted(total, 'attempt')} at {style.counted(len(digest.pods), 'pod')}"
    subtitle += thinning.group_note(steps)
    chart = _stacked(rows, "result", "attempts", kinds)
    return style.finished(chart, "Attempts of the scheduler", subtitle)


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
        alt.Chart(style.data(data), width=style.WIDTH, height=style.HEIGHT)
        .mark_bar(width=style.bar_width(len(heights)))
        .encode(
            x=style.step_bands(heights),
            y=style.count_axis(value, value, max(heights.values(), default=0)),
            color=alt.Color(f"{by}:N", scale=scale, legend=legend),
            order="order:Q",
            tooltip=["step:O", f"{by}:N", alt.Tooltip(f"{value}:Q", format=",")],
        )
    )
    return chart
