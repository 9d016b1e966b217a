"""NegLatency: how long network endpoint groups of a cloud take to be made, filled and emptied."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.measure import perf_data
from kubestage.measure.prometheus import bucket_share
from kubestage.measure.prometheus.api_calls import rounded
from kubestage.measure.prometheus.bucket_share import Demand
from kubestage.measure.prometheus.query_measurement import PrometheusMeasurement, QueryParams

if TYPE_CHECKING:
    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.prometheus.query_measurement import InstantQuery, MeasuredTime
    from kubestage.measure.results import MeasurementResult

NAME: Final = "NegLatency"
_INIT: Final = "neg_controller_neg_initialization_duration_seconds_bucket"
_OPERATION: Final = "neg_controller_neg_operation_duration_seconds_bucket"
_METRICS: Final = (
    ("neg_initialization", _INIT, Demand(16, 95)),
    ("neg_attach_endpoint", f'{_OPERATION}{{operation="Attach"}}', Demand(64, 95)),
    ("neg_detach_endpoint", f'{_OPERATION}{{operation="Detach"}}', Demand(32, 95)),
)


class NegParams(QueryParams, frozen=True, kw_only=True):
    """Seconds, and how many percent must be within them; 0 stands for the default."""

    init_bucket: float = msgspec.field(default=0, name="negInitBucketSLO")
    init_percentile: float = msgspec.field(default=0, name="negInitPercentileSLO")
    attach_bucket: float = msgspec.field(default=0, name="negAttachBucketSLO")
    attach_percentile: float = msgspec.field(default=0, name="negAttachPercentileSLO")
    detach_bucket: float = msgspec.field(default=0, name="negDetachBucketSLO")
    detach_percentile: float = msgspec.field(default=0, name="negDetachPercentileSLO")

    def demanded(self) -> tuple[tuple[float, float], ...]:
        """In the order of the metrics."""
        return (
            (self.init_bucket, self.init_percentile),
            (self.attach_bucket, self.attach_percentile),
            (self.detach_bucket, self.detach_percentile),
        )


class NegLatency(PrometheusMeasurement[NegParams]):
    """Three histograms, each with a share that has to be fast; queries may fail."""

    params_type = NegParams

    def instant_queries(self, params: NegParams, measured: MeasuredTime) -> list[InstantQuery]:
        """Every window of every metric."""
        del params
        return [
            query
            for _, selector, _ in _METRICS
            for query in bucket_share.windows(
                f"sum(sum_over_time({selector}[%v])) by (le)", measured
            )
        ]

    def conclude(
        self, params: NegParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The buckets of each metric (the last window's stand), and the first share too small."""
        del measured
        size = len(answers) // len(_METRICS)
        found: dict[str, bucket_share.Buckets] = {}
        verdicts, violation = [], None
        for index, ((metric, _, default), stated) in enumerate(
            zip(_METRICS, params.demanded(), strict=True)
        ):
            buckets: bucket_share.Buckets = {}
            for answered in answers[index * size : (index + 1) * size]:
                for sample in answered.samples:
                    buckets[sample.labels.get("le", "")] = rounded(sample.value)
            if buckets:
                found[metric] = {bound: buckets[bound] for bound in sorted(buckets)}
            demand = Demand.of(*stated, default)
            is_enforced = params.enable_violations
            verdicts.append(
                demand.verdict(metric, [demand.share(buckets)], is_enforced=is_enforced)
            )
            if violation is None:
                violation = demand.violation(metric, "Updates", "latency", buckets)
        content = perf_data.pretty({name: found[name] for name in sorted(found)})
        return self.build_result(params, [(NAME, content)], tuple(verdicts), violation)
