"""PrometheusSchedulingMetrics: how long the scheduler's work takes, as a Prometheus has it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.measure import perf_data
from kubestage.measure.components.scheduling_metrics import EXTENSION_POINTS
from kubestage.measure.histograms import Histogram
from kubestage.measure.prometheus.query_measurement import (
    InstantQuery,
    PrometheusMeasurement,
    QueryParams,
)
from kubestage.measure.results import MeasurementResult
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.prometheus.query_measurement import MeasuredTime

NAME: Final = "PrometheusSchedulingMetrics"
_WHOLE: Final = (
    ("e2eSchedulingLatency", "scheduler_pod_scheduling_sli_duration_seconds_bucket"),
    ("schedulingLatency", "scheduler_scheduling_algorithm_duration_seconds_bucket"),
    (
        "preemptionEvaluationLatency",
        "scheduler_scheduling_algorithm_preemption_evaluation_seconds_bucket",
    ),
)
_POINT: Final = "scheduler_framework_extension_point_duration_seconds_bucket"
_QUANTILES: Final = (("Perc50", 0.5), ("Perc90", 0.9), ("Perc99", 0.99))


class PrometheusSchedulingMetrics(PrometheusMeasurement[QueryParams]):
    """The same file as SchedulingMetrics, from what the histograms grew by."""

    params_type = QueryParams

    def instant_queries(self, params: QueryParams, measured: MeasuredTime) -> list[InstantQuery]:
        """The growth of each bucket."""
        del params
        metrics = [metric for _, metric in _WHOLE]
        metrics += [f'{_POINT}{{extension_point="{point}"}}' for point in EXTENSION_POINTS]
        return [
            InstantQuery(f"sum(increase({metric}[{measured.seconds}])) by (le)", measured.ended_ns)
            for metric in metrics
        ]

    def conclude(
        self, params: QueryParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """Percentiles of all histograms."""
        instant_queries = self.instant_queries(params, measured)
        failed = [
            f'failed to execute query "{query.expression}": query error: {answered.error}'
            for query, answered in zip(instant_queries, answers, strict=True)
            if answered.error
        ]
        if failed:
            listed = " ".join(failed)
            problem = f"prometheus scheduler latency gathering errors: [{listed}]"
            return MeasurementResult(errors=(problem,))
        latencies = [_latency(answered) for answered in answers]
        whole = dict(zip((name for name, _ in _WHOLE), latencies, strict=False))
        points = dict(zip(EXTENSION_POINTS, latencies[len(_WHOLE) :], strict=True))
        document = {
            "frameworkExtensionPointDuration": {name: points[name] for name in sorted(points)},
            "preemptionEvaluationLatency": whole["preemptionEvaluationLatency"],
            "e2eSchedulingLatency": whole["e2eSchedulingLatency"],
            "schedulingLatency": whole["schedulingLatency"],
        }
        name = f"{self.context.identifier}_{NAME}"
        return self.build_result(params, [(name, perf_data.pretty(document))], ())


def _latency(answered: QueryAnswer) -> dict[str, int]:
    histogram = Histogram()
    for sample in answered.samples:
        histogram.add(sample)
    found = {word: histogram.quantile(q) for word, q in _QUANTILES}
    return {
        word: 0 if math.isnan(value) else int(value * SECOND_NS) for word, value in found.items()
    }
