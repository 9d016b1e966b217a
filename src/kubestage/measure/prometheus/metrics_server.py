"""MetricsServerPrometheus: how long the metrics server takes to answer for all pods."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure import perf_data
from kubestage.measure.outcome import Outcome
from kubestage.measure.prometheus import latency_queries
from kubestage.measure.prometheus.asking import AskingParams, PrometheusMeasurement, Question

if TYPE_CHECKING:
    from kubestage.measure.facilities import Answered
    from kubestage.measure.prometheus.asking import Span

NAME: Final = "MetricsServerPrometheus"
FEATURE: Final = "metrics-server"
_CALLS: Final = 'group="metrics.k8s.io",resource="pods",scope="cluster"'


class MetricsServerPrometheus(PrometheusMeasurement[AskingParams]):
    """Percentiles, without a threshold."""

    params_type = AskingParams
    needs_version = True

    def disabled(self, params: AskingParams) -> str:
        """Not every provider runs a metrics server."""
        del params
        if FEATURE in self.context.facilities.features:
            return ""
        return "disabled: no metrics server is known to run"

    def questions(self, params: AskingParams, span: Span) -> list[Question]:
        """One query per percentile."""
        del params
        calls = f"rate({span.words.histogram}_bucket{{{_CALLS}}}[{span.seconds}])"
        return [
            Question(f"histogram_quantile({q}, sum({calls}) by (le))", span.ended_ns)
            for q in latency_queries.QUANTILES
        ]

    def concluded(self, params: AskingParams, span: Span, answers: list[Answered]) -> Outcome:
        """The percentiles."""
        latency = latency_queries.read(self.questions(params, span), answers)
        if isinstance(latency, Outcome):
            return latency
        content = perf_data.pretty(latency_queries.document(latency))
        return self.outcome(params, [(NAME, content)], ())
