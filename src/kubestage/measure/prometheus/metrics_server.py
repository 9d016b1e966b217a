"""MetricsServerPrometheus: how long the metrics server takes to answer for all pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure import perf_data
from kubestage.measure.prometheus import latency_queries
from kubestage.measure.prometheus.query_measurement import (
    InstantQuery,
    PrometheusMeasurement,
    QueryParams,
)
from kubestage.measure.results import MeasurementResult

if TYPE_CHECKING:
    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.prometheus.query_measurement import MeasuredTime

NAME: Final = "MetricsServerPrometheus"
FEATURE: Final = "metrics-server"
_CALLS: Final = 'group="metrics.k8s.io",resource="pods",scope="cluster"'


class MetricsServerPrometheus(PrometheusMeasurement[QueryParams]):
    """Percentiles, without a threshold."""

    params_type = QueryParams
    needs_version = True

    def disabled(self, params: QueryParams) -> str:
        """Not every provider runs a metrics server."""
        del params
        if FEATURE in self.context.facilities.features:
            return ""
        return "disabled: no metrics server is known to run"

    def instant_queries(self, params: QueryParams, measured: MeasuredTime) -> list[InstantQuery]:
        """One query per percentile."""
        del params
        calls = f"rate({measured.names.histogram}_bucket{{{_CALLS}}}[{measured.seconds}])"
        return [
            InstantQuery(f"histogram_quantile({q}, sum({calls}) by (le))", measured.ended_ns)
            for q in latency_queries.QUANTILES
        ]

    def conclude(
        self, params: QueryParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The percentiles."""
        latency = latency_queries.read(self.instant_queries(params, measured), answers)
        if isinstance(latency, MeasurementResult):
            return latency
        content = perf_data.pretty(latency_queries.document(latency))
        return self.build_result(params, [(NAME, content)], ())
