from __future__ import annotations

from typing import TYPE_CHECKING

from tests.controllers.job.batch_cluster import POD, TEMPLATE, BatchCluster, job

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _end_of_deleted(cluster: BatchCluster) -> None:
    """The kubelet ends what is being deleted."""
    for pod in cluster.pods():
        if "deletionTimestamp" in pod["metadata"]:
            key = f"default/{pod['metadata']['name']}"
            cluster.finish(pod, 143)
            metadata = dict(cluster.store.read(POD)[key]["metadata"])
            metadata["deletionGracePeriodSeconds"] = 0
            cluster.store.record_metadata(POD, key, metadata)
            cluster.store.delete(POD, pod["metadata"]["name"], "default")
    cluster.run(2)


def test_too_many_failures_fail_the_job() -> None:
    cluster = BatchCluster()
    cluster.create(job(backoffLimit=1))
    cluster.fail_and_replace(12)
    cluster.finish(cluster.working()[0], 1)
    cluster.run(2)
    assert cluster.conditions() == {
        "FailureTarget": "BackoffLimitExceeded",
        "Failed": "BackoffLimitExceeded",
    }
    assert cluster.status()["failed"] == 2
    assert "completionTime" not in cluster.status()
    wanted = "BackoffLimitExceeded: Job has reached the specified backoff limit"
    assert cluster.events()[-1] == wanted


def test_a_failed_job_deletes_its_pods_and_waits_for_their_end() -> None:
    cluster = BatchCluster()
    cluster.create(job(backoffLimit=0, parallelism=2, completions=2))
    running, failing = cluster.pods()
    cluster.start(running)
    cluster.run(2)
    cluster.finish(failing, 1)
    cluster.run(2)
    assert cluster.conditions() == {"FailureTarget": "BackoffLimitExceeded"}
    status = cluster.status()
    assert (status["failed"], status["terminating"], status["ready"]) == (2, 1, 0)
    _end_of_deleted(cluster)
    assert cluster.conditions()["Failed"] == "BackoffLimitExceeded"
    assert cluster.status()["terminating"] == 0


def test_restarts_within_a_pod_count_if_pods_restart_on_failure() -> None:
    cluster = BatchCluster()
    template = {**TEMPLATE, "spec": {**TEMPLATE["spec"], "restartPolicy": "OnFailure"}}
    cluster.create(job(template=template, backoffLimit=3))
    cluster.start(cluster.pods()[0], restarts=2)
    cluster.run(2)
    assert cluster.conditions() == {}
    cluster.start(cluster.pods()[0], restarts=3)
    cluster.run(2)
    assert cluster.conditions()["FailureTarget"] == "BackoffLimitExceeded"


def test_a_deadline_passes_by_time_alone() -> None:
    cluster = BatchCluster()
    cluster.create(job(activeDeadlineSeconds=30))
    cluster.start(cluster.pods()[0])
    cluster.run(29)
    assert cluster.conditions() == {}
    cluster.run(1)
    assert cluster.conditions() == {"FailureTarget": "DeadlineExceeded"}
    assert cluster.working() == []


def test_a_suspended_job_has_no_pods_and_no_deadline() -> None:
    cluster = BatchCluster()
    cluster.create(job(suspend=True, activeDeadlineSeconds=30))
    cluster.run(100)
    assert cluster.pods() == []
    assert cluster.conditions() == {"Suspended": "JobSuspended"}
    assert "startTime" not in cluster.status()
    cluster.patch({"suspend": False})
    assert len(cluster.working()) == 1
    (condition,) = cluster.status()["conditions"]
    assert (condition["status"], condition["reason"]) == ("False", "JobResumed")
    assert cluster.status()["startTime"] == "2026-01-01T00:01:40Z"
    assert cluster.reasons() == ["Suspended", "SuccessfulCreate", "Resumed"]


def test_suspending_deletes_pods_that_do_not_count_as_failed() -> None:
    cluster = BatchCluster()
    cluster.create(job())
    cluster.start(cluster.pods()[0])
    cluster.run(2)
    cluster.patch({"suspend": True})
    status = cluster.status()
    assert (status["terminating"], status["ready"], status.get("failed")) == (1, 0, None)
    assert "startTime" not in status
    _end_of_deleted(cluster)
    assert cluster.pods() == []
    assert "failed" not in cluster.status()


def _policy(action: str, code: int) -> Json:
    rule = {"action": action, "onExitCodes": {"operator": "In", "values": [code]}}
    return {"podFailurePolicy": {"rules": [rule]}}


def test_a_failure_policy_fails_the_job_at_the_first_such_failure() -> None:
    cluster = BatchCluster()
    cluster.create(job(**_policy("FailJob", 42)))
    (pod,) = cluster.pods()
    cluster.finish(pod, 42)
    cluster.run(2)
    assert cluster.conditions()["Failed"] == "PodFailurePolicy"
    name = pod["metadata"]["name"]
    words = f"Container c for pod default/{name} failed with exit code 42"
    assert cluster.events()[-1] == f"PodFailurePolicy: {words} matching FailJob rule at index 0"


def test_an_ignored_failure_does_not_count() -> None:
    cluster = BatchCluster()
    cluster.create(job(backoffLimit=0, **_policy("Ignore", 3)))
    for _ in range(3):
        cluster.finish(cluster.working()[0], 3)
        cluster.run(60)
    assert "failed" not in cluster.status()
    assert cluster.conditions() == {}
    assert len(cluster.working()) == 1


def test_success_after_the_failure_was_announced_changes_nothing() -> None:
    cluster = BatchCluster()
    cluster.create(job(backoffLimit=0, parallelism=2, completions=2, podReplacementPolicy="Failed"))
    first, second = cluster.pods()
    cluster.start(first)
    cluster.finish(second, 1)
    cluster.run(2)
    cluster.finish(first, 0)
    _end_of_deleted(cluster)
    assert cluster.conditions()["Failed"] == "BackoffLimitExceeded"
