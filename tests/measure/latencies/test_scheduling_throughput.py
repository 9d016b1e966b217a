"""SchedulingThroughput counts scheduled pods at intervals."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.measure.latencies.scheduling_throughput import SchedulingThroughput
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make, pod


def measured(per_interval: list[int], interval: str = "5s", **raw: Any) -> Asked:
    cluster = FakeCluster()
    measurement = make(SchedulingThroughput, cluster)
    Asked(measurement, action="start", measurmentInterval=interval, labelSelector="app=web")
    cluster.moments.run(0.05)
    count = 0
    for more in per_interval:
        cluster.moments.run(1)
        for _ in range(more):
            cluster.put(pod(f"p{count}"))
            cluster.put(pod(f"waiting{count}", phase="Unscheduled"))
            cluster.put(pod(f"other{count}", labels={"app": "other"}))
            count += 1
        cluster.moments.run(4)
    return Asked(measurement, action="gather", **raw)


def test_percentiles_are_by_nearest_rank_and_the_series_is_in_order() -> None:
    outcome = measured([10, 50, 5, 0]).outcome
    (summary,) = outcome.summaries
    assert (summary.name, summary.ext) == ("SchedulingThroughput", "json")
    assert summary.content == (
        '{\n  "perc50": 1,\n  "perc90": 10,\n  "perc99": 10,\n  "max": 10\n}\n'
    )
    (series,) = outcome.series
    assert series.values == [2, 10, 1, 0]
    assert [at_ns / 1e9 for at_ns in series.at_ns] == [5.05, 10.05, 15.05, 20.05]


def test_the_best_interval_is_held_against_the_threshold() -> None:
    outcome = measured([10, 50], threshold=10.5).outcome
    said = "scheduler throughput: actual throughput 10.000000 lower than threshold 10.500000"
    assert outcome.errors == (said,)
    (verdict,) = outcome.verdicts
    assert (verdict.passed, verdict.value, verdict.threshold) == (False, 10, 10.5)
    assert (verdict.samples, verdict.is_upper) == (2, False)
    assert measured([10, 50], threshold=10).outcome.errors == ()


def test_a_miss_that_is_not_to_count_is_told_only() -> None:
    outcome = measured([10], threshold=100, enableViolations=False).outcome
    assert outcome.errors == ()
    assert not outcome.verdicts[0].passed
    assert not outcome.verdicts[0].is_enforced


def test_without_a_sample_the_verdict_is_empty() -> None:
    outcome = measured([]).outcome
    assert outcome.verdicts[0].is_empty
    assert '"max": 0' in outcome.summaries[0].content


def test_pods_that_leave_count_no_more() -> None:
    cluster = FakeCluster()
    measurement = make(SchedulingThroughput, cluster)
    Asked(measurement, action="start")
    cluster.put(pod("a"))
    cluster.moments.run(6)
    cluster.put(pod("a", deletionTimestamp="2026-01-01T00:00:00Z"))
    cluster.moments.run(5)
    (series,) = Asked(measurement, action="gather").outcome.series
    assert series.values == [0.2, -0.2]
    assert cluster.moments.pending == 0


@pytest.mark.parametrize("spelling", ["measurmentInterval", "measurementInterval"])
def test_both_spellings_of_the_interval_are_read(spelling: str) -> None:
    cluster = FakeCluster()
    measurement = make(SchedulingThroughput, cluster)
    Asked(measurement, action="start", **{spelling: "2s"})
    cluster.moments.run(9)
    (series,) = Asked(measurement, action="gather").outcome.series
    assert len(series.values) == 4


def test_one_that_does_not_run_cannot_gather() -> None:
    asked = Asked(make(SchedulingThroughput, FakeCluster()), action="gather")
    assert asked.outcome.errors == ("measurement is not running",)
