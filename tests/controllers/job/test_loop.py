from __future__ import annotations

import pytest

from kubestage.store.deletion import DeleteOptions
from tests.controllers.job.batch_cluster import JOB, POD, TEMPLATE, BatchCluster, job

TRACKING = "batch.kubernetes.io/job-tracking"


def test_a_job_runs_one_pod_to_its_end() -> None:
    cluster = BatchCluster()
    cluster.create(job())
    (pod,) = cluster.pods()
    assert pod["metadata"]["finalizers"] == [TRACKING]
    assert cluster.status() == {
        "startTime": "2026-01-01T00:00:00Z",
        "active": 1,
        "terminating": 0,
        "ready": 0,
        "uncountedTerminatedPods": {},
    }
    cluster.start(pod)
    cluster.run(2)
    assert cluster.status()["ready"] == 1
    cluster.finish(pod)
    cluster.run(2)
    assert cluster.conditions() == {
        "SuccessCriteriaMet": "CompletionsReached",
        "Complete": "CompletionsReached",
    }
    status = cluster.status()
    assert (status["succeeded"], status.get("active"), status["ready"]) == (1, None, 0)
    assert status["completionTime"] == "2026-01-01T00:00:03Z"
    assert "finalizers" not in cluster.pods()[0]["metadata"]
    assert cluster.reasons() == ["SuccessfulCreate", "Completed"]


def test_changes_of_pods_are_collected_for_a_second() -> None:
    cluster = BatchCluster()
    cluster.create(job(parallelism=2, completions=2))
    cluster.run(5)
    first, second = cluster.pods()
    cluster.start(first)
    cluster.run(0.5)
    cluster.start(second)
    assert cluster.status()["ready"] == 0
    cluster.run(0.6)
    assert cluster.status()["ready"] == 2


def test_no_more_pods_run_than_completions_are_missing() -> None:
    cluster = BatchCluster()
    cluster.create(job(parallelism=3, completions=4))
    for wanted in (3, 1, 0):
        working = cluster.working()
        assert len(working) == wanted
        for pod in working:
            cluster.finish(pod)
        cluster.run(2)
    assert cluster.status()["succeeded"] == 4


def test_without_completions_one_success_ends_it_once_the_others_have_ended() -> None:
    cluster = BatchCluster()
    cluster.create(job(parallelism=3))
    first, second, third = cluster.pods()
    cluster.finish(first)
    cluster.run(2)
    assert cluster.status()["active"] == 2
    cluster.finish(second, 1)
    cluster.finish(third)
    cluster.run(2)
    assert (cluster.status()["succeeded"], cluster.status()["failed"]) == (2, 1)
    assert "Complete" in cluster.conditions()


def test_less_parallelism_deletes_the_least_useful_pods() -> None:
    cluster = BatchCluster()
    cluster.create(job(parallelism=3, completions=9))
    useful = cluster.pods()[1]
    cluster.start(useful)
    cluster.run(2)
    cluster.patch({"parallelism": 1})
    names = [pod["metadata"]["name"] for pod in cluster.working()]
    assert names == [useful["metadata"]["name"]]
    assert cluster.reasons().count("SuccessfulDelete") == 2


@pytest.mark.parametrize("failures", [1, 2, 3])
def test_a_failed_pod_is_replaced_after_a_wait_that_doubles(failures: int) -> None:
    cluster = BatchCluster()
    cluster.create(job(backoffLimit=9))
    for failure in range(1, failures):
        cluster.fail_and_replace(10 * 2**failure)
    (pod,) = cluster.working()
    cluster.finish(pod, 1)
    cluster.run(5 * 2**failures - 1)
    assert cluster.working() == []
    cluster.run(3)
    assert len(cluster.working()) == 1
    assert cluster.status()["failed"] == failures


def test_a_deleted_pod_counts_as_failed_and_is_replaced_at_once() -> None:
    cluster = BatchCluster()
    cluster.create(job())
    (pod,) = cluster.pods()
    cluster.start(pod)
    cluster.store.delete(POD, pod["metadata"]["name"], "default")
    cluster.run(1.5)
    assert (cluster.status()["failed"], cluster.status()["terminating"]) == (1, 1)
    cluster.run(10)
    assert len(cluster.working()) == 1


def test_if_only_failed_pods_are_replaced_a_deleted_one_must_end_first() -> None:
    cluster = BatchCluster()
    cluster.create(job(podReplacementPolicy="Failed"))
    (pod,) = cluster.pods()
    cluster.start(pod)
    cluster.store.delete(POD, pod["metadata"]["name"], "default")
    cluster.run(60)
    status = cluster.status()
    assert (status["terminating"], status.get("failed"), status.get("active")) == (1, None, None)
    cluster.finish(pod, 143)
    cluster.run(12)
    assert len(cluster.working()) == 1
    assert cluster.status()["failed"] == 1


def test_a_refusal_stops_a_batch_and_is_tried_again_later() -> None:
    cluster = BatchCluster()
    quota = {"hard": {"pods": "2"}}
    meta = {"name": "q", "namespace": "default"}
    cluster.create({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta, "spec": quota})
    cluster.store.record_status(
        ("v1", "ResourceQuota"), "default/q", {**quota, "used": {"pods": "0"}}
    )
    cluster.create(job(parallelism=8, completions=8))
    assert len(cluster.pods()) == 2
    assert cluster.status()["active"] == 2
    assert cluster.reasons().count("FailedCreate") == 1
    cluster.store.delete(("v1", "ResourceQuota"), "q", "default")
    cluster.run(2)
    assert len(cluster.pods()) == 8


def test_a_job_that_is_managed_elsewhere_is_left_alone() -> None:
    cluster = BatchCluster()
    cluster.create(job(managedBy="example.com/queue"))
    cluster.run(60)
    assert cluster.pods() == []
    assert cluster.status() == {}


def test_matching_orphans_are_adopted_and_strays_released() -> None:
    cluster = BatchCluster()
    orphan = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "orphan", "namespace": "default", "labels": {"app": "j"}},
        "spec": TEMPLATE["spec"],
    }
    cluster.create(orphan)
    selector = {"matchLabels": {"app": "j"}}
    cluster.create(job(manualSelector=True, selector=selector, parallelism=2, completions=2))
    adopted = cluster.store.get(POD, "orphan", "default")["metadata"]
    assert adopted["finalizers"] == [TRACKING]
    assert adopted["ownerReferences"][0]["name"] == "j"
    assert len(cluster.working()) == 2
    cluster.store.patch(POD, "orphan", {"metadata": {"labels": {"app": "other"}}}, "default")
    cluster.run(2)
    released = cluster.store.get(POD, "orphan", "default")["metadata"]
    assert "finalizers" not in released
    assert "ownerReferences" not in released
    assert len(cluster.pods(app="j")) == 2


def test_pods_of_a_deleted_job_lose_their_finalizer() -> None:
    cluster = BatchCluster()
    cluster.create(job())
    cluster.store.delete(JOB, "j", "default", DeleteOptions(propagation_policy="Background"))
    cluster.run(5)
    assert cluster.pods() == []


def test_an_orphaned_pod_stays_and_loses_its_finalizer() -> None:
    cluster = BatchCluster()
    cluster.create(job())
    cluster.store.delete(JOB, "j", "default", DeleteOptions(propagation_policy="Orphan"))
    cluster.run(5)
    (pod,) = cluster.pods()
    assert "ownerReferences" not in pod["metadata"]
    assert "finalizers" not in pod["metadata"]


def test_a_large_job_is_made_and_counted_in_parts() -> None:
    cluster = BatchCluster()
    cluster.create(job(parallelism=1100, completions=1100))
    assert len(cluster.pods()) == 500
    cluster.run(3)
    assert len(cluster.pods()) == 1100
    for pod in cluster.pods():
        cluster.finish(pod)
    cluster.run(1)
    assert cluster.status()["succeeded"] == 500
    cluster.run(3)
    assert cluster.status()["succeeded"] == 1100
    assert "Complete" in cluster.conditions()


def test_nothing_is_left_to_do_when_all_is_done() -> None:
    cluster = BatchCluster()
    cluster.create(job())
    cluster.finish(cluster.pods()[0])
    cluster.run(5)
    syncs = cluster.runner.syncs
    cluster.run(100_000)
    assert cluster.runner.syncs == syncs


def test_a_copy_goes_on_as_the_original_does() -> None:
    cluster = BatchCluster()
    cluster.create(job(backoffLimit=3))
    cluster.finish(cluster.pods()[0], 1)
    cluster.run(3)
    copy = cluster.fork()
    for each in (cluster, copy):
        each.run(8)
    assert copy.pods() == cluster.pods()
    assert copy.status() == cluster.status()
