"""The loop of Jobs: its handlers, and one sync of a Job."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.controller import Controller
from kubestage.controllers.job import conditions, ending
from kubestage.controllers.job.backoff import NO_BACKOFF, Backoff
from kubestage.controllers.job.context import examine
from kubestage.controllers.job.job_pods import TRACKING, JobPods, is_tracked
from kubestage.controllers.job.replicas import Replicas, ReplicasResult
from kubestage.controllers.job.selecting import SelectingJobs
from kubestage.controllers.job.tracking import JOB, Tracking
from kubestage.controllers.ownership import Claims, controller_of, labels_of
from kubestage.errors import ApiError
from kubestage.objects import labels, timestamps
from kubestage.store.event_recorder import NORMAL
from kubestage.store.log import ADDED, DELETED
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.controller import Cluster, Handlers
    from kubestage.controllers.job.context import JobContext
    from kubestage.store.log import Change


BATCH_NS: Final = SECOND_NS
"""How long changes of pods are collected before their Job is looked at."""

_FIRST_RETRY_NS: Final = SECOND_NS
_LAST_RETRY_NS: Final = 60 * SECOND_NS
_MANAGER: Final = "kubernetes.io/job-controller"
_POD: Final = "pod "
"""Before the key of a pod that may have to be let go, among the keys of Jobs."""


class JobController(Controller):
    """Runs the pods of Jobs to their end."""

    name = "job-controller"

    def __init__(self, cluster: Cluster) -> None:
        super().__init__(cluster)
        self._jobs = self.store.read(JOB)
        self._pods = JobPods()
        self._selecting = SelectingJobs()
        self._replicas = Replicas(self.store, self.events, self.allowance)
        self._tracking = Tracking(self.store, self.events, self._replicas)
        self._backoffs: dict[str, Backoff] = {}
        self._failures: dict[str, int] = {}
        # Jobs whose selector may match others than the pods known to be theirs.
        self._to_claim: set[str] = set()
        self._is_creating = False

    def handlers(self) -> Handlers:
        """Jobs, and all pods."""
        return {("batch", "Job"): self._on_job, ("", "Pod"): self._on_pod}

    def sync(self, key: str) -> None:
        """Sync a Job, or a pod that has lost its Job."""
        try:
            if key.startswith(_POD):
                self._let_go(key.removeprefix(_POD))
            else:
                self._sync_job(key)
        except ApiError:
            # More patience than other loops have: each attempt may be for hundreds of pods.
            failures = self._failures.get(key, 0)
            self._failures[key] = failures + 1
            self.queue.add_after(key, min(_FIRST_RETRY_NS << min(failures, 6), _LAST_RETRY_NS))
        else:
            self._failures.pop(key, None)

    def _on_job(self, change: Change) -> None:
        key, job, old = change.key, change.new, change.old
        if change.type == DELETED:
            self._selecting.remove(key, job)
            self._forget(key)
            self._release_pods(job)
            self.queue.add(key)
        elif old is None or change.type == ADDED:
            self._selecting.add(key, job)
            self._to_claim.add(key)
            self.queue.add(key)
        elif conditions.finished(job) is not None:
            self._release_pods(job)
        else:
            is_same = job["metadata"].get("generation") == old["metadata"].get("generation")
            self.queue.add_after(key, BATCH_NS if is_same else 0)

    def _on_pod(self, change: Change) -> None:
        pod, old = change.new, change.old
        reference = controller_of(pod)
        before = reference
        if old is not None:
            was, now = old["metadata"], pod["metadata"]
            if was.get("ownerReferences") is not now.get("ownerReferences"):
                before = controller_of(old)
        is_ours, was_ours = _is_job(reference), _is_job(before)
        if not is_ours and not was_ours:
            if reference is None:
                self._on_orphan(change, has_lost_owner=before is not None)
            return
        self._pods.observe(change, _uid(reference), _uid(before))
        if change.type == DELETED or "deletionTimestamp" in pod["metadata"]:
            self._on_leaving(change, reference)
            return
        has_changed = before != reference
        if has_changed and was_ours:
            self._sync_soon(change, before, claim=True)
        if is_ours:
            is_foreign = not self._is_creating if old is None else labels_of(pod) != labels_of(old)
            self._sync_soon(change, reference, claim=has_changed or is_foreign)
        elif reference is None:
            self._on_orphan(change, has_lost_owner=True)

    def _on_leaving(self, change: Change, reference: Json | None) -> None:
        """A pod of a Job is gone or being deleted; if its Job will not let it go, we must."""
        job = self._job_of(change.new, reference)
        if job is not None and conditions.finished(job) is None:
            self.queue.add_after(_key(job), BATCH_NS)
        elif change.type != DELETED and is_tracked(change.new):
            self.queue.add(_POD + change.key)

    def _on_orphan(self, change: Change, *, has_lost_owner: bool) -> None:
        """A pod without a controller: a Job may adopt it, and none counts it until then."""
        pod, old = change.new, change.old
        if change.type == DELETED:
            return
        if is_tracked(pod):
            self.queue.add(_POD + change.key)
        if "deletionTimestamp" in pod["metadata"]:
            return
        if old is None or has_lost_owner or labels_of(pod) != labels_of(old):
            for key in self._selecting.jobs_of(pod):
                self._to_claim.add(key)
                self.queue.add_after(key, BATCH_NS)

    def _sync_soon(self, change: Change, reference: Json | None, *, claim: bool) -> None:
        job = self._job_of(change.new, reference)
        if job is not None:
            key = _key(job)
            if claim:
                self._to_claim.add(key)
            self.queue.add_after(key, BATCH_NS)

    def _job_of(self, pod: Json, reference: Json | None) -> Json | None:
        """The very Job that a reference means."""
        if reference is None or reference["kind"] != "Job":
            return None
        job = self._jobs.get(f"{pod['metadata']['namespace']}/{reference['name']}")
        return job if job is not None and job["metadata"]["uid"] == reference["uid"] else None

    def _release_pods(self, job: Json) -> None:
        """Have the pods let go that a Job has left behind."""
        for pod in self._pods.pods_of(job["metadata"]["uid"]):
            if is_tracked(pod):
                self.queue.add(_POD + _key(pod))

    def _let_go(self, key: str) -> None:
        pod = self.lister.get(pods.POD, key)
        if pod is None:
            return
        reference = controller_of(pod)
        if reference is not None:
            if (reference["apiVersion"], reference["kind"]) != JOB:
                return
            job = self._job_of(pod, reference)
            if job is not None and (_is_managed_elsewhere(job) or not conditions.finished(job)):
                return
        self._replicas.release(pod)

    def _forget(self, key: str) -> None:
        self._backoffs.pop(key, None)
        self._to_claim.discard(key)

    def _sync_job(self, key: str) -> None:
        job = self._jobs.get(key)
        if job is None or conditions.finished(job) is not None:
            self._forget(key)
            return
        if _is_managed_elsewhere(job):
            return
        if key in self._to_claim:
            self._claim(key, job)
        now_unix_ns = self.clock.unix_ns
        now = timestamps.format_time(now_unix_ns)
        before = self._backoffs.get(key, NO_BACKOFF)
        context = examine(key, job, self._pods.pods_of(job["metadata"]["uid"]), before)
        status = context.status
        if status.start_ns is None and not context.is_suspended:
            status.start_ns = now_unix_ns
        ending.evaluate(context, now_unix_ns, now)
        outcome, changed = self._act(context, now_unix_ns, now)
        counts = (outcome.active, context.ready, context.terminating)
        changed |= counts != (status.active, status.ready, status.terminating)
        status.active, status.ready, status.terminating = counts
        if self._tracking.track(context, changed=changed, now=now):
            self._backoffs[key] = context.backoff
        if outcome.error is not None:
            raise outcome.error

    def _claim(self, key: str, job: Json) -> None:
        """Take the pods that the Job selects, and leave those that it does not."""
        metadata = job["metadata"]
        selector = labels.from_label_selector(job["spec"]["selector"])
        found = self.lister.owned(pods.POD, metadata["uid"])
        found += self.lister.selected(pods.POD, metadata["namespace"], selector)
        each_once = {_key(pod): pod for pod in found}
        Claims(self.store, job, selector, finalizers=(TRACKING,)).claim(each_once.values())
        self._to_claim.discard(key)

    def _act(self, context: JobContext, now_unix_ns: int, now: str) -> tuple[ReplicasResult, bool]:
        """Make and delete pods; what came of it, and whether the Job was suspended or resumed."""
        if context.ending is not None:
            outcome = self._replicas.delete_active(context)
            if outcome.active:
                context.ending = None
            return outcome, False
        due_ns = ending.deadline_ns(context)
        if due_ns is not None:
            self.queue.add_at(context.key, due_ns)
        outcome = ReplicasResult(len(context.active))
        if not context.is_going:
            outcome = self._manage(context, now_unix_ns)
        if ending.is_complete(context, outcome.active):
            context.ending = ending.completed(now)
            return outcome, False
        return outcome, not context.is_going and self._record_suspension(context, now_unix_ns, now)

    def _manage(self, context: JobContext, now_unix_ns: int) -> ReplicasResult:
        self._is_creating = True
        try:
            outcome = self._replicas.manage(context, now_unix_ns)
        finally:
            self._is_creating = False
        if outcome.wait_ns:
            self.queue.add_after(context.key, max(outcome.wait_ns, BATCH_NS))
        return outcome

    def _record_suspension(self, context: JobContext, now_unix_ns: int, now: str) -> bool:
        """Record that a Job was suspended or resumed, which restarts its time."""
        status = context.status
        state_name = "suspended" if context.is_suspended else "resumed"
        state = conditions.TRUE if context.is_suspended else conditions.FALSE
        reason, message = state_name.capitalize(), f"Job {state_name}"
        condition = conditions.new(conditions.SUSPENDED, state, f"Job{reason}", message, now)
        updated = conditions.ensure(status.conditions, condition)
        if updated is None:
            return False
        status.conditions = updated
        status.start_ns = None if context.is_suspended else now_unix_ns
        self.events.event(context.job, NORMAL, reason, message)
        return True


def _key(obj: Json) -> str:
    return f"{obj['metadata']['namespace']}/{obj['metadata']['name']}"


def _is_job(reference: Json | None) -> bool:
    return reference is not None and reference["kind"] == "Job"


def _uid(reference: Json | None) -> str | None:
    return reference["uid"] if reference is not None and reference["kind"] == "Job" else None


def _is_managed_elsewhere(job: Json) -> bool:
    return job["spec"].get("managedBy") not in (None, _MANAGER)
