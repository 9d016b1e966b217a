"""A HorizontalPodAutoscaler that sees what was measured, sync by sync."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

from kubestage.backtesting.outcome import HPA, BacktestDecision, BacktestOutcome
from kubestage.backtesting.target import NAMESPACE, BacktestReplicas
from kubestage.controllers.hpa.context import Scale, Snapshot
from kubestage.controllers.hpa.metrics_client import PodMetric
from kubestage.controllers.hpa.reconcile import HorizontalAutoscaler
from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.metrics.board import MetricsError
from kubestage.objects import defaulting
from kubestage.results.life import hpa_metrics
from kubestage.results.life.integral import Integral
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.backtesting.series import MetricFrame, MetricSeries
    from kubestage.backtesting.target import BacktestTarget
    from kubestage.objects.labels import Selector
    from kubestage.results.life.hpa_metrics import MetricReading

_MILLI: Final = 1000
_WINDOW_NS: Final = 15 * SECOND_NS


class MeasuredMetrics:
    """The metrics APIs of a backtest at one moment: they know what was measured, and nothing else.

    `load` is the first total that was requested.
    """

    def __init__(self, frame: MetricFrame, replicas: BacktestReplicas, now_ns: int) -> None:
        self._frame = frame
        self._replicas = replicas
        self._now_ns = now_ns
        self.load: float | None = None

    def resource(self, resource: str, container: str) -> dict[str, PodMetric]:
        """What pods use; what was measured counts for any container."""
        del container
        return self._shared(self._total(resource, "resource"))

    def raw(self, metric: str, selector: Selector) -> dict[str, PodMetric]:
        """A custom metric of pods."""
        del selector
        return self._shared(self._total(metric, "custom"))

    def of_object(self, metric: str, reference: Json, selector: Selector) -> int:
        """A metric of some object is the total."""
        del reference, selector
        return _milli(self._total(metric, "custom"))

    def external(self, metric: str, selector: Selector) -> list[int]:
        """So is an external one."""
        del selector
        return [_milli(self._total(metric, "external"))]

    def _total(self, metric: str, api: str) -> float:
        found = self._frame.values.get(metric)
        if found is None:
            raise MetricsError(f"no metrics returned from {api} metrics API")
        if self.load is None:
            self.load = found
        return found

    def _shared(self, total: float) -> dict[str, PodMetric]:
        """The same for each ready replica: an HPA uses sums, so it does not matter whose it is."""
        names = self._replicas.ready(self._now_ns)
        if not names:
            return {}
        part = PodMetric(self._now_ns, _WINDOW_NS, _milli(total / len(names)))
        return dict.fromkeys(names, part)


def _milli(value: float) -> int:
    """Thousandths, rounded up as quantities are, but not for errors of binary fractions."""
    return math.ceil(round(value * _MILLI, 6))


FLAP_NS: Final = 600 * SECOND_NS
"""A rescale that takes back another so soon after it is a flap."""

_SELECTOR: Final = "app=backtest"


def run(
    name: str,
    hpa: Json,
    series: MetricSeries,
    target: BacktestTarget,
    *,
    settings: HpaSettings | None = None,
    startup_ns: int = 0,
) -> BacktestOutcome:
    """What an HPA would have decided, from one sync period after the first row to the last row.

    The total of a metric is what the series says, whatever the HPA does, and is shared evenly by
    the replicas that are ready. New ones are ready after `startup_ns`.
    """
    return _Run(hpa, series, target, settings or HpaSettings(), startup_ns).outcome(name)


class _Run:
    def __init__(
        self,
        hpa: Json,
        series: MetricSeries,
        target: BacktestTarget,
        settings: HpaSettings,
        startup_ns: int,
    ) -> None:
        metadata = {**hpa["metadata"], "namespace": NAMESPACE}
        self._hpa = defaulting.stored({**hpa, "metadata": metadata, "status": {}})
        self._series = series
        self._settings = settings
        self._replicas = BacktestReplicas(target, series.start_ns, startup_ns)
        self._autoscaler = HorizontalAutoscaler(settings)
        self._count = Integral(series.start_ns, len(self._replicas))
        self._syncs: list[Json] = []
        self._decisions: list[BacktestDecision] = []
        self._moves: list[tuple[int, bool]] = []
        self._above_ns = self._at_most_ns = 0

    def outcome(self, name: str) -> BacktestOutcome:
        """Sync until the series ends."""
        every_ns, end_ns = self._settings.sync_period_ns, self._series.end_ns
        for now_ns in range(self._series.start_ns + every_ns, end_ns + 1, every_ns):
            self._sync(now_ns, min(every_ns, end_ns - now_ns))
        self._count.reach(end_ns)
        return BacktestOutcome(name, HPA, self._summary(), self._decisions, self._syncs)

    def _sync(self, now_ns: int, lasts_ns: int) -> None:
        before = len(self._replicas)
        client = MeasuredMetrics(self._series.at(now_ns), self._replicas, now_ns)
        scale = Scale(before, before, _SELECTOR)
        snapshot = Snapshot(scale, self._replicas.objects(now_ns), client)
        found = self._autoscaler.sync(now_ns, self._hpa, snapshot)
        self._hpa = {**self._hpa, "status": found.status.as_json()}
        readings = list(hpa_metrics.readings(self._hpa))
        after = before if found.scaled_to is None else found.scaled_to
        why = [message for _, reason, message in found.events if reason == "SuccessfulRescale"]
        if after != before:
            self._rescale(now_ns, before, after, readings, why[0] if why else "")
        if any(_is_above(each) for each in readings):
            self._above_ns += lasts_ns
        if after >= self._hpa["spec"]["maxReplicas"]:
            self._at_most_ns += lasts_ns
        self._syncs.append(
            {
                "seconds": self._series.seconds(now_ns),
                "load": client.load,
                "replicas": before,
                "recommended": found.recommendation,
                "desired": after,
                "metrics": [
                    {"metric": each.metric, "unit": each.unit, "current": each.current,
                     "target": each.target}
                    for each in readings
                ],
                "error": found.error,
            }
        )  # fmt: skip

    def _rescale(
        self, now_ns: int, before: int, after: int, readings: list[MetricReading], message: str
    ) -> None:
        self._replicas.scale(after, now_ns)
        self._count.add(after - before, now_ns)
        self._moves.append((now_ns, after > before))
        metrics = ", ".join(_described(each) for each in readings if each.current is not None)
        reason = message.partition("reason: ")[2]
        seconds = self._series.seconds(now_ns)
        self._decisions.append(BacktestDecision(seconds, metrics, before, after, reason))

    def _summary(self) -> Json:
        ups = sum(is_up for _, is_up in self._moves)
        flaps = sum(
            is_up != was_up and at_ns - before_ns < FLAP_NS
            for (before_ns, was_up), (at_ns, is_up) in zip(
                self._moves, self._moves[1:], strict=False
            )
        )
        return {
            "rescales": len(self._moves),
            "rescalesUp": ups,
            "rescalesDown": len(self._moves) - ups,
            "flaps": flaps,
            "replicaHours": round(self._count.hours, 6),
            "replicasLowest": self._count.lowest,
            "replicasHighest": self._count.highest,
            "replicasAtEnd": self._count.level,
            "secondsAboveTarget": self._above_ns / SECOND_NS,
            "secondsAtMaximum": self._at_most_ns / SECOND_NS,
            "looksWithoutMetrics": sum(each["error"] is not None for each in self._syncs),
        }


def _is_above(reading: MetricReading) -> bool:
    if reading.current is None or reading.target is None:
        return False
    return reading.current > reading.target


def _described(reading: MetricReading) -> str:
    unit = reading.unit if reading.unit == hpa_metrics.PERCENT else ""
    return f"{reading.metric} {_short(reading.current)}{unit}/{_short(reading.target)}{unit}"


def _short(value: float | None) -> str:
    return "?" if value is None else f"{value:,.6g}"
