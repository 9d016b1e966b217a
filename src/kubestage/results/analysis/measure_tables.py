"""The values of measures as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage import lazy
from kubestage.results.analysis.registry import RunChart, RunTable, table
from kubestage.results.analysis.table import Kind, columns

with lazy.imports():
    from kubestage.results.charts import measured as measured_charts

if TYPE_CHECKING:
    from kubestage.results.analysis.digest import Digest
    from kubestage.results.analysis.registry import Rows


@table(
    RunTable(
        name="measures",
        title="Measures",
        about="the values of each --measure, at each decision or step",
        row="value of a measure",
        columns=columns(
            measure=Kind.TEXT, step=Kind.INT, attempt=Kind.INT, value=Kind.FLOAT, unit=Kind.TEXT
        ),
        order=110,
        empty="The run has no measures; kubestage run --measure FILE.py:NAME has some.",
        chart=RunChart(
            name="measures",
            function=lambda: measured_charts.measures,
            order=90,
            is_recorded=lambda run: any(each.values for each in run.measures),
        ),
    )
)
def measures(run: Digest) -> Rows:
    """Every value in order, measure by measure."""
    rows: list[tuple[Any, ...]] = [
        (each.name, step, attempt or None, value, each.unit)
        for each in run.measures
        for step, attempt, value in zip(each.steps, each.attempts, each.values, strict=True)
    ]
    return rows
