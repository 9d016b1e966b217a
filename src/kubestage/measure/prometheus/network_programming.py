"""NetworkProgrammingLatency: how long until a change of a service's pods is on the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.measure.params import Duration
from kubestage.measure.percentiles import LatencyMetric
from kubestage.measure.perf_data import PerfData
from kubestage.measure.prometheus.query_measurement import (
    InstantQuery,
    PrometheusMeasurement,
    QueryParams,
    Violation,
    first_error,
)
from kubestage.measure.results import MeasurementResult

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.measure.facilities import QueryAnswer
    from kubestage.measure.measurement import Context
    from kubestage.measure.prometheus.query_measurement import MeasuredTime

NAME: Final = "NetworkProgrammingLatency"
FEATURE: Final = "kube-proxy"
_RECORDED: Final = "kubeproxy:kubeproxy_network_programming_duration:histogram_quantile"
_UNSTATED: Final = Duration(-1)


class NetworkParams(QueryParams, frozen=True, kw_only=True):
    """`threshold` and `enable_violations` are for ``start``."""

    threshold: Duration = _UNSTATED

    def problems(self) -> Iterator[InputError]:
        """``start`` requires a threshold."""
        yield from super().problems()
        if self.action == "start" and self.threshold == _UNSTATED:
            yield InputError("threshold is required", path="params.threshold")


class NetworkProgrammingLatency(PrometheusMeasurement[NetworkParams]):
    """The 99th percentile of what kube-proxy reports of the last minutes."""

    params_type = NetworkParams

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._started = NetworkParams()

    def disabled(self, params: NetworkParams) -> str:
        """Disabled where no kube-proxy is scraped, as on a stage, which has none."""
        del params
        if not self.cluster.is_stage or FEATURE in self.context.facilities.features:
            return ""
        return "disabled: no kube-proxy is scraped"

    def configure(self, params: NetworkParams) -> None:
        """Store the threshold, which is required."""
        self._started = params

    def instant_queries(self, params: NetworkParams, measured: MeasuredTime) -> list[InstantQuery]:
        """All three percentiles at once."""
        del params
        query = f"quantile_over_time(0.99, {_RECORDED}{{}}[{measured.seconds}])"
        return [InstantQuery(query, measured.ended_ns)]

    def conclude(
        self, params: NetworkParams, measured: MeasuredTime, answers: list[QueryAnswer]
    ) -> MeasurementResult:
        """The percentiles, and whether they are low enough."""
        del measured
        failed = first_error(answers)
        if failed is not None:
            return failed
        samples = answers[0].samples
        if len(samples) != 3:
            return MeasurementResult(errors=(f"got unexpected number of samples: {len(samples)}",))
        found: dict[float, float] = {}
        for sample in samples:
            text = sample.labels.get("quantile", "")
            try:
                found[float(text)] = sample.value
            except ValueError:
                return MeasurementResult(errors=(f"quantile missing in sample {sample.labels}",))
        latency = LatencyMetric.of_seconds(found)
        most_ns = max(self._started.threshold, 0)
        is_checked = self._started.enable_violations
        problem = latency.violation(most_ns) if is_checked else None
        is_enforced = is_checked and params.enable_violations
        return self.build_result(
            params,
            [(NAME, PerfData("v1", (latency.to_item(NAME),)).to_json())],
            latency.verdicts(NAME, (most_ns,) * 3, len(samples), is_enforced=is_enforced),
            None if problem is None else Violation("Network Programming Latency", problem),
        )
