"""PrometheusSchedulingMetrics: how long the scheduler's work takes, as a Prometheus has it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.measure import perf_data
from kubestage.measure.components.scheduling_metrics import EXTENSION_POINTS
from kubestage.measure.histograms import Histogram
from kubestage.measure.outcome import Outcome
from kubestage.measure.prometheus.asking import AskingParams, PrometheusMeasurement, Question
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.measure.facilities import Answered
    from kubestage.measure.prometheus.asking import Span

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


class PrometheusSchedulingMetrics(PrometheusMeasurement[AskingParams]):
    """The same file as SchedulingMetrics, from what the histograms grew by."""

    params_type = AskingParams

    def questions(self, params: AskingParams, span: Span) -> list[Question]:
        """The growth of each bucket."""
        del params
        metrics = [metric for _, metric in _WHOLE]
        metrics += [f'{_POINT}{{extension_point="{point}"}}' for point in EXTENSION_POINTS]
        return [
            Question(f"sum(increase({metric}[{span.seconds}])) by (le)", span.ended_ns)
            for metric in metrics
        ]

    def concluded(self, params: AskingParams, span: Span, answers: list[Answered]) -> Outcome:
        """Percentiles of all histograms."""
        questions = self.questions(params, span)
        failed = [
            f'failed to execute query "{question.expression}": query error: {answered.error}'
            for question, answered in zip(questions, answers, strict=True)
            if answered.error
        ]
        if failed:
            listed = " ".join(failed)
            problem = f"prometheus scheduler latency gathering errors: [{listed}]"
            return Outcome(errors=(problem,))
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
        return self.outcome(params, [(name, perf_data.pretty(document))], ())


def _latency(answered: Answered) -> dict[str, int]:
    histogram = Histogram()
    for sample in answered.samples:
        histogram.add(sample)
    found = {word: histogram.quantile(q) for word, q in _QUANTILES}
    return {
        word: 0 if math.isnan(value) else int(value * SECOND_NS) for word, value in found.items()
    }
