"""The state of one sync of a Job, shared by the parts of the loop."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.controllers import pods
from kubestage.controllers.job import intervals
from kubestage.controllers.job.backoff import NO_BACKOFF, Backoff
from kubestage.controllers.job.failure_policy import match_failure_policy
from kubestage.controllers.job.indexes import completion_index, is_valid
from kubestage.controllers.job.job_pods import has_failed, is_tracked
from kubestage.controllers.job.status import JobStatus

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.job.intervals import Intervals


@dataclasses.dataclass(slots=True)
class JobContext:
    """One sync of one Job.

    `active` are the pods that work, `others` have ended or are being deleted. `succeeded` and
    `failed` include what the status does not count yet. `ending` is the condition with which the
    Job is going to be over, once that is known.
    """

    key: str
    job: Json
    spec: Json
    status: JobStatus
    active: list[Json]
    others: list[Json]
    ready: int
    terminating: int
    succeeded: int = 0
    failed: int = 0
    backoff: Backoff = NO_BACKOFF
    previous_indexes: Intervals = intervals.NONE
    succeeded_indexes: Intervals = intervals.NONE
    failed_indexes: Intervals | None = None
    awaiting_replacement: dict[int, Json] = dataclasses.field(default_factory=dict)
    ending: Json | None = None

    @property
    def is_indexed(self) -> bool:
        """Whether each completion has a number."""
        return bool(self.spec.get("completionMode") == "Indexed")

    @property
    def is_suspended(self) -> bool:
        """Whether the Job is to have no pods for now."""
        return bool(self.spec.get("suspend"))

    @property
    def limits_each_index(self) -> bool:
        """Whether each index has a backoff limit of its own."""
        return self.spec.get("backoffLimitPerIndex") is not None

    @property
    def is_going(self) -> bool:
        """Whether the Job is being deleted."""
        return "deletionTimestamp" in self.job["metadata"]

    def has_place(self, pod: Json) -> bool:
        """Whether a pod works for one of the Job's completions."""
        if not self.is_indexed:
            return True
        return is_valid(completion_index(pod), self.spec["completions"])

    def settled_indexes(self) -> Intervals:
        """The indexes that are done, one way or the other."""
        return intervals.merge(self.succeeded_indexes, self.failed_indexes or ())


def examine(key: str, job: Json, some_pods: Iterable[Json], before: Backoff) -> JobContext:
    """Sort a Job's pods and count what has ended since they were last counted."""
    active: list[Json] = []
    others: list[Json] = []
    terminating = 0
    for pod in some_pods:
        is_over = pods.is_terminal(pod)
        is_leaving = "deletionTimestamp" in pod["metadata"]
        (others if is_over or is_leaving else active).append(pod)
        terminating += is_leaving and not is_over
    status = JobStatus.read(job)
    ready = sum(map(pods.is_ready, active))
    context = JobContext(key, job, job["spec"], status, active, others, ready, terminating)
    succeeded, failed = _newly_ended(context)
    policy = context.spec.get("podFailurePolicy")
    counting = sum(1 for pod in failed if match_failure_policy(policy, pod).counts)
    context.succeeded = status.succeeded + len(succeeded) + len(status.uncounted_succeeded)
    context.failed = status.failed + counting + len(status.uncounted_failed)
    context.backoff = before.after(succeeded, failed)
    return context


def _newly_ended(context: JobContext) -> tuple[list[Json], list[Json]]:
    """The pods that succeeded and failed since the status was written."""
    succeeded: list[Json] = []
    failed: list[Json] = []
    for pod in context.others:
        if not is_tracked(pod) or not context.has_place(pod):
            continue
        uid = pod["metadata"]["uid"]
        if pods.phase(pod) == "Succeeded":
            if uid not in context.status.uncounted_succeeded:
                succeeded.append(pod)
        elif has_failed(pod, context.spec) and uid not in context.status.uncounted_failed:
            failed.append(pod)
    return succeeded, failed
