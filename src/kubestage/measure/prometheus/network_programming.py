"""NetworkProgrammingLatency: how long until a change of a service's pods is on the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.measure.outcome import Outcome
from kubestage.measure.params import Duration
from kubestage.measure.percentiles import LatencyMetric
from kubestage.measure.perf_data import PerfData
from kubestage.measure.prometheus.asking import (
    AskingParams,
    PrometheusMeasurement,
    Question,
    Violation,
    first_error,
)

if TYPE_CHECKING:
    from kubestage.measure.facilities import Answered
    from kubestage.measure.measurement import Context
    from kubestage.measure.prometheus.asking import Span

NAME: Final = "NetworkProgrammingLatency"
FEATURE: Final = "kube-proxy"
_RECORDED: Final = "kubeproxy:kubeproxy_network_programming_duration:histogram_quantile"


class NetworkParams(AskingParams, frozen=True, kw_only=True):
    """`threshold` and `enable_violations` are told at the start."""

    threshold: Duration = Duration(-1)


class NetworkProgrammingLatency(PrometheusMeasurement[NetworkParams]):
    """The 99th percentile of what kube-proxy says of the last minutes."""

    params_type = NetworkParams

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._started = NetworkParams()

    def disabled(self, params: NetworkParams) -> str:
        """Nothing can be said where no kube-proxy is scraped, as on a stage, which has none."""
        del params
        if not self.cluster.is_stage or FEATURE in self.context.facilities.features:
            return ""
        return "disabled: no kube-proxy is scraped"

    def configure(self, params: NetworkParams) -> None:
        """Keep the threshold, which must be there."""
        if params.threshold < 0:
            raise InputError("threshold is required", path="params.threshold")
        self._started = params

    def questions(self, params: NetworkParams, span: Span) -> list[Question]:
        """All three percentiles at once."""
        del params
        query = f"quantile_over_time(0.99, {_RECORDED}{{}}[{span.seconds}])"
        return [Question(query, span.ended_ns)]

    def concluded(self, params: NetworkParams, span: Span, answers: list[Answered]) -> Outcome:
        """The percentiles, and whether they are low enough."""
        del span
        failed = first_error(answers)
        if failed is not None:
            return failed
        samples = answers[0].samples
        if len(samples) != 3:
            return Outcome(errors=(f"got unexpected number of samples: {len(samples)}",))
        found: dict[float, float] = {}
        for sample in samples:
            text = sample.labels.get("quantile", "")
            try:
                found[float(text)] = sample.value
            except ValueError:
                return Outcome(errors=(f"quantile missing in sample {sample.labels}",))
        latency = LatencyMetric.of_seconds(found)
        most_ns = max(self._started.threshold, 0)
        is_judged = self._started.enable_violations
        problem = latency.violation(most_ns) if is_judged else None
        is_enforced = is_judged and params.enable_violations
        return self.outcome(
            params,
            [(NAME, PerfData("v1", (latency.to_item(NAME),)).to_json())],
            latency.verdicts(NAME, (most_ns,) * 3, len(samples), is_enforced=is_enforced),
            None if problem is None else Violation("Network Programming Latency", problem),
        )
