"""SchedulingMetrics: latencies from the scheduler's metrics."""

from __future__ import annotations

import math
from http import HTTPStatus
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.measure import perf_data
from kubestage.measure.components import control_plane
from kubestage.measure.facilities import Sample
from kubestage.measure.histograms import Histogram
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Params
from kubestage.measure.results import (
    NOTHING,
    MeasurementResult,
    PendingResult,
    Summary,
    empty_verdict,
)
from kubestage.promql import exposition
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer, Page
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result

NAME: Final = "SchedulingMetrics"
EXTENSION_POINTS: Final = (
    "Bind", "Filter", "Permit", "PostBind", "PostFilter", "PreBind", "PreFilter", "PreScore",
    "Reserve", "Score", "Unreserve",
)  # fmt: skip
_E2E: Final = "scheduler_pod_scheduling_sli_duration_seconds_bucket"
_ALGORITHM: Final = "scheduler_scheduling_algorithm_duration_seconds_bucket"
_POINT: Final = "scheduler_framework_extension_point_duration_seconds_bucket"
_PREEMPTION: Final = "scheduler_scheduling_algorithm_preemption_evaluation_seconds_bucket"
_QUANTILES: Final = (("Perc50", 0.5), ("Perc90", 0.9), ("Perc99", 0.99))

Histograms = dict[str, Histogram]
"""By the name of the metric, or of the extension point."""


class SchedulingParams(Params, frozen=True, kw_only=True):
    """`master_name` is the node of the scheduler where none of the control plane is registered."""

    master_name: str = ""
    master_ip: str = msgspec.field(default="", name="masterIP")


class SchedulingMetrics(Measurement[SchedulingParams]):
    """Reads the scheduler's histograms at the start and at the end, and takes the difference.

    Of several schedulers only one leads; the others have nothing to add.
    """

    params_type = SchedulingParams
    actions = ("start", "reset", "gather")

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self.before: Histograms = {}

    def perform(self, params: SchedulingParams) -> Result:
        """Start (or ``reset``, which is the same) or gather."""
        if params.action not in ("start", "reset", "gather"):
            return super().perform(params)
        return _Reading(self, params).pending

    def gathered(self, histograms: Histograms, *, is_end: bool) -> MeasurementResult:
        """Store the histograms, or report what has been added since."""
        if not is_end:
            self.before = histograms
            return NOTHING
        grown = _since(histograms, self.before)
        content = perf_data.pretty(_document(grown))
        is_empty = not any(any(each.buckets.values()) for each in grown.values())
        return MeasurementResult(
            summaries=(Summary(NAME, content, self.cluster.moments.unix_ns),),
            verdicts=(empty_verdict(NAME),) if is_empty else (),
        )


class _Reading:
    """The requests of the pages of the schedulers."""

    def __init__(self, measurement: SchedulingMetrics, params: SchedulingParams) -> None:
        self.pending = PendingResult()
        self._measurement = measurement
        self._params = params
        control_plane.list_nodes(measurement.cluster, self._listed)

    def _listed(self, answer: Answer) -> None:
        if answer.error is not None:
            self.pending.resolve(MeasurementResult(errors=(answer.error.message,)))
            return
        cluster = self._measurement.cluster
        masters = control_plane.masters(control_plane.items(answer), is_stage=cluster.is_stage)
        if not masters and self._params.master_name:
            masters = [self._params.master_name]
        if not masters:
            reason = "needs a registered node of the control plane whose scheduler can be reached"
            self.pending.resolve(MeasurementResult(skipped=reason))
            return
        paths = [control_plane.metrics_page(control_plane.SCHEDULER, name) for name in masters]
        control_plane.Pages(cluster, paths, self._read)

    def _read(self, pages: list[Page]) -> None:
        for page in pages:
            if page.code != HTTPStatus.OK:
                reason = f"needs the scheduler's metrics, which answered {page.code}"
                self.pending.resolve(MeasurementResult(skipped=reason))
                return
        histograms = _histograms(pages)
        is_end = self._params.action == "gather"
        self.pending.resolve(self._measurement.gathered(histograms, is_end=is_end))


def _histograms(pages: list[Page]) -> Histograms:
    found = {name: Histogram() for name in (_E2E, _ALGORITHM, _PREEMPTION, *EXTENSION_POINTS)}
    for page in pages:
        for line in exposition.read(page.text):
            name = line.labels.get("extension_point", "") if line.name == _POINT else line.name
            histogram = found.get(name)
            if histogram is not None:
                histogram.add(Sample(line.labels, line.value))
    return found


def _since(histograms: Histograms, before: Histograms) -> Histograms:
    return {
        name: Histogram(
            buckets={
                bound: count - (before[name].buckets.get(bound, 0) if name in before else 0)
                for bound, count in histogram.buckets.items()
            }
        )
        for name, histogram in histograms.items()
    }


def _document(histograms: Histograms) -> Json:
    return {
        "frameworkExtensionPointDuration": {
            point: _latency(histograms[point]) for point in EXTENSION_POINTS
        },
        "preemptionEvaluationLatency": _latency(histograms[_PREEMPTION]),
        "e2eSchedulingLatency": _latency(histograms[_E2E]),
        "schedulingLatency": _latency(histograms[_ALGORITHM]),
    }


def _latency(histogram: Histogram) -> dict[str, int]:
    quantiles = {word: histogram.quantile(quantile) for word, quantile in _QUANTILES}
    return {
        word: 0 if math.isnan(value) else int(value * SECOND_NS)
        for word, value in quantiles.items()
    }
