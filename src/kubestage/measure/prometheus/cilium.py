"""CiliumEndpointPropagationDelay: how long until all nodes know of an endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.measure import perf_data
from kubestage.measure.prometheus import bucket_share
from kubestage.measure.prometheus.api_calls import rounded
from kubestage.measure.prometheus.asking import AskingParams, PrometheusMeasurement
from kubestage.measure.prometheus.bucket_share import Demand
from kubestage.units import MILLISECOND_NS

if TYPE_CHECKING:
    from kubestage.measure.facilities import Answered
    from kubestage.measure.outcome import Outcome
    from kubestage.measure.prometheus.asking import Question, Span

NAME: Final = "CiliumEndpointPropagationDelay"
_METRIC: Final = "cilium_endpoint_propagation_delay_seconds_bucket"
_DEFAULT: Final = Demand(600, 95)


class CiliumParams(AskingParams, frozen=True, kw_only=True):
    """Seconds, and how many percent must be within them; 0 stands for the default."""

    bucket: float = msgspec.field(default=0, name="bucketSLO")
    percentile: float = msgspec.field(default=0, name="percentileSLO")


class CiliumEndpointPropagationDelay(PrometheusMeasurement[CiliumParams]):
    """The share that has to be fast, in each window; queries may fail."""

    params_type = CiliumParams

    def questions(self, params: CiliumParams, span: Span) -> list[Question]:
        """Every window."""
        del params
        return bucket_share.windows(f"sum(sum_over_time({_METRIC}[%v])) by (le)", span)

    def concluded(self, params: CiliumParams, span: Span, answers: list[Answered]) -> Outcome:
        """The buckets of each window, and the first whose share is too small."""
        found: dict[str, bucket_share.Buckets] = {}
        for question, answered in zip(self.questions(params, span), answers, strict=True):
            if answered.samples:
                buckets = {
                    sample.labels.get("le", ""): rounded(sample.value)
                    for sample in answered.samples
                }
                found[self._time_text(question.at_ns)] = {
                    bound: buckets[bound] for bound in sorted(buckets)
                }
        demand = Demand.of(params.bucket, params.percentile, _DEFAULT)
        violations = [
            demand.violation(
                "Cilium endpoint propagation delay", f"{time}: updates", "delay", buckets
            )
            for time, buckets in found.items()
        ]
        shares = [demand.share(buckets) for buckets in found.values()]
        verdict = demand.verdict(
            "Cilium endpoint propagation delay", shares, is_enforced=params.enable_violations
        )
        content = perf_data.pretty({time: found[time] for time in sorted(found)})
        violation = next((each for each in violations if each is not None), None)
        return self.outcome(params, [(NAME, content)], (verdict,), violation)

    def _time_text(self, at_ns: int) -> str:
        """A moment as Prometheus writes it: seconds since 1970, to the millisecond."""
        moments = self.cluster.moments
        milliseconds = (moments.unix_ns - moments.now_ns + at_ns) // MILLISECOND_NS
        whole, rest = divmod(milliseconds, 1000)
        return f"{whole}.{rest:03d}".rstrip("0").rstrip(".")
