"""Lets a scheduler work until nothing is left that it, or time alone, could change."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import timestamps
from kubestage.store.deletion import DeleteOptions

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.scheduler.scheduler import Scheduler
    from kubestage.stage import Stage

_POD: Final = ("v1", "Pod")
_AT_ONCE: Final = DeleteOptions(grace_period_seconds=0)
# An extender that does not answer, a permit that is never given: some things will not change.
_PATIENCE: Final = 5


def settle(stage: Stage, scheduler: Scheduler, tell: Callable[[int], None]) -> None:
    """Try every pod; where a pause, a permit or a pod on its way out is waited for, time passes.

    That ends with those that were tried in vain too often. The scheduler has to record its
    decisions. `tell` hears how many attempts there have been.
    """
    attempts = 0
    while True:
        while scheduler.schedule_one() is not None:
            attempts += 1
            tell(attempts)
        due_ns = _next_ns(stage, scheduler)
        if due_ns is None:
            return
        stage.environment.run(until_ns=max(due_ns, stage.clock.now_ns))
        _remove_ended(stage)


def _next_ns(stage: Stage, scheduler: Scheduler) -> int | None:
    """When something will happen that is worth waiting for."""
    start_ns = stage.clock.unix_ns - stage.clock.now_ns
    times = [_end_ns(pod) - start_ns for pod in _leaving(stage)]
    pausing = [*scheduler.queue.pods()["backoff"], *scheduler.waiting]
    if pausing and scheduler.due_ns is not None:
        failed = collections.Counter(
            each.pod for each in scheduler.record.decisions if not each.node
        )
        if any(failed[each.pod.key] < _PATIENCE for each in pausing):
            times.append(scheduler.due_ns)
    return min(times, default=None)


def _leaving(stage: Stage) -> list[dict[str, Any]]:
    """Pods that their node will let go of."""
    return [
        pod
        for pod in stage.store.read(_POD).values()
        if "deletionTimestamp" in pod["metadata"]
        and pod["spec"].get("nodeName")
        and not pod["metadata"].get("finalizers")
    ]


def _end_ns(pod: dict[str, Any]) -> int:
    return timestamps.parse_time(pod["metadata"]["deletionTimestamp"])


def _remove_ended(stage: Stage) -> None:
    """What a node does when the time is up that a deleted pod was given."""
    for pod in _leaving(stage):
        if _end_ns(pod) <= stage.clock.unix_ns:
            metadata = pod["metadata"]
            stage.store.delete(_POD, metadata["name"], metadata["namespace"], _AT_ONCE)
