"""NodeLocalDNSLatencyPrometheus: how long the nodes' DNS caches take to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.golang import durations
from kubestage.measure import perf_data
from kubestage.measure.params import Duration
from kubestage.measure.prometheus import latency_queries
from kubestage.measure.prometheus.query_measurement import (
    InstantQuery,
    PrometheusMeasurement,
    QueryParams,
    Violation,
)
from kubestage.measure.results import MeasurementResult, Verdict

if TYPE_CHECKING:
    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.prometheus.query_measurement import MeasuredTime

NAME: Final = "NodeLocalDNSLatencyPrometheus"
_METRIC: Final = "coredns_dns_request_duration_seconds_bucket"


class DnsParams(QueryParams, frozen=True, kw_only=True):
    """`threshold` is what the 99th percentile may be."""

    threshold: Duration = Duration(5 * durations.SECOND)


class NodeLocalDNSLatencyPrometheus(PrometheusMeasurement[DnsParams]):
    """Percentiles over all nodes."""

    params_type = DnsParams

    def instant_queries(self, params: DnsParams, measured: MeasuredTime) -> list[InstantQuery]:
        """One query per percentile."""
        del params
        return [
            InstantQuery(
                f"histogram_quantile({q}, sum(rate({_METRIC}[{measured.seconds}])) by (le))",
                measured.ended_ns,
            )
            for q in latency_queries.QUANTILES
        ]

    def conclude(
        self, params: DnsParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The percentiles, and whether the last is low enough."""
        latency = latency_queries.read(self.instant_queries(params, measured), answers)
        if isinstance(latency, MeasurementResult):
            return latency
        item = latency.to_item(NAME)
        content = perf_data.pretty({"data": item.data, "unit": item.unit, "labels": item.labels})
        is_high = latency.perc99_ns > params.threshold
        got, most = (durations.go_string(each) for each in (latency.perc99_ns, params.threshold))
        reason = f"99th Percentile Latency {got} is higher than the upper bound of {most}"
        verdict = Verdict(
            name="node-local DNS p99",
            passed=not is_high,
            value=latency.perc99_ns / durations.SECOND,
            threshold=params.threshold / durations.SECOND,
            unit="s",
            samples=1,
            is_enforced=params.enable_violations,
        )
        violation = Violation("NodelocalDNS dns_request_duration_seconds", reason)
        return self.build_result(
            params, [(NAME, content)], (verdict,), violation if is_high else None
        )
