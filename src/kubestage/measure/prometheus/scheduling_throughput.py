"""SchedulingThroughputPrometheus: the highest rate at which pods were bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure import perf_data
from kubestage.measure.outcome import Outcome, Verdict
from kubestage.measure.prometheus.asking import (
    AskingParams,
    PrometheusMeasurement,
    Question,
    Violation,
    first_error,
)

if TYPE_CHECKING:
    from kubestage.measure.facilities import Answered
    from kubestage.measure.prometheus.asking import Span

NAME: Final = "SchedulingThroughputPrometheus"
_BOUND: Final = (
    'apiserver_request_total{verb="POST", resource="pods", subresource="binding",code="201"}'
)


class ThroughputParams(AskingParams, frozen=True, kw_only=True):
    """`threshold` is in pods per second; 0 demands nothing."""

    threshold: float = 0


class SchedulingThroughputPrometheus(PrometheusMeasurement[ThroughputParams]):
    """Asks the API server's count of bindings, every five seconds of the time measured."""

    params_type = ThroughputParams

    def questions(self, params: ThroughputParams, span: Span) -> list[Question]:
        """The highest rate of all moments."""
        del params
        query = f"max_over_time(sum(irate({_BOUND}[1m]))[{span.seconds}:5s])"
        return [Question(query, span.ended_ns)]

    def concluded(self, params: ThroughputParams, span: Span, answers: list[Answered]) -> Outcome:
        """The rate, and whether it is high enough."""
        del span
        failed = first_error(answers)
        if failed is not None:
            return failed
        samples = answers[0].samples
        threshold, is_enforced = params.threshold, params.enable_violations
        if len(samples) != 1:
            missing = Verdict(
                name="scheduling throughput max",
                passed=False,
                threshold=threshold or None,
                unit="pods/s",
                samples=len(samples),
                is_upper=False,
            )
            problem = f"got unexpected number of samples: {len(samples)}"
            return Outcome(verdicts=(missing,), errors=(problem,))
        highest = samples[0].value
        is_low = threshold > 0 and highest < threshold
        reason = f"actual throughput {highest:f} lower than threshold {threshold:f}"
        verdict = Verdict(
            name="scheduling throughput max",
            passed=not is_low,
            value=highest,
            threshold=threshold or None,
            unit="pods/s",
            samples=1,
            is_upper=False,
            is_enforced=is_enforced,
        )
        return self.outcome(
            params,
            [(NAME, perf_data.pretty({"max": highest}))],
            (verdict,),
            Violation("scheduler throughput_prometheus", reason) if is_low else None,
        )
