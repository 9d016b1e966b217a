"""The charts of the report of a load that was kept: verdicts, steps, latencies with thresholds."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

from kubestage.results.charts.life.drawing import chart_name
from kubestage.results.charts.load.latencies import Threshold, latencies
from kubestage.results.charts.load.steps import steps
from kubestage.results.charts.load.verdicts import verdicts
from kubestage.results.charts.served import LOAD, ChartEntry

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.load.reading import MetricRow, Reading, VerdictRow

_IN_SECONDS: Final = "s"
_NO_VERDICT: Final = "The load was held to no threshold."


def of_report(report: Reading) -> list[ChartEntry]:
    """All charts of a report, read at once: it may be closed before they are drawn."""
    judged = report.verdicts()
    why = "" if any(row.threshold and row.value is not None for row in judged) else _NO_VERDICT
    found = [ChartEntry("verdicts", "SLO verdicts", LOAD, functools.partial(verdicts, judged), why)]
    rows = report.rows("SELECT * FROM steps")
    why = "" if rows else "The load has no steps."
    found.append(
        ChartEntry("steps", "Steps of the load", LOAD, functools.partial(steps, rows), why)
    )
    return [*found, *_latencies(report, judged)]


def _latencies(report: Reading, judged: list[VerdictRow]) -> Iterator[ChartEntry]:
    """One chart for each measurement, with the strictest threshold of what was judged."""
    groups: dict[tuple[int, str, str], list[MetricRow]] = {}
    for metric in report.metrics():
        groups.setdefault((metric.test, metric.method, metric.identifier), []).append(metric)
    for (test, method, identifier), metrics in groups.items():
        took = {
            metric.name: [each.took_ns for each in report.latencies(metric)] for metric in metrics
        }
        held = [row for row in judged if (row.test, row.identifier) == (test, identifier)]
        main = next((name for row in held if (name := row.name.rpartition(" ")[0]) in took), "")
        limits = [
            row.threshold
            for row in held
            if row.threshold and row.unit == _IN_SECONDS and row.name.startswith(f"{main} ")
        ]
        threshold = Threshold(min(limits)) if limits and main else None
        title = f"How long it took: {identifier or method}"
        name = chart_name("latencies", str(test), identifier or method)
        draw = functools.partial(latencies, took, title, threshold, main)
        yield ChartEntry(name, title, LOAD, draw)
