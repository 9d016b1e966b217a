from __future__ import annotations

from kubestage.scheduler.queue.queued_pod import QueuedPod
from kubestage.scheduler.queue.unschedulable import UnschedulablePods
from kubestage.sim.clock import Clock
from tests.scheduler.queue import queues

SECOND = queues.SECOND


def pool(started: int = 0) -> UnschedulablePods:
    return UnschedulablePods(Clock(now_ns=started * SECOND))


def since(name: str, seconds: float) -> QueuedPod:
    return QueuedPod(queues.pod(name), round(seconds * SECOND), 1)


def test_stays_are_looked_at_every_thirty_seconds_from_the_start() -> None:
    pods = pool(started=7)
    pods.put(since("pod", 8))
    assert pods.due_ns == (7 + 330) * SECOND


def test_a_stay_of_exactly_five_minutes_is_not_too_long() -> None:
    pods = pool()
    pods.put(since("exact", 30))
    assert pods.due_ns == 360 * SECOND
    pods._clock.now_ns = 330 * SECOND
    assert pods.leftovers() == []
    pods._clock.now_ns = 360 * SECOND
    assert [each.pod.name for each in pods.leftovers()] == ["exact"]


def test_the_next_look_is_for_the_one_that_has_stayed_longest() -> None:
    pods = pool()
    pods.put(since("later", 100))
    assert pods.due_ns == 420 * SECOND
    pods.put(since("sooner", 10))
    assert pods.due_ns == 330 * SECOND
    pods._clock.now_ns = 330 * SECOND
    found = pods.leftovers()
    assert [each.pod.name for each in found] == ["sooner"]
    assert found[0].flushed_ns == 330 * SECOND
    # It is still here, and its stay counts from the flush on.
    assert pods.due_ns == 420 * SECOND


def test_an_empty_pool_is_never_looked_at() -> None:
    pods = pool()
    assert pods.due_ns is None
    pods.put(since("gone", 0))
    pods.take("default/gone")
    pods._clock.now_ns = 330 * SECOND
    assert pods.leftovers() == []
    assert pods.due_ns is None
