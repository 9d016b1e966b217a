"""Attempts at the pods of the queue, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.failure_handler import Failure
from kubestage.scheduler.preemption import report
from kubestage.scheduler.quick import kernels
from kubestage.scheduler.quick.attempt import QuickAttempt
from kubestage.scheduler.quick.rejections import Alike
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
    from kubestage.scheduler.record import Record
    from kubestage.scheduler.runtime import Profile
    from kubestage.scheduler.status import Status
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
        if isinstance(attempt, Alike) and self._refuse(queued, profile, attempt):
            return
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

    def _refuse(self, queued: QueuedPod, profile: Profile, alike: Alike) -> bool:
        """Take a pod back for which there is no room, as there was none for one like it before.

        Whether that is so. Listeners receive attempts with all their details.
        """
        pod, refusal = queued.pod, alike.refusal_of(queued.pod)
        if refusal is None or self._record.listens or not self._client.is_current(pod):
            return False
        kernels.COMPILED.count(kernels.ORDINARY)
        time, name, about = self._time, profile.name, refusal.attempt
        started_ns = time.begin()
        for point, status in refusal.ran:
            time.ran(point, status, name)
        refusal.repeat()
        self._note_post_filter(about)
        time.decided(started_ns, refusal.evaluated, name)
        counts = -1, refusal.evaluated, 0
        attempt = QuickAttempt(pod, profile, about.columns, about.state, counts)
        self._bindings.fail(time.attempts, queued, attempt, refusal.failure, started_ns)
        return True

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
        ran = self._ran(attempt)
        for point, status in ran:
            self._time.ran(point, status, profile.name)
        if attempt.is_error:
            return attempt, Failure(attempt.failure)
        if attempt.selected is not None:
            return attempt, None
        self._cycle.post_filter(attempt)
        failure = self._misfit(attempt)
        if alike is not None:
            alike.keep_refusal(attempt, failure, ran)
        return attempt, failure

    def _misfit(self, attempt: Attempt) -> Failure:
        """Nothing fits: which plugins rejected the pod, and which node preemption has freed."""
        nominate: str | None = ""
        self._note_post_filter(attempt)
        if attempt.post_filter is not None:
            result, _ = attempt.post_filter
            nominate = None if result is None else result.nominated_node
            account: report.Report | None = attempt.state.get(report.KEY)
            if account is not None and account.failure:
                self._queue.activate([attempt.pod])
        return Failure(
            attempt.failure,
            is_rejected=True,
            unschedulable_plugins=frozenset(attempt.diagnosis.unschedulable_plugins),
            pending_plugins=frozenset(attempt.diagnosis.pending_plugins),
            nominate=nominate,
        )

    def _note_post_filter(self, attempt: Attempt) -> None:
        """Note that PostFilter has run, and what preemption came to."""
        if attempt.post_filter is None:
            return
        self._time.ran("PostFilter", attempt.post_filter[1], attempt.profile.name)
        account: report.Report | None = attempt.state.get(report.KEY)
        if account is not None:
            self._time.metrics.preempted(account.evicted, is_failed=bool(account.failure))

    def _ran(self, attempt: Attempt) -> tuple[tuple[str, Status], ...]:
        """Which extension points have run up to the choice of a node, and their answers."""
        ran = []
        if attempt.pre_filter is not None:
            ran.append(("PreFilter", attempt.pre_filter.status))
        if attempt.verdicts is not None or attempt.rejected_count is not None:
            ran.append(("Filter", SUCCESS))
        if attempt.totals is not None and attempt.profile.score:
            ran += [("PreScore", SUCCESS), ("Score", SUCCESS)]
        return tuple(ran)
