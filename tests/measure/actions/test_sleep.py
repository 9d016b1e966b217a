"""Sleep takes its time."""

from __future__ import annotations

from kubestage.measure.actions.sleep import Sleep
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make


def test_a_step_sleeps_for_its_duration() -> None:
    cluster = FakeCluster()
    asked = Asked(make(Sleep, cluster), duration="1m30s")
    cluster.moments.run(600)
    assert asked.at_s == 90


def test_two_may_sleep_at_once_and_none_after_the_end() -> None:
    cluster = FakeCluster()
    measurement = make(Sleep, cluster)
    short, long = Asked(measurement, duration="1s"), Asked(measurement, duration="10s")
    cluster.moments.run(5)
    assert short.is_answered
    measurement.end()
    cluster.moments.run(60)
    assert not long.is_answered
    assert cluster.moments.pending == 0
