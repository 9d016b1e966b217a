from __future__ import annotations

import pytest

from kubestage.scheduler.queue.backoff import BackoffQueue
from kubestage.scheduler.queue.queued_pod import QueuedPod
from kubestage.sim.clock import Clock
from tests.scheduler.queue import queues

SECOND = queues.SECOND


def by_priority(queued: QueuedPod) -> tuple[int, ...]:
    return -queued.pod.priority, queued.sequence


def queue_at(
    seconds: float = 0, *, initial: int = 1, most: int = 10, epoch_ns: int = 0
) -> BackoffQueue:
    clock = Clock(epoch_ns, round(seconds * SECOND))
    return BackoffQueue(clock, initial * SECOND, most * SECOND, by_priority)


def rejected(name: str, count: int = 1, at: float = 0, priority: int = 0) -> QueuedPod:
    pod = QueuedPod(queues.pod(name, priority), round(at * SECOND), 1, unschedulable_count=count)
    pod.unschedulable_plugins = frozenset({"Fit"})
    return pod


@pytest.mark.parametrize(
    ("count", "seconds"), [(1, 1), (2, 2), (3, 4), (4, 8), (5, 10), (6, 10), (60, 10), (200, 10)]
)
def test_a_pause_doubles_with_each_failure_up_to_the_limit(count: int, seconds: int) -> None:
    assert queue_at().until_ns(rejected("pod", count)) == seconds * SECOND


def test_the_configured_seconds_count() -> None:
    queue = queue_at(initial=3, most=7)
    assert queue.until_ns(rejected("pod", 1)) == 3 * SECOND
    assert queue.until_ns(rejected("pod", 2)) == 6 * SECOND
    assert queue.until_ns(rejected("pod", 3)) == 7 * SECOND


def test_after_an_error_the_errors_are_counted_and_not_the_rejections() -> None:
    failed = rejected("pod", count=4)
    failed.consecutive_errors = 2
    assert queue_at().until_ns(failed) == 2 * SECOND


def test_without_a_failure_or_without_a_limit_there_is_no_pause() -> None:
    assert queue_at().until_ns(rejected("new", count=0)) is None
    assert not queue_at().is_backing_off(rejected("new", count=0))
    assert not queue_at(most=0).is_backing_off(rejected("pod", count=3))


def test_a_pause_ends_with_the_window_of_one_second_that_it_falls_into() -> None:
    pod = rejected("pod", at=10.3)
    assert queue_at(11.9).is_backing_off(pod)
    assert not queue_at(12).is_backing_off(pod)
    queue = queue_at(10.3)
    queue.add(pod)
    assert queue.due_ns == 12 * SECOND


def test_windows_are_seconds_of_the_calendar() -> None:
    queue = queue_at(10, epoch_ns=700_000_000)
    pod = rejected("pod", at=10)
    assert queue.until_ns(pod) == round(10.3 * SECOND)
    queue.add(pod)
    assert queue.due_ns == round(11.3 * SECOND)


def test_within_a_window_pods_are_ordered_as_in_the_active_queue() -> None:
    queue = queue_at(12.5)
    queue.add(rejected("low", at=11.1, priority=1))
    queue.add(rejected("high", at=11.9, priority=9))
    queue.add(rejected("sooner", at=10.5, priority=0))
    order = [queue.pop_early() for _ in range(3)]
    assert [each.pod.name for each in order if each] == ["sooner", "high", "low"]


def test_pods_that_failed_with_an_error_are_not_tried_early() -> None:
    queue = queue_at()
    failed = QueuedPod(queues.pod("failed"), 0, 1, consecutive_errors=1)
    queue.add(failed)
    assert queue.pop_early() is None
    assert queue.pods() == [failed]
    queue._clock.now_ns = 2 * SECOND
    assert queue.pop_completed() == [failed]


def test_a_pod_that_was_tried_twice_in_this_instant_waits_its_pause_out() -> None:
    queue = queue_at(5)
    busy, idle = rejected("busy", at=5), rejected("idle", at=5)
    busy.tried_ns, busy.tries = 5 * SECOND, 2
    queue.add(busy)
    queue.add(idle)
    assert queue.pop_early() is idle
    assert queue.pop_early() is None
    queue._clock.now_ns += 1
    assert queue.pop_early() is busy


def test_who_joins_those_that_wait_may_be_tried_early() -> None:
    queue = queue_at()
    busy = rejected("busy")
    busy.tried_ns, busy.tries = 0, 2
    queue.add(busy)
    assert queue.pop_early() is None
    assert queue.pop_early() is None
    idle = rejected("idle")
    queue.add(idle)
    assert queue.pop_early() is idle
    assert queue.pop_early() is None
    assert queue.get("default/busy") is busy
