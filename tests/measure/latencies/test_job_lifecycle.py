"""JobLifecycleLatency takes the times that jobs tell."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from kubestage.measure.latencies.job_lifecycle import JobLifecycleLatency
from kubestage.objects import timestamps
from tests.measure.fake_cluster import UNIX_NS, FakeCluster
from tests.measure.making import Asked, make

if TYPE_CHECKING:
    from kubestage.aliases import Json


def at(second: int | None) -> str | None:
    return None if second is None else timestamps.format_time(UNIX_NS + second * 10**9)


def job(name: str, created: int, began: int | None = None, ended: int | None = None) -> Json:
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ns", "creationTimestamp": at(created)},
        "status": {"startTime": at(began), "completionTime": at(ended)},
    }


def started(cluster: FakeCluster) -> JobLifecycleLatency:
    measurement = make(JobLifecycleLatency, cluster)
    assert isinstance(measurement, JobLifecycleLatency)
    Asked(measurement, action="start")
    cluster.moments.run(1)
    return measurement


def test_both_transitions_are_told_in_milliseconds() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    for obj in (job("a", 1), job("a", 1, 2), job("b", 1, 4, 10), job("a", 1, 2, 9)):
        cluster.put(obj)
        cluster.moments.run()
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(10)
    assert gathered.at_s == 2
    (summary,) = gathered.outcome.summaries
    assert summary.name == "JobLifecycleLatency_it"
    told = json.loads(summary.content)
    assert told["version"] == "1.0"
    assert [(item["labels"], item["data"], item["unit"]) for item in told["dataItems"]] == [
        ({"Metric": "create_to_start"}, {"Perc50": 1000, "Perc90": 3000, "Perc99": 3000}, "ms"),
        ({"Metric": "start_to_complete"}, {"Perc50": 6000, "Perc90": 7000, "Perc99": 7000}, "ms"),
    ]
    first, _ = gathered.outcome.latencies
    assert (first.metric, first.objects) == ("create_to_start", ["ns/a", "ns/b"])
    assert (first.began_ns, first.took_ns) == ([10**9, 10**9], [10**9, 3 * 10**9])


def test_it_waits_for_jobs_to_complete_and_names_those_that_do_not() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.put(job("a", 1, 1, 2))
    cluster.put(job("late", 1, 1))
    gathered = Asked(measurement, action="gather", timeout="30s")
    cluster.moments.run(60)
    assert gathered.at_s == 31
    assert gathered.outcome.errors == ()
    assert gathered.outcome.warnings == ("1 jobs did not complete: ns/late",)


def test_a_job_that_was_deleted_after_it_completed_counts() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.put(job("a", 1, 1, 2))
    cluster.moments.run()
    cluster.remove(job("a", 1))
    gathered = Asked(measurement, action="gather")
    cluster.moments.run(60)
    assert gathered.outcome.latencies[1].objects == ["ns/a"]


def test_one_that_was_not_started_cannot_gather() -> None:
    asked = Asked(make(JobLifecycleLatency, FakeCluster()), action="gather")
    assert asked.outcome.errors == ("metric JobLifecycleLatency has not been started",)


def test_without_a_job_there_is_no_sample() -> None:
    cluster = FakeCluster()
    gathered = Asked(started(cluster), action="gather")
    cluster.moments.run(10)
    (verdict,) = gathered.outcome.verdicts
    assert (verdict.name, verdict.is_empty) == ("JobLifecycleLatency_it", True)
    cluster.put(job("a", 1, 2, 3))
    gathered = Asked(started(cluster), action="gather")
    cluster.moments.run(10)
    assert not gathered.outcome.verdicts
