"""SchedulingThroughput: how many pods are scheduled per second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.measure import informer, percentiles, perf_data
from kubestage.measure.informer import Tally
from kubestage.measure.measurement import Measurement
from kubestage.measure.outcome import NOTHING, Later, Outcome, Series, Summary, Verdict
from kubestage.measure.params import Duration, Selecting
from kubestage.objects import durations

if TYPE_CHECKING:
    from collections.abc import Hashable

    from kubestage.aliases import Json
    from kubestage.cluster.access import Timer
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Result


_POD: Final = Resource("v1", "Pod")
_SCHEDULED: Final = "scheduled"
_INTERVAL_NS: Final = 5 * durations.SECOND


class SchedulingThroughputParams(Selecting, frozen=True, kw_only=True):
    """What SchedulingThroughput is told.

    The interval has been misspelt from the beginning; both spellings are read.
    """

    measurment_interval: Duration | None = None
    measurement_interval: Duration | None = None
    threshold: float = 0.0
    enable_violations: bool = True

    @property
    def interval_ns(self) -> int:
        """How long each sample takes."""
        given = self.measurement_interval or self.measurment_interval
        return given or _INTERVAL_NS


class SchedulingThroughput(Measurement[SchedulingThroughputParams]):
    """Counts scheduled pods at intervals; the best interval is held against the threshold."""

    params_type = SchedulingThroughputParams

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._pods: Tally | None = None
        self._timer: Timer | None = None
        self._interval_ns = _INTERVAL_NS
        self._last = 0
        self._at_ns: list[int] = []
        self._values: list[float] = []
        self._started = Later()

    def start(self, params: SchedulingThroughputParams) -> Result:
        """Begin to count."""
        if self._pods is not None:
            return NOTHING
        if params.interval_ns < durations.MILLISECOND:
            return Outcome(errors=("measurmentInterval is too short",))
        self._interval_ns, self._last = params.interval_ns, 0
        self._at_ns, self._values, self._started = [], [], Later()
        selection = Selection(_POD, params.namespace, params.label_selector, params.field_selector)
        self._pods = Tally(self.cluster, selection, _scheduled)
        synced = self.wait(
            self._is_synced,
            informer.synced,
            every_ns=informer.STORE_LOOK_NS,
            timeout_ns=informer.SYNC_TIMEOUT_NS,
        )
        synced.then(self._begin)
        return self._started

    def gather(self, params: SchedulingThroughputParams) -> Result:
        """Stop counting and say how fast it went."""
        if self._pods is None:
            return Outcome(errors=("measurement is not running",))
        self.dispose()
        ordered = sorted(self._values)
        figures = {
            f"perc{percent}": percentiles.nearest_rank(ordered, percent) if ordered else 0.0
            for percent in (50, 90, 99)
        }
        most = figures["max"] = ordered[-1] if ordered else 0.0
        is_missed = params.threshold > 0 and most < params.threshold
        error = (
            f"scheduler throughput: actual throughput {most:f} lower than threshold "
            f"{params.threshold:f}"
        )
        verdict = Verdict(
            name="scheduling throughput max",
            passed=not is_missed,
            value=most if ordered else None,
            threshold=params.threshold or None,
            unit="pods/s",
            samples=len(ordered),
            is_upper=False,
            is_enforced=params.enable_violations,
        )
        return Outcome(
            summaries=(
                Summary(
                    "SchedulingThroughput",
                    perf_data.pretty(figures),
                    self.cluster.moments.unix_ns,
                ),
            ),
            verdicts=(verdict,),
            series=(Series("scheduling_throughput", "pods/s", self._at_ns, self._values),),
            errors=(error,) if is_missed and params.enable_violations else (),
        )

    def dispose(self) -> None:
        """Count no further."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pods is not None:
            self._pods.stop()
            self._pods = None

    def _is_synced(self) -> bool:
        return self._pods is not None and self._pods.is_synced

    def _begin(self, outcome: Outcome) -> None:
        if not outcome.errors:
            self._rest()
        self._started.resolve(outcome)

    def _rest(self) -> None:
        self._timer = self.cluster.moments.at(self.now_ns + self._interval_ns, self._look)

    def _look(self) -> None:
        if self._pods is None:
            return
        count = self._pods.of(_SCHEDULED)
        seconds = self._interval_ns / durations.SECOND
        self._at_ns.append(self.now_ns)
        self._values.append((count - self._last) / seconds)
        self._last = count
        self._rest()


def _scheduled(pod: Json) -> Hashable | None:
    """A pod counts while it has a node and is not on its way out."""
    if pod["metadata"].get("deletionTimestamp") is not None:
        return None
    return _SCHEDULED if (pod.get("spec") or {}).get("nodeName") else None
