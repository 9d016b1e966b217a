from __future__ import annotations

from kubestage.scheduler.queue.queued_pod import QueuedPod
from kubestage.scheduler.queue.unschedulable import Rejection, UnschedulablePods
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


def _rejected(pods: UnschedulablePods, name: str, *plugins: str, app: str = "web") -> Rejection:
    queued = QueuedPod(queues.pod(name, labels={"app": app}), 0, 1)
    queued.unschedulable_plugins = frozenset(plugins)
    pods.put(queued)
    return Rejection("default-scheduler", frozenset(plugins), frozenset())


def _groups(pods: UnschedulablePods, rejection: Rejection) -> list[list[str]]:
    return [[each.pod.name for each in group.values()] for group in pods.alike(rejection)]


def test_pods_that_are_alike_and_were_rejected_alike_are_together() -> None:
    pods = pool()
    fit = _rejected(pods, "a", "Fit")
    spread = _rejected(pods, "b", "Spread")
    _rejected(pods, "c", "Fit", app="db")
    _rejected(pods, "d", "Fit")
    assert set(pods.rejections) == {fit, spread}
    assert (_groups(pods, fit), _groups(pods, spread)) == ([["a", "d"], ["c"]], [["b"]])


def test_a_pod_that_others_reject_now_keeps_its_place() -> None:
    pods = pool()
    fit = _rejected(pods, "a", "Fit")
    spread = _rejected(pods, "b", "Spread")
    _rejected(pods, "a", "Spread")
    assert (list(pods.rejections), _groups(pods, spread)) == ([spread], [["b", "a"]])
    assert pods.place("default/a") < pods.place("default/b")
    assert fit not in pods.rejections


def test_a_pod_that_goes_leaves_nothing_behind() -> None:
    pods = pool()
    _rejected(pods, "a", "Fit")
    assert pods.take("default/a") is not None
    assert pods.take("default/a") is None
    assert (len(pods), list(pods.rejections)) == (0, [])
