"""NodeLocalDNSLatencyPrometheus: how long the nodes' DNS caches take to answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure import perf_data
from kubestage.measure.outcome import Outcome, Verdict
from kubestage.measure.params import Duration
from kubestage.measure.prometheus import latency_queries
from kubestage.measure.prometheus.asking import (
    AskingParams,
    PrometheusMeasurement,
    Question,
    Violation,
)
from kubestage.objects import durations

if TYPE_CHECKING:
    from kubestage.measure.facilities import Answered
    from kubestage.measure.prometheus.asking import Span

NAME: Final = "NodeLocalDNSLatencyPrometheus"
_METRIC: Final = "coredns_dns_request_duration_seconds_bucket"


class DnsParams(AskingParams, frozen=True, kw_only=True):
    """`threshold` is what the 99th percentile may be."""

    threshold: Duration = Duration(5 * durations.SECOND)


class NodeLocalDNSLatencyPrometheus(PrometheusMeasurement[DnsParams]):
    """Percentiles over all nodes."""

    params_type = DnsParams

    def questions(self, params: DnsParams, span: Span) -> list[Question]:
        """One query per percentile."""
        del params
        return [
            Question(
                f"histogram_quantile({q}, sum(rate({_METRIC}[{span.seconds}])) by (le))",
                span.ended_ns,
            )
            for q in latency_queries.QUANTILES
        ]

    def concluded(self, params: DnsParams, span: Span, answers: list[Answered]) -> Outcome:
        """The percentiles, and whether the last is low enough."""
        latency = latency_queries.read(self.questions(params, span), answers)
        if isinstance(latency, Outcome):
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
        return self.outcome(params, [(NAME, content)], (verdict,), violation if is_high else None)
