"""A HorizontalPodAutoscaler before what was measured, look by look."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.backtest.measured import Measured
from kubestage.backtest.outcome import HPA, Decision, Outcome
from kubestage.backtest.target import NAMESPACE, Replicas
from kubestage.controllers.hpa.reconcile import Autoscaler
from kubestage.controllers.hpa.settings import HpaSettings
from kubestage.controllers.hpa.surroundings import Scale, Snapshot
from kubestage.objects import defaulting
from kubestage.results.life import hpa_metrics
from kubestage.results.life.integral import Integral
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.backtest.series import Series
    from kubestage.backtest.target import Target
    from kubestage.results.life.hpa_metrics import Reading


FLAP_NS: Final = 600 * 1_000_000_000
"""A rescale that takes back another so soon after it is a flap."""

_SELECTOR: Final = "app=backtest"


def run(
    name: str,
    hpa: Json,
    series: Series,
    target: Target,
    *,
    settings: HpaSettings | None = None,
    startup_ns: int = 0,
) -> Outcome:
    """What an HPA would have decided, from one sync period after the first row to the last row.

    The total of a metric is what the series says, whatever the HPA does, and is shared evenly by
    the replicas that are ready. New ones are ready after `startup_ns`.
    """
    return _Run(hpa, series, target, settings or HpaSettings(), startup_ns).outcome(name)


class _Run:
    def __init__(
        self, hpa: Json, series: Series, target: Target, settings: HpaSettings, startup_ns: int
    ) -> None:
        metadata = {**hpa["metadata"], "namespace": NAMESPACE}
        self._hpa = defaulting.stored({**hpa, "metadata": metadata, "status": {}})
        self._series = series
        self._settings = settings
        self._replicas = Replicas(target, series.start_ns, startup_ns)
        self._autoscaler = Autoscaler(settings)
        self._count = Integral(series.start_ns, len(self._replicas))
        self._looks: list[Json] = []
        self._decisions: list[Decision] = []
        self._moves: list[tuple[int, bool]] = []
        self._above_ns = self._at_most_ns = 0

    def outcome(self, name: str) -> Outcome:
        """Look until the series ends."""
        every_ns, end_ns = self._settings.sync_period_ns, self._series.end_ns
        for now_ns in range(self._series.start_ns + every_ns, end_ns + 1, every_ns):
            self._look(now_ns, min(every_ns, end_ns - now_ns))
        self._count.reach(end_ns)
        return Outcome(name, HPA, self._summary(), self._decisions, self._looks)

    def _look(self, now_ns: int, lasts_ns: int) -> None:
        before = len(self._replicas)
        client = Measured(self._series.at(now_ns), self._replicas, now_ns)
        scale = Scale(before, before, _SELECTOR)
        around = Snapshot(scale, self._replicas.objects(now_ns), client)
        found = self._autoscaler.sync(now_ns, self._hpa, around)
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
        self._looks.append(
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
        self, now_ns: int, before: int, after: int, readings: list[Reading], message: str
    ) -> None:
        self._replicas.scale(after, now_ns)
        self._count.add(after - before, now_ns)
        self._moves.append((now_ns, after > before))
        told = ", ".join(_told(each) for each in readings if each.current is not None)
        reason = message.partition("reason: ")[2]
        seconds = self._series.seconds(now_ns)
        self._decisions.append(Decision(seconds, told, before, after, reason))

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
            "looksWithoutMetrics": sum(each["error"] is not None for each in self._looks),
        }


def _is_above(reading: Reading) -> bool:
    if reading.current is None or reading.target is None:
        return False
    return reading.current > reading.target


def _told(reading: Reading) -> str:
    unit = reading.unit if reading.unit == hpa_metrics.PERCENT else ""
    return f"{reading.metric} {_short(reading.current)}{unit}/{_short(reading.target)}{unit}"


def _short(value: float | None) -> str:
    return "?" if value is None else f"{value:,.6g}"
