"""JobLifecycleLatency: how long jobs wait to be started, and how long they then take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Resource, Selection
from kubestage.golang import durations
from kubestage.measure import informer, transitions
from kubestage.measure.informer import Informer, key_of
from kubestage.measure.latencies import api_times
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.results import NOTHING, MeasurementResult, Summary, empty_verdict
from kubestage.measure.transitions import Transition, TransitionTimes

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


_JOB: Final = Resource("batch/v1", "Job")
_CREATED: Final = "JobCreated"
_STARTED: Final = "JobStarted"
_COMPLETED: Final = "JobCompleted"
_TRANSITIONS: Final = {
    "create_to_start": Transition(_CREATED, _STARTED),
    "start_to_complete": Transition(_STARTED, _COMPLETED),
}
_MANY: Final = 10


class JobLifecycleParams(Selecting, frozen=True, kw_only=True):
    """The parameters of JobLifecycleLatency; `timeout` is for ``gather``."""

    timeout: Duration = Duration(10 * durations.MINUTE)


class JobLifecycleLatency(Measurement[JobLifecycleParams]):
    """Takes the timestamps of jobs: creation, start, completion.

    When it gathers it waits for all jobs to complete. There is no threshold, and a job that does
    not complete in time is reported and no error.
    """

    params_type = JobLifecycleParams
    needs_start = True
    is_restarted = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._times = TransitionTimes()
        self._jobs: Informer | None = None
        self._uncompleted: dict[str, None] = {}

    def start(self, params: JobLifecycleParams) -> Result:
        """Start to watch."""
        if self._jobs is not None:
            return NOTHING
        selection = Selection(_JOB, params.namespace, params.label_selector, params.field_selector)
        self._jobs = Informer(self.cluster, selection, self._change)
        return self.wait(
            self._is_synced,
            informer.synced,
            every_ns=informer.SYNC_POLL_NS,
            timeout_ns=informer.SYNC_TIMEOUT_NS,
        )

    def gather(self, params: JobLifecycleParams) -> Result:
        """Wait for the jobs to complete, and report how long they took."""
        if self._jobs is None:
            return MeasurementResult(errors=(f"metric {self.context.method} has not been started",))
        return self.wait(
            self._is_completed,
            self._gathered,
            every_ns=durations.SECOND,
            timeout_ns=params.timeout,
            at_once=False,
        )

    def dispose(self) -> None:
        """Stop watching."""
        if self._jobs is not None:
            self._jobs.stop()
            self._jobs = None

    def _is_synced(self) -> bool:
        return self._jobs is not None and self._jobs.is_synced

    def _is_completed(self) -> bool:
        return not self._uncompleted

    def _change(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        del old, at_ns
        if new is None:
            return
        key, status = key_of(new), new.get("status") or {}
        phases = (
            (_CREATED, new["metadata"].get("creationTimestamp")),
            (_STARTED, status.get("startTime")),
            (_COMPLETED, status.get("completionTime")),
        )
        for phase, text in phases:
            reported_ns = api_times.moment_ns(self.cluster.moments, text)
            if reported_ns is not None:
                self._times.set_first(key, phase, reported_ns)
        if self._times.get(key, _COMPLETED) is None:
            self._uncompleted[key] = None
        else:
            self._uncompleted.pop(key, None)

    def _gathered(self, is_completed: bool) -> MeasurementResult:
        del is_completed
        self.dispose()
        observed = {name: self._times.observed(each) for name, each in _TRANSITIONS.items()}
        metrics = {name: each.metric for name, each in observed.items()}
        name = f"JobLifecycleLatency_{self.context.identifier}"
        content = transitions.to_perf_data(metrics).to_json()
        late = sorted(self._uncompleted)
        warnings: tuple[str, ...] = ()
        if late:
            more = f" and {len(late) - _MANY} more" if len(late) > _MANY else ""
            warnings = (f"{len(late)} jobs did not complete: {', '.join(late[:_MANY])}{more}",)
        return MeasurementResult(
            summaries=(Summary(name, content, self.cluster.moments.unix_ns),),
            verdicts=()
            if any(each.count for each in observed.values())
            else (empty_verdict(name),),
            latencies=tuple(each.to_latencies(name) for name, each in observed.items()),
            warnings=warnings,
        )
