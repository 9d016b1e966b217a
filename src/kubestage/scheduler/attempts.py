"""Attempts at the pods of the queue, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.failure_handler import Failure
from kubestage.scheduler.preemption import report
from kubestage.scheduler.quick import kernels
from kubestage.scheduler.quick.attempt import QuickAttempt
from kubestage.scheduler.status import SUCCESS
from kubestage.store.event_recorder import WARNING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.scheduler.attempt import Attempt
    from kubestage.scheduler.binding_cycle import BindingCycle
    from kubestage.scheduler.bindings import Bindings
    from kubestage.scheduler.cache import Cache
    from kubestage.scheduler.client import StoreClient
    from kubestage.scheduler.cycle import Cycle
    from kubestage.scheduler.queue import QueuedPod, SchedulingQueue
    from kubestage.scheduler.quick.backdrop import Backdrop
    from kubestage.scheduler.quick.rejections import Alike
    from kubestage.scheduler.record import Record
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.timing import Timekeeper


class Attempts:
    """Takes pods from the queue and looks for a node for each."""

    def __init__(
        self,
        profiles: Mapping[str, Profile],
        cache: Cache,
        queue: SchedulingQueue,
        client: StoreClient,
        cycle: Cycle,
        binding: BindingCycle,
        bindings: Bindings,
        record: Record,
        time: Timekeeper,
        backdrop: Backdrop,
    ) -> None:
        self._profiles = profiles
        self._cache = cache
        self._queue = queue
        self._client = client
        self._cycle = cycle
        self._binding = binding
        self._bindings = bindings
        self._record = record
        self._time = time
        self._backdrop = backdrop

    def next_pod(self) -> QueuedPod | None:
        """The pod to try now; None if there is none."""
        while (queued := self._queue.pop()) is not None:
            if not self._is_passed_over(queued):
                return queued
        return None

    def try_next(self) -> int:
        """Try the next pod in the fastest way; how many were tried, one or none."""
        queued = self.next_pod()
        if queued is None:
            return 0
        self._schedule_quickly(queued)
        return 1

    def schedule(
        self, queued: QueuedPod, *, is_brief: bool = False, alike: Alike | None = None
    ) -> Attempt:
        """Try a pod in the ordinary way; with a brief attempt, see `Cycle.schedule`.

        What was found out of pods that are alike need not be found out again.
        """
        started_ns = self._time.begin()
        number = self._time.attempts
        attempt, failure = self._try(queued, alike, is_brief=is_brief)
        self._time.decided(started_ns, attempt.evaluated_count, attempt.profile.name)
        if not is_brief and self._record.explains(number):
            self._record.explain(number, attempt)
        if failure is None:
            placement = self._binding.assume(number, queued, attempt, started_ns)
            failure = self._binding.reserve(placement)
            if failure is None:
                self._bindings.go_on(placement)
                return attempt
        self._bindings.fail(number, queued, attempt, failure, started_ns)
        return attempt

    def _schedule_quickly(self, queued: QueuedPod) -> None:
        """Try a pod by what is known of its template, and in the ordinary way if nothing is."""
        pod = queued.pod
        profile = self._profiles[pod.scheduler_name]
        attempt = None
        in_full = self._time.is_measuring or self._record.explains(self._time.attempts + 1)
        if profile.is_own:
            self.schedule(queued, is_brief=not in_full)
            return
        if not in_full:
            attempt = self._cycle.quick(profile, pod, self._cache.columns, self._backdrop)
        if not isinstance(attempt, QuickAttempt):
            self.schedule(queued, alike=attempt)
            kernels.COMPILED.count(kernels.ORDINARY)
            return
        kernels.COMPILED.count(1)
        started_ns = self._time.begin()
        number = self._time.attempts
        self._time.ran_to_the_end(profile.name, is_scored=attempt.feasible_count > 1)
        self._time.decided(started_ns, attempt.evaluated_count, profile.name)
        self._bindings.carry_out(self._binding.assume(number, queued, attempt, started_ns))

    def _is_passed_over(self, queued: QueuedPod) -> bool:
        """Whether there is no point in trying a pod: it is being deleted, or all but bound."""
        pod = queued.pod
        if "deletionTimestamp" in pod.raw["metadata"]:
            note = f"skip schedule deleting pod: {pod.key}"
            self._client.event(
                pod.raw,
                WARNING,
                "FailedScheduling",
                "Scheduling",
                note,
                pod.scheduler_name,
            )
        elif self._cache.assumed_pod(pod.uid) is None:
            return False
        self._queue.done(pod.uid)
        return True

    def _try(
        self, queued: QueuedPod, alike: Alike | None, *, is_brief: bool
    ) -> tuple[Attempt, Failure | None]:
        """Look for a node, and for room if there is none."""
        pod = queued.pod
        profile = self._profiles[pod.scheduler_name]
        attempt = None if alike is None else alike.rejection_of(pod)
        if attempt is None:
            attempt = self._cycle.schedule(profile, pod, self._cache.columns, is_brief=is_brief)
            if alike is not None:
                alike.keep(attempt)
        self._observe(attempt)
        if attempt.is_error:
            return attempt, Failure(attempt.failure)
        if attempt.selected is not None:
            return attempt, None
        self._cycle.post_filter(attempt)
        return attempt, self._misfit(attempt)

    def _misfit(self, attempt: Attempt) -> Failure:
        """Nothing fits: which plugins rejected the pod, and which node preemption has freed."""
        nominate: str | None = ""
        if attempt.post_filter is not None:
            result, status = attempt.post_filter
            nominate = None if result is None else result.nominated_node
            profile = attempt.profile.name
            self._time.ran("PostFilter", status, profile)
            account: report.Report | None = attempt.state.get(report.KEY)
            if account is not None:
                self._time.metrics.preempted(account.evicted, is_failed=bool(account.failure))
                if account.failure:
                    self._queue.activate([attempt.pod])
        return Failure(
            attempt.failure,
            is_rejected=True,
            unschedulable_plugins=frozenset(attempt.diagnosis.unschedulable_plugins),
            pending_plugins=frozenset(attempt.diagnosis.pending_plugins),
            nominate=nominate,
        )

    def _observe(self, attempt: Attempt) -> None:
        """Note which extension points have run."""
        profile, ran = attempt.profile.name, self._time.ran
        if attempt.pre_filter is not None:
            ran("PreFilter", attempt.pre_filter.status, profile)
        if attempt.verdicts is not None or attempt.rejected_count is not None:
            ran("Filter", SUCCESS, profile)
        if attempt.totals is not None and attempt.profile.score:
            ran("PreScore", SUCCESS, profile)
            ran("Score", SUCCESS, profile)
