"""SchedulingThroughputPrometheus: the highest rate at which pods were bound."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.measure import perf_data
from kubestage.measure.prometheus.query_measurement import (
    InstantQuery,
    PrometheusMeasurement,
    QueryParams,
    Violation,
    first_error,
)
from kubestage.measure.results import MeasurementResult, Verdict

if TYPE_CHECKING:
    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.prometheus.query_measurement import MeasuredTime

NAME: Final = "SchedulingThroughputPrometheus"
_BOUND: Final = (
    'apiserver_request_total{verb="POST", resource="pods", subresource="binding",code="201"}'
)


class ThroughputParams(QueryParams, frozen=True, kw_only=True):
    """`threshold` is in pods per second; 0 requires nothing."""

    threshold: float = 0


class SchedulingThroughputPrometheus(PrometheusMeasurement[ThroughputParams]):
    """Queries the API server's count of bindings, every five seconds of the time measured."""

    params_type = ThroughputParams

    def instant_queries(
        self, params: ThroughputParams, measured: MeasuredTime
    ) -> list[InstantQuery]:
        """The highest rate of all moments."""
        del params
        query = f"max_over_time(sum(irate({_BOUND}[1m]))[{measured.seconds}:5s])"
        return [InstantQuery(query, measured.ended_ns)]

    def conclude(
        self, params: ThroughputParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The rate, and whether it is high enough."""
        del measured
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
            return MeasurementResult(verdicts=(missing,), errors=(problem,))
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
        return self.build_result(
            params,
            [(NAME, perf_data.pretty({"max": highest}))],
            (verdict,),
            Violation("scheduler throughput_prometheus", reason) if is_low else None,
        )
