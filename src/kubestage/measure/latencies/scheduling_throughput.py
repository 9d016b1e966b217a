"""SchedulingThroughput: how many pods are scheduled per second."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure import informer, percentiles, perf_data
from kubestage.measure.informer import ObjectCounts
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.results import (
    NOTHING,
    MeasurementResult,
    PendingResult,
    Series,
    Summary,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from kubestage.aliases import Json
    from kubestage.cluster.access import Timer
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


_POD: Final = Resource("v1", "Pod")
_SCHEDULED: Final = "scheduled"
_INTERVAL_NS: Final = 5 * durations.SECOND


class SchedulingThroughputParams(Selecting, frozen=True, kw_only=True):
    """The parameters of SchedulingThroughput.

    ClusterLoader2 misspelt the interval; both spellings are read.
    """

    measurment_interval: Duration | None = None
    measurement_interval: Duration | None = None
    threshold: float = 0.0
    enable_violations: bool = True

    @property
    def interval_ns(self) -> int:
        """How long each sample takes."""
        interval = self.measurement_interval or self.measurment_interval
        return interval or _INTERVAL_NS

    def problems(self) -> Iterator[InputError]:
        """Between two samples is some time."""
        if self.action == "start" and self.interval_ns < durations.MILLISECOND:
            yield InputError(
                "the interval is too short",
                path="params.measurmentInterval",
                fix='write 1ms or more, as in "5s"',
            )


class SchedulingThroughput(Measurement[SchedulingThroughputParams]):
    """Counts scheduled pods at intervals; the best interval is compared with the threshold."""

    params_type = SchedulingThroughputParams
    needs_start = True
    is_restarted = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._pods: ObjectCounts | None = None
        self._timer: Timer | None = None
        self._interval_ns = _INTERVAL_NS
        self._last = 0
        self._at_ns: list[int] = []
        self._values: list[float] = []
        self._started = PendingResult()

    def start(self, params: SchedulingThroughputParams) -> Result:
        """Start to count."""
        if self._pods is not None:
            return NOTHING
        params.check()
        self._interval_ns, self._last = params.interval_ns, 0
        self._at_ns, self._values, self._started = [], [], PendingResult()
        selection = Selection(_POD, params.namespace, params.label_selector, params.field_selector)
        self._pods = ObjectCounts(self.cluster, selection, _scheduled)
        synced = self.wait(
            self._is_synced,
            informer.synced,
            every_ns=informer.STORE_POLL_NS,
            timeout_ns=informer.SYNC_TIMEOUT_NS,
        )
        synced.then(self._begin)
        return self._started

    def gather(self, params: SchedulingThroughputParams) -> Result:
        """Stop counting and report the throughput."""
        if self._pods is None:
            return MeasurementResult(errors=("measurement is not running",))
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
        return MeasurementResult(
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
        """Stop counting."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._pods is not None:
            self._pods.stop()
            self._pods = None

    def _is_synced(self) -> bool:
        return self._pods is not None and self._pods.is_synced

    def _begin(self, result: MeasurementResult) -> None:
        if not result.errors:
            self._rest()
        self._started.resolve(result)

    def _rest(self) -> None:
        self._timer = self.cluster.moments.at(self.now_ns + self._interval_ns, self._poll)

    def _poll(self) -> None:
        if self._pods is None:
            return
        count = self._pods.number_of(_SCHEDULED)
        seconds = self._interval_ns / durations.SECOND
        self._at_ns.append(self.now_ns)
        self._values.append((count - self._last) / seconds)
        self._last = count
        self._rest()


def _scheduled(pod: Json) -> Hashable | None:
    """A pod counts while it has a node and is not terminating."""
    if pod["metadata"].get("deletionTimestamp") is not None:
        return None
    return _SCHEDULED if (pod.get("spec") or {}).get("nodeName") else None
