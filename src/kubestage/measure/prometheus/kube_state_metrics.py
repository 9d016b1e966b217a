"""KubeStateMetricsLatency: how long kube-state-metrics takes to serve its metrics."""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING, Final

from kubestage.measure import perf_data
from kubestage.measure.facilities import Sample
from kubestage.measure.histograms import Histogram
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.percentiles import LatencyMetric
from kubestage.measure.prometheus import latency_queries
from kubestage.measure.results import NOTHING, MeasurementResult, PendingResult, Summary
from kubestage.promql import exposition

if TYPE_CHECKING:
    from kubestage.cluster.access import Page, Timer
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

NAME: Final = "KubeStateMetricsLatency"
FEATURE: Final = "kube-state-metrics"
_SERVICE: Final = "/api/v1/namespaces/kube-state-metrics-perf-test/services/kube-state-metrics"
OWN_PAGE: Final = f"{_SERVICE}:8081/proxy/metrics"
LONG_PAGE: Final = f"{_SERVICE}:8080/proxy/metrics"
_BUCKET: Final = "http_request_duration_seconds_bucket"
_INTERVAL_NS: Final = 30_000_000_000


class KubeStateMetricsLatency(Measurement[Params]):
    """Reads its long page every half minute, and its own histogram at the start and end."""

    params_type = Params
    actions = ("start", "gather")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._before: Histogram | None = None
        self._timer: Timer | None = None

    def perform(self, params: Params) -> Result:
        """Start or gather, where kube-state-metrics runs."""
        if FEATURE not in self.context.facilities.features:
            return MeasurementResult(skipped="no kube-state-metrics is known to run")
        return super().perform(params)

    def start(self, params: Params) -> Result:
        """Start to read, unless it has started already."""
        del params
        if self._timer is not None:
            return NOTHING
        self._wait()
        pending = PendingResult()
        _Reading(self, pending, is_end=False)
        return pending

    def gather(self, params: Params) -> Result:
        """Percentiles of the time since the start."""
        del params
        pending = PendingResult()
        _Reading(self, pending, is_end=True)
        return pending

    def dispose(self) -> None:
        """Stop reading."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def gathered(self, histogram: Histogram, *, is_end: bool) -> MeasurementResult:
        """Store the histogram, or report what has been added to it."""
        if not is_end:
            self._before = histogram
            return NOTHING
        if self._timer is None:
            return MeasurementResult(errors=(f"{NAME}: measurement was not running",))
        self.dispose()
        before = {} if self._before is None else self._before.buckets
        added = Histogram(
            buckets={key: count - before.get(key, 0) for key, count in histogram.buckets.items()}
        )
        latency = LatencyMetric.of_seconds(
            {q: added.quantile(q) for q in latency_queries.QUANTILES}
        )
        content = perf_data.pretty(latency_queries.document(latency))
        return MeasurementResult(summaries=(Summary(NAME, content, self.cluster.moments.unix_ns),))

    def _wait(self) -> None:
        self._timer = self.cluster.moments.at(self.now_ns + _INTERVAL_NS, self._read)

    def _read(self) -> None:
        self._wait()
        self.cluster.raw(LONG_PAGE, _ignored)


class _Reading:
    """The request of the page of its own metrics."""

    def __init__(
        self, measurement: KubeStateMetricsLatency, pending: PendingResult, *, is_end: bool
    ) -> None:
        self._measurement = measurement
        self._pending = pending
        self._is_end = is_end
        measurement.cluster.raw(OWN_PAGE, self._read)

    def _read(self, page: Page) -> None:
        if page.code != HTTPStatus.OK:
            problem = f"the page of kube-state-metrics answered {page.code}"
            self._pending.resolve(MeasurementResult(errors=(problem,)))
            return
        histogram = Histogram()
        for line in exposition.read(page.text):
            if line.name == _BUCKET:
                histogram.add(Sample(line.labels, line.value))
        self._pending.resolve(self._measurement.gathered(histogram, is_end=self._is_end))


def _ignored(page: Page) -> None:
    """The content does not matter, only how long it takes."""
    del page
