"""WaitForFinishedJobs: until all jobs of a selection have completed or failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cluster.access import Call, Resource, Selection
from kubestage.golang import durations
from kubestage.measure import informer
from kubestage.measure.informer import Informer, key_of
from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Duration, Selecting
from kubestage.measure.results import NOTHING, MeasurementResult, PendingResult

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.cluster.access import Answer
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


JOB: Final = Resource("batch/v1", "Job")
_EVERY_NS: Final = durations.SECOND
_MANY: Final = 10


class FinishedJobsParams(Selecting, frozen=True, kw_only=True):
    """The parameters of WaitForFinishedJobs."""

    timeout: Duration = Duration(10 * durations.MINUTE)


class WaitForFinishedJobs(Measurement[FinishedJobsParams]):
    """Observes which jobs finish, and waits for those that exist when it gathers.

    A job that failed has finished. One that finished and was deleted since still counts.
    """

    params_type = FinishedJobsParams
    needs_start = True

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._jobs: Informer | None = None
        self._params = FinishedJobsParams()
        self._finished: dict[str, str] = {}
        self._awaited: dict[str, None] = {}
        self._unfinished: dict[str, None] = {}

    def start(self, params: FinishedJobsParams) -> Result:
        """Start to watch; the wait ends when the watch has delivered all existing jobs."""
        if self._jobs is not None:
            return NOTHING
        self._params = params
        selection = Selection(JOB, params.namespace, params.label_selector, params.field_selector)
        self._jobs = Informer(self.cluster, selection, self._change)
        return self.wait(
            self._is_synced,
            informer.synced,
            every_ns=informer.SYNC_POLL_NS,
            timeout_ns=informer.SYNC_TIMEOUT_NS,
        )

    def gather(self, params: FinishedJobsParams) -> Result:
        """Wait for the jobs that exist now."""
        if self._jobs is None:
            name = self.context.method
            return MeasurementResult(errors=(f"{name}: wait for finished jobs was not started",))
        return _Gathering(self, self._params, params.timeout).pending

    def dispose(self) -> None:
        """Stop watching."""
        if self._jobs is not None:
            self._jobs.stop()
            self._jobs = None

    def expect(self, keys: list[str]) -> None:
        """Which jobs are waited for."""
        self._awaited = dict.fromkeys(keys)
        self._unfinished = {key: None for key in keys if key not in self._finished}

    def is_finished(self) -> bool:
        """Whether all that are waited for have finished."""
        return not self._unfinished

    def gathered(self, is_finished: bool) -> MeasurementResult:
        """Which jobs have not finished in time; those that failed are reported as well."""
        failed = [key for key in self._awaited if self._finished.get(key) == "Failed"]
        warnings = (f"{len(failed)} Jobs failed: {_some(failed)}",) if failed else ()
        if is_finished:
            return MeasurementResult(warnings=warnings)
        late = sorted(self._unfinished)
        return MeasurementResult(
            errors=(f"{len(late)} Jobs timed out: {', '.join(late)}",), warnings=warnings
        )

    def _is_synced(self) -> bool:
        return self._jobs is not None and self._jobs.is_synced

    def _change(self, old: Json | None, new: Json | None, at_ns: int) -> None:
        del at_ns
        job = old if new is None else new
        assert job is not None
        ended = _ended_as(job)
        if ended:
            key = key_of(job)
            self._finished[key] = ended
            self._unfinished.pop(key, None)


class _Gathering:
    """Lists the jobs, and waits for them."""

    def __init__(
        self, measurement: WaitForFinishedJobs, params: FinishedJobsParams, timeout_ns: int
    ) -> None:
        self.pending = PendingResult()
        self._measurement = measurement
        self._timeout_ns = timeout_ns
        call = Call(
            verb="list",
            resource=JOB,
            namespace=params.namespace,
            label_selector=params.label_selector,
            field_selector=params.field_selector,
        )
        measurement.cluster.call(call, self._listed)

    def _listed(self, answer: Answer) -> None:
        if answer.error is not None:
            self.pending.resolve(MeasurementResult(errors=(f"listing jobs: {answer.error}",)))
            return
        measurement = self._measurement
        measurement.expect([key_of(job) for job in (answer.object or {}).get("items") or ()])
        waited = measurement.wait(
            measurement.is_finished,
            measurement.gathered,
            every_ns=_EVERY_NS,
            timeout_ns=self._timeout_ns,
            at_once=False,
        )
        waited.then(self.pending.resolve)


def _ended_as(job: Json) -> str:
    """``Complete`` or ``Failed``; empty for a job that has not finished."""
    for condition in (job.get("status") or {}).get("conditions") or ():
        if condition.get("status") == "True" and condition.get("type") in ("Complete", "Failed"):
            return str(condition["type"])
    return ""


def _some(keys: list[str]) -> str:
    names = sorted(keys)
    more = f" and {len(names) - _MANY} more" if len(names) > _MANY else ""
    return ", ".join(names[:_MANY]) + more
