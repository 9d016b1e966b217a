"""Counting each pod exactly once: its uid is written down before its finalizer goes.

Only what has gone from there into the numbers is counted, so nothing is lost or counted twice
whatever happens in between.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.job import conditions, ending, indexes, intervals
from kubestage.controllers.job.failure_policy import match_failure_policy
from kubestage.controllers.job.job_pods import has_failed, is_tracked
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.job.context import JobContext
    from kubestage.controllers.job.replicas import Replicas
    from kubestage.store.event_recorder import EventRecorder
    from kubestage.store.store import Store


JOB: Final = ("batch/v1", "Job")
MOST_UNCOUNTED: Final = 500
"""How many pods are counted at one look at most, which bounds the size of a status."""


class Tracking:
    """Writes the status of Jobs and lets go of their pods."""

    def __init__(self, store: Store, events: EventRecorder, replicas: Replicas) -> None:
        self._store = store
        self._events = events
        self._replicas = replicas

    def track(self, context: JobContext, *, changed: bool, now: str) -> bool:
        """Count what has ended and finish the Job if it is over; whether anything was written.

        With `changed` the status is written in any case.
        """
        status = context.status
        held = {pod["metadata"]["uid"] for pod in context.others if is_tracked(pod)}
        changed |= status.count_released(held)
        leaving = _Leaving(context)
        changed |= leaving.changed
        if context.is_indexed:
            changed |= _write_indexes(context, leaving.succeeded_indexes)
        changed |= _announce(context, now)
        flushed = changed
        if changed:
            self._flush(context)
        for pod in leaving.pods:
            self._replicas.release(pod)
            held.discard(pod["metadata"]["uid"])
        changed = status.count_released(held)
        is_over = not leaving.is_cut_short and _finish(context, now)
        if changed or is_over:
            self._flush(context)
            if is_over:
                self._report(context)
        return flushed

    def _flush(self, context: JobContext) -> None:
        self._store.record_status(JOB, context.key, context.status.as_json())

    def _report(self, context: JobContext) -> None:
        assert context.ending is not None
        job, condition = context.job, context.ending
        if condition["type"] == conditions.FAILED:
            self._events.event(job, WARNING, condition["reason"], condition["message"])
            return
        completions = context.spec.get("completions")
        if completions is not None and context.status.succeeded > completions:
            text = "Too many succeeded pods running after completion count reached"
            self._events.event(job, WARNING, "TooManySucceededPods", text)
        self._events.event(job, NORMAL, "Completed", "Job completed")


class _Leaving:
    """The pods whose finalizer may go; those that count are added to the status."""

    def __init__(self, context: JobContext) -> None:
        self.pods: list[Json] = []
        self.succeeded_indexes: list[int] = []
        self.changed = False
        self.is_cut_short = False
        self._context = context
        self._fails_rest = (
            context.ending is not None and context.ending["type"] != conditions.SUCCESS_CRITERIA_MET
        )
        status = context.status
        self._succeeded = set(status.uncounted_succeeded)
        self._failed = set(status.uncounted_failed)
        found = context.others
        if context.is_going or context.ending is not None:
            found = [*context.active, *found]
        if context.is_indexed:
            found = sorted(found, key=indexes.completion_index)
        for pod in found:
            if is_tracked(pod):
                self._classify(pod)
                counted = len(status.uncounted_succeeded) + len(status.uncounted_failed)
                if counted + len(self.succeeded_indexes) >= MOST_UNCOUNTED:
                    self.is_cut_short = True
                    break

    def _classify(self, pod: Json) -> None:
        failed = has_failed(pod, self._context.spec)
        if not _may_leave(self._context, pod, failed=failed):
            return
        self.pods.append(pod)
        uid = pod["metadata"]["uid"]
        if pods.phase(pod) == "Succeeded" and uid not in self._failed:
            self._add_succeeded(pod, uid)
        elif (failed or self._fails_rest) and uid not in self._failed:
            self._add_failed(pod, uid)

    def _add_succeeded(self, pod: Json, uid: str) -> None:
        context = self._context
        if not context.is_indexed:
            if uid not in self._succeeded:
                context.status.uncounted_succeeded.append(uid)
                self.changed = True
            return
        index = indexes.completion_index(pod)
        if context.has_place(pod) and not intervals.has(context.previous_indexes, index):
            self.succeeded_indexes.append(index)
            self.changed = True

    def _add_failed(self, pod: Json, uid: str) -> None:
        context = self._context
        policy = context.spec.get("podFailurePolicy")
        if context.has_place(pod) and match_failure_policy(policy, pod).counts:
            context.status.uncounted_failed.append(uid)
            self.changed = True


def _may_leave(context: JobContext, pod: Json, *, failed: bool) -> bool:
    """Whether a pod need not be held: it is counted now, or it does not matter any more."""
    if context.is_going or context.ending is not None:
        return True
    if pods.phase(pod) == "Succeeded":
        return True
    if not failed or not context.limits_each_index:
        return failed
    awaiting = context.awaiting_replacement.get(indexes.completion_index(pod))
    return awaiting is None or awaiting["metadata"]["uid"] != pod["metadata"]["uid"]


def _write_indexes(context: JobContext, newly: list[int]) -> bool:
    status = context.status
    context.succeeded_indexes = intervals.with_indexes(context.succeeded_indexes, newly)
    completed = intervals.text(context.succeeded_indexes)
    failed = None
    if context.failed_indexes is not None:
        failed = intervals.text(context.failed_indexes)
    changed = (completed, failed) != (status.completed_indexes, status.failed_indexes)
    status.succeeded = intervals.total(context.succeeded_indexes)
    status.completed_indexes, status.failed_indexes = completed, failed
    return changed


def _announce(context: JobContext, now: str) -> bool:
    """Write down how the Job is going to end, before the pods that show why may go."""
    announced, status = context.ending, context.status
    if announced is None:
        return False
    if announced["type"] == conditions.FAILURE_TARGET:
        context.ending = ending.failed_for(announced, now)
    elif announced["type"] == conditions.SUCCESS_CRITERIA_MET:
        reason, message = announced.get("reason", ""), announced.get("message", "")
        complete = conditions.new(conditions.COMPLETE, conditions.TRUE, reason, message, now)
        context.ending = complete
        met = conditions.find(status.conditions, conditions.SUCCESS_CRITERIA_MET)
        if met is not None and met["status"] == conditions.TRUE:
            return False
    else:
        return False
    status.conditions = [*status.conditions, announced]
    return True


def _finish(context: JobContext, now: str) -> bool:
    """Say that the Job is over, unless pods are still to be counted or to end."""
    status, final = context.status, context.ending
    if final is None or status.uncounted_succeeded or status.uncounted_failed:
        return False
    if context.terminating:
        return False
    status.conditions = conditions.ensure(status.conditions, final) or status.conditions
    if final["type"] == conditions.COMPLETE:
        status.completion_time = now
    return True
