"""QueueLength: how many pods wait to run, sampled at intervals."""

from __future__ import annotations

from typing import Any

from kubestage.measure.framework import (
    NOTHING,
    DataItem,
    Duration,
    Measurement,
    MeasurementResult,
    ObjectCounts,
    PerfData,
    Resource,
    Selecting,
    Selection,
    Series,
    Summary,
    Verdict,
)

SECOND = 1_000_000_000


class QueueLengthParams(Selecting, frozen=True, kw_only=True):
    """The parameters: `interval` for `start`, `threshold` for `gather`."""

    interval: Duration = Duration(SECOND)
    threshold: int | None = None


class QueueLength(Measurement[QueueLengthParams]):
    """Samples the queue between ``start`` and ``gather``, and checks its maximum length."""

    params_type = QueueLengthParams

    def __init__(self, context: Any) -> None:
        super().__init__(context)
        self.interval_ns = SECOND
        self.at_ns: list[int] = []
        self.lengths: list[float] = []
        self.pods: ObjectCounts | None = None
        self.timer: Any = None

    def start(self, params: QueueLengthParams) -> MeasurementResult:
        """Watch the selected pods, and count them at intervals."""
        pods = Resource("v1", "Pod")
        chosen = (params.namespace, params.label_selector, params.field_selector)
        self.pods = ObjectCounts(self.cluster, Selection(pods, *chosen), waits)
        self.interval_ns = params.interval
        self.sample()
        return NOTHING

    def sample(self) -> None:
        """Record the current length of the queue, and schedule the next sample."""
        assert self.pods is not None
        self.at_ns.append(self.now_ns)
        self.lengths.append(self.pods.number_of("waiting"))
        self.timer = self.cluster.moments.at(self.now_ns + self.interval_ns, self.sample)

    def gather(self, params: QueueLengthParams) -> MeasurementResult:
        """One file, one verdict, one series for the chart; an error if the queue was too long."""
        if self.pods is None:
            return MeasurementResult(errors=("QueueLength has not been started",))
        self.dispose()
        longest = max(self.lengths)
        figures = {"Max": longest, "Mean": sum(self.lengths) / len(self.lengths)}
        file = PerfData("1.0", (DataItem(figures, "pods", {"Metric": "queue_length"}),))
        is_long = params.threshold is not None and longest > params.threshold
        verdict = Verdict(
            name="queue length max",
            passed=not is_long,
            value=longest,
            threshold=params.threshold,
            unit="pods",
            samples=len(self.lengths),
        )
        name = f"QueueLength_{self.context.identifier}"
        return MeasurementResult(
            summaries=(Summary(name, file.to_json(), self.cluster.moments.unix_ns),),
            verdicts=(verdict,),
            series=(Series("queue_length", "pods", self.at_ns, self.lengths),),
            errors=(f"queue length: {longest:g} pods waited",) if is_long else (),
        )

    def dispose(self) -> None:
        """Stop the watch and cancel the next sample; also called when a test is interrupted."""
        if self.timer is not None:
            self.timer.cancel()
        if self.pods is not None:
            self.pods.stop()
            self.pods = None


def waits(pod: dict[str, Any]) -> str | None:
    """How a pod is counted: as waiting if it does not run yet, or not at all."""
    return "waiting" if (pod.get("status") or {}).get("phase") == "Pending" else None
