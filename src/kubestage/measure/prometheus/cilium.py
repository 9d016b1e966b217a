"""CiliumEndpointPropagationDelay: how long until all nodes know of an endpoint."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.measure import perf_data
from kubestage.measure.prometheus import bucket_share
from kubestage.measure.prometheus.api_calls import rounded
from kubestage.measure.prometheus.bucket_share import Demand
from kubestage.measure.prometheus.query_measurement import PrometheusMeasurement, QueryParams
from kubestage.units import MILLISECOND_NS

if TYPE_CHECKING:
    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.prometheus.query_measurement import InstantQuery, MeasuredTime
    from kubestage.measure.results import MeasurementResult

NAME: Final = "CiliumEndpointPropagationDelay"
_METRIC: Final = "cilium_endpoint_propagation_delay_seconds_bucket"
_DEFAULT: Final = Demand(600, 95)


class CiliumParams(QueryParams, frozen=True, kw_only=True):
    """Seconds, and how many percent must be within them; 0 stands for the default."""

    bucket: float = msgspec.field(default=0, name="bucketSLO")
    percentile: float = msgspec.field(default=0, name="percentileSLO")


class CiliumEndpointPropagationDelay(PrometheusMeasurement[CiliumParams]):
    """The share that has to be fast, in each window; queries may fail."""

    params_type = CiliumParams

    def instant_queries(self, params: CiliumParams, measured: MeasuredTime) -> list[InstantQuery]:
        """Every window."""
        del params
        return bucket_share.windows(f"sum(sum_over_time({_METRIC}[%v])) by (le)", measured)

    def conclude(
        self, params: CiliumParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The buckets of each window, and the first whose share is too small."""
        found: dict[str, bucket_share.Buckets] = {}
        for query, answered in zip(self.instant_queries(params, measured), answers, strict=True):
            if answered.samples:
                buckets = {
                    sample.labels.get("le", ""): rounded(sample.value)
                    for sample in answered.samples
                }
                found[self._time_text(query.at_ns)] = {
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
        return self.build_result(params, [(NAME, content)], (verdict,), violation)

    def _time_text(self, at_ns: int) -> str:
        """A moment as Prometheus writes it: seconds since 1970, to the millisecond."""
        moments = self.cluster.moments
        milliseconds = (moments.unix_ns - moments.now_ns + at_ns) // MILLISECOND_NS
        whole, rest = divmod(milliseconds, 1000)
        return f"{whole}.{rest:03d}".rstrip("0").rstrip(".")
