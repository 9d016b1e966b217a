"""Charts of a load, each from plain rows, for pages and notebooks alike.

Rows have the names of the columns in ``load.sqlite``; times are nanoseconds since the test began::

    from kubestage.results.charts import load
    from kubestage.results.load import reading

    report = reading.open_report("out")
    load.steps(report.rows("SELECT * FROM steps"))
    load.latencies({"pod_startup": [each.took_ns for each in report.latencies("pod_startup")]})

A chart of nothing is None.
"""

from __future__ import annotations

from kubestage.results.charts.load.latencies import Threshold, latencies
from kubestage.results.charts.load.limit import limit_chart, limit_charts
from kubestage.results.charts.load.steps import steps
from kubestage.results.charts.load.throughput import calls, pod_rates, pods, series
from kubestage.results.load.slo import Slo

__all__ = [
    "Slo",
    "Threshold",
    "calls",
    "latencies",
    "limit_chart",
    "limit_charts",
    "pod_rates",
    "pods",
    "series",
    "steps",
]
