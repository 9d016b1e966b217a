"""WaitForRunningPods looks every five seconds, and names the pods that do not run."""

from __future__ import annotations

from kubestage.measure.waits.running_pods import WaitForRunningPods
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make, pod


def test_it_ends_at_the_first_look_that_finds_the_right_number() -> None:
    cluster = FakeCluster()
    asked = Asked(make(WaitForRunningPods, cluster), desiredPodCount=2, labelSelector="app=web")
    cluster.moments.run(1)
    cluster.put(pod("a"))
    cluster.moments.run(5)
    assert not asked.is_answered
    cluster.put(pod("b"))
    cluster.moments.run(60)
    assert (asked.at_s, asked.outcome.errors) == (10.05, ())
    assert cluster.moments.pending == 0
    assert all(watch.is_stopped for watch in cluster.watches)


def test_pods_that_ended_do_not_matter_and_those_that_are_leaving_do() -> None:
    cluster = FakeCluster()
    cluster.put(pod("a"))
    cluster.put(pod("old", phase="Failed"))
    cluster.put(pod("going", deletionTimestamp="2026-01-01T00:00:00Z"))
    asked = Asked(make(WaitForRunningPods, cluster), desiredPodCount=1, refreshInterval="2s")
    cluster.moments.run(3)
    assert not asked.is_answered
    cluster.remove(pod("going"))
    cluster.moments.run(60)
    assert asked.at_s == 4.05


def test_too_many_pods_are_not_the_right_number() -> None:
    cluster = FakeCluster()
    for name in "ab":
        cluster.put(pod(name))
    asked = Asked(make(WaitForRunningPods, cluster), desiredPodCount=1, timeout="7s")
    cluster.moments.run(60)
    assert asked.at_s == 7
    assert "not running" not in asked.outcome.errors[0]


def test_what_is_missed_is_told_with_the_pods_that_do_not_run() -> None:
    cluster = FakeCluster()
    cluster.put(pod("a"))
    cluster.put(pod("b", phase="Unscheduled"))
    asked = Asked(
        make(WaitForRunningPods, cluster), desiredPodCount=2, namespace="ns", isFatal="true"
    )
    cluster.moments.run(100)
    (error,) = asked.outcome.errors
    assert asked.at_s == 60
    assert asked.outcome.is_fatal
    assert error == (
        "got context deadline exceeded while waiting for 2 pods to be running in namespace(ns) - "
        "summary of pods : Pods: 2 created, 2 desired, 1 running (1 updated), 0 pending "
        "scheduled, 1 not scheduled, 0 inactive, 0 terminating, 0 unknown, 0 runningButNotReady "
        "- not running: ns/b (PendingNotScheduled)"
    )


def test_no_look_is_taken_when_the_time_is_up() -> None:
    cluster = FakeCluster()
    asked = Asked(make(WaitForRunningPods, cluster), desiredPodCount=1, timeout="10s")
    cluster.moments.run(9)
    cluster.put(pod("a"))
    cluster.moments.run(60)
    assert (asked.at_s, len(asked.outcome.errors)) == (10, 1)


def test_a_test_that_is_over_watches_no_more() -> None:
    cluster = FakeCluster()
    measurement = make(WaitForRunningPods, cluster)
    Asked(measurement, desiredPodCount=1)
    cluster.moments.run(1)
    measurement.end()
    assert cluster.moments.pending == 0
    assert all(watch.is_stopped for watch in cluster.watches)
