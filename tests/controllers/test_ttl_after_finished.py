from __future__ import annotations

from typing import Any

from tests.controllers.job.batch_cluster import JOB, BatchCluster, job


def _finished(**spec: Any) -> BatchCluster:
    cluster = BatchCluster()
    cluster.create(job(**spec))
    cluster.finish(cluster.pods()[0])
    cluster.run(1.5)
    assert "Complete" in cluster.conditions()
    return cluster


def test_a_job_goes_with_its_pods_when_its_time_is_up() -> None:
    cluster = _finished(ttlSecondsAfterFinished=60)
    cluster.run(58)
    assert len(cluster.pods()) == 1
    cluster.run(3)
    assert not cluster.store.read(JOB)
    assert cluster.pods() == []


def test_without_a_time_a_job_stays() -> None:
    cluster = _finished()
    cluster.run(1_000_000)
    assert cluster.job()


def test_a_longer_time_set_in_the_meantime_counts() -> None:
    cluster = _finished(ttlSecondsAfterFinished=10)
    cluster.patch({"ttlSecondsAfterFinished": 100})
    cluster.run(50)
    assert cluster.job()
    cluster.run(50)
    assert not cluster.store.read(JOB)


def test_a_job_that_still_runs_is_left_alone() -> None:
    cluster = BatchCluster()
    cluster.create(job(ttlSecondsAfterFinished=0))
    cluster.run(100)
    assert cluster.job()
