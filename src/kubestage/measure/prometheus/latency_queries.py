"""Measurements whose result is the 50th, 90th and 99th percentile of something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure.percentiles import LatencyMetric
from kubestage.measure.results import MeasurementResult

if TYPE_CHECKING:
    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.prometheus.query_measurement import InstantQuery

QUANTILES: Final = (0.5, 0.9, 0.99)


def read(
    instant_queries: list[InstantQuery], answers: list[QueryAnswer]
) -> LatencyMetric | MeasurementResult:
    """One row per quantile as a latency; what is wrong with them as a result."""
    problems = []
    found: dict[float, float] = {}
    for q, query, answered in zip(QUANTILES, instant_queries, answers, strict=True):
        if answered.error:
            problems.append(
                f'failed to execute query "{quoted(query)}", err - query error: {answered.error}'
            )
        elif len(answered.samples) != 1:
            problems.append(
                f"got unexpected number of samples: {len(answered.samples)} "
                f'for query "{quoted(query)}"'
            )
        else:
            found[q] = answered.samples[0].value
    if problems:
        listed = "\n".join(problems)
        return MeasurementResult(errors=(f"failed to compute latencies, errors - [{listed}]",))
    return LatencyMetric.of_seconds(found)


def quoted(query: InstantQuery) -> str:
    """A query as Go quotes it."""
    return query.expression.replace("\\", r"\\").replace('"', r"\"")


def document(latency: LatencyMetric) -> dict[str, int]:
    """A latency as Go writes the struct itself: in nanoseconds."""
    names = ("Perc50", "Perc90", "Perc99")
    return dict(zip(names, latency.values_ns, strict=True))
