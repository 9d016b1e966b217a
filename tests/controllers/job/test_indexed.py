from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.controllers.job.batch_cluster import BatchCluster, job

if TYPE_CHECKING:
    from kubestage.aliases import Json

INDEX = "batch.kubernetes.io/job-completion-index"
FAILURES = "batch.kubernetes.io/job-index-failure-count"
IGNORED = "batch.kubernetes.io/job-index-ignored-failure-count"


def _indexed(completions: int, parallelism: int | None = None, **spec: Any) -> Json:
    count = completions if parallelism is None else parallelism
    return job(completionMode="Indexed", completions=completions, parallelism=count, **spec)


def _indexes(cluster: BatchCluster) -> list[int]:
    return sorted(int(pod["metadata"]["annotations"][INDEX]) for pod in cluster.working())


def test_each_pod_knows_its_index() -> None:
    cluster = BatchCluster()
    cluster.create(_indexed(2))
    pod = cluster.of_index(1)
    assert pod["metadata"]["annotations"] == {INDEX: "1"}
    assert pod["metadata"]["generateName"] == "j-1-"
    assert pod["spec"]["hostname"] == "j-1"
    (variable,) = pod["spec"]["containers"][0]["env"]
    field = {"apiVersion": "v1", "fieldPath": f"metadata.labels['{INDEX}']"}
    assert variable == {"name": "JOB_COMPLETION_INDEX", "valueFrom": {"fieldRef": field}}


def test_the_lowest_index_that_is_missing_comes_next() -> None:
    cluster = BatchCluster()
    cluster.create(_indexed(6, 3))
    cluster.finish(cluster.of_index(1))
    cluster.run(2)
    assert _indexes(cluster) == [0, 2, 3]
    assert cluster.status()["completedIndexes"] == "1"
    for index in (0, 2, 3):
        cluster.finish(cluster.of_index(index))
    cluster.run(2)
    assert cluster.status()["completedIndexes"] == "0-3"
    assert cluster.status()["succeeded"] == 4


def test_a_failed_index_is_tried_again() -> None:
    cluster = BatchCluster()
    cluster.create(_indexed(2))
    cluster.finish(cluster.of_index(0), 1)
    cluster.run(12)
    assert _indexes(cluster) == [0, 1]
    assert cluster.status()["failed"] == 1


def test_fewer_completions_forget_what_is_beyond_them() -> None:
    cluster = BatchCluster()
    cluster.create(_indexed(4))
    cluster.finish(cluster.of_index(3))
    cluster.run(2)
    assert cluster.status()["completedIndexes"] == "3"
    cluster.patch({"completions": 2, "parallelism": 2})
    cluster.run(2)
    assert _indexes(cluster) == [0, 1]
    assert "completedIndexes" not in cluster.status()
    assert "succeeded" not in cluster.status()


def test_each_index_has_its_own_limit_and_backoff() -> None:
    cluster = BatchCluster()
    cluster.create(_indexed(2, backoffLimitPerIndex=1))
    assert cluster.status()["failedIndexes"] == ""
    first = cluster.of_index(0)
    assert first["metadata"]["annotations"][FAILURES] == "0"
    cluster.finish(first, 1)
    cluster.run(5)
    assert "failed" not in cluster.status()
    cluster.run(6)
    second = cluster.of_index(0)
    assert second["metadata"]["annotations"][FAILURES] == "1"
    cluster.run(2)
    assert cluster.status()["failed"] == 1
    cluster.finish(second, 1)
    cluster.run(2)
    assert cluster.status()["failedIndexes"] == "0"
    assert _indexes(cluster) == [1]
    cluster.finish(cluster.of_index(1))
    cluster.run(2)
    assert cluster.conditions()["Failed"] == "FailedIndexes"
    status = cluster.status()
    assert (status["succeeded"], status["failed"], status["completedIndexes"]) == (1, 2, "1")


def test_too_many_failed_indexes_fail_the_job() -> None:
    cluster = BatchCluster()
    cluster.create(_indexed(4, backoffLimitPerIndex=0, maxFailedIndexes=1))
    for index in (0, 2):
        cluster.finish(cluster.of_index(index), 1)
    cluster.run(4)
    assert cluster.conditions()["Failed"] == "MaxFailedIndexesExceeded"
    assert cluster.status()["failedIndexes"] == "0,2"


def test_a_policy_gives_up_an_index_or_passes_over_its_failure() -> None:
    rules = [
        {"action": "FailIndex", "onExitCodes": {"operator": "In", "values": [42]}},
        {"action": "Ignore", "onExitCodes": {"operator": "In", "values": [7]}},
    ]
    cluster = BatchCluster()
    cluster.create(_indexed(2, backoffLimitPerIndex=5, podFailurePolicy={"rules": rules}))
    cluster.finish(cluster.of_index(0), 42)
    cluster.finish(cluster.of_index(1), 7)
    cluster.run(12)
    assert cluster.status()["failedIndexes"] == "0"
    again = cluster.of_index(1)["metadata"]["annotations"]
    assert (again[FAILURES], again[IGNORED]) == ("0", "1")
    assert _indexes(cluster) == [1]


def test_a_success_policy_ends_the_job_early() -> None:
    cluster = BatchCluster()
    policy = {"rules": [{"succeededIndexes": "0,1", "succeededCount": 1}]}
    cluster.create(_indexed(3, successPolicy=policy))
    cluster.finish(cluster.of_index(1))
    cluster.run(4)
    assert cluster.conditions() == {
        "SuccessCriteriaMet": "SuccessPolicy",
        "Complete": "SuccessPolicy",
    }
    assert cluster.working() == []
    assert "failed" not in cluster.status()
    assert cluster.events()[-1] == "Completed: Job completed"


def test_of_two_pods_with_one_index_one_goes() -> None:
    cluster = BatchCluster()
    cluster.create(_indexed(1))
    twin = cluster.of_index(0)
    metadata = {key: twin["metadata"][key] for key in ("labels", "annotations", "ownerReferences")}
    named = {"name": "twin", "namespace": "default", **metadata}
    cluster.start(twin)
    cluster.create({**twin, "metadata": named, "spec": {**twin["spec"]}, "status": {}})
    cluster.run(3)
    assert [pod["metadata"]["name"] for pod in cluster.working()] == [twin["metadata"]["name"]]
