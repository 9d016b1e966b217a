"""WaitForFinishedJobs waits for the jobs that are there when it gathers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import Forbidden
from kubestage.measure.waits.finished_jobs import WaitForFinishedJobs
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make

if TYPE_CHECKING:
    from kubestage.aliases import Json


def job(name: str, ended: str = "", status: str = "True") -> Json:
    conditions = [{"type": ended, "status": status}] if ended else []
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name, "namespace": "ns"},
        "status": {"conditions": conditions},
    }


def started(cluster: FakeCluster) -> WaitForFinishedJobs:
    measurement = make(WaitForFinishedJobs, cluster)
    assert isinstance(measurement, WaitForFinishedJobs)
    asked = Asked(measurement, action="start")
    cluster.moments.run(1)
    assert asked.outcome.errors == ()
    return measurement


def test_a_failed_job_has_finished_and_is_told_of() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.put(job("a", "Complete"))
    cluster.put(job("b"))
    asked = Asked(measurement, action="gather")
    cluster.moments.run(3.5)
    assert not asked.is_answered
    cluster.put(job("b", "Failed"))
    cluster.moments.run(10)
    assert asked.at_s == 5
    assert asked.outcome.errors == ()
    assert asked.outcome.warnings == ("1 Jobs failed: ns/b",)


def test_a_condition_that_is_not_true_ends_nothing() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.put(job("a", "Complete", status="False"))
    asked = Asked(measurement, action="gather", timeout="3s")
    cluster.moments.run(10)
    assert (asked.at_s, asked.outcome.errors) == (4, ("1 Jobs timed out: ns/a",))


def test_jobs_that_finished_and_went_are_not_waited_for() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.put(job("a", "Complete"))
    cluster.put(job("b"))
    cluster.moments.run()
    cluster.remove(job("a"))
    asked = Asked(measurement, action="gather")
    cluster.moments.run(1)
    cluster.put(job("b", "Complete"))
    cluster.moments.run()
    cluster.remove(job("b"))
    cluster.moments.run(10)
    assert (asked.at_s, asked.outcome.errors) == (3, ())


def test_jobs_that_have_finished_are_looked_at_after_a_second() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    asked = Asked(measurement, action="gather")
    cluster.moments.run(10)
    assert asked.at_s == 2


def test_one_that_was_not_started_cannot_gather() -> None:
    asked = Asked(make(WaitForFinishedJobs, FakeCluster()), action="gather")
    assert asked.outcome.errors == ("WaitForFinishedJobs: wait for finished jobs was not started",)


def test_a_list_that_is_refused_is_an_error() -> None:
    cluster = FakeCluster()
    measurement = started(cluster)
    cluster.answers["list", "Job"] = Forbidden("no")
    asked = Asked(measurement, action="gather")
    cluster.moments.run()
    assert asked.outcome.errors == ("listing jobs: no",)
