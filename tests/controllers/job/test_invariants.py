from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.controllers.job.batch_cluster import POD, BatchCluster, job

if TYPE_CHECKING:
    from kubestage.aliases import Json

SPECS = st.fixed_dictionaries(
    {
        "completionMode": st.sampled_from(("NonIndexed", "Indexed")),
        "completions": st.integers(1, 5),
        "parallelism": st.integers(1, 4),
        "backoffLimit": st.integers(0, 4),
        "podReplacementPolicy": st.sampled_from(("Failed", "TerminatingOrFailed")),
    }
)
DEEDS = st.sampled_from(("succeed", "fail", "delete", "start", "wait", "suspend", "resume"))
STEPS = st.lists(st.tuples(DEEDS, st.integers(0, 3), st.floats(0, 12)), max_size=25)


def _do(cluster: BatchCluster, deed: str, number: int) -> None:
    working = cluster.working()
    is_over = bool({"Complete", "Failed"} & set(cluster.conditions()))
    if deed in ("suspend", "resume") and not is_over:
        cluster.patch({"suspend": deed == "suspend"})
    elif working and deed not in ("wait", "suspend", "resume"):
        pod = working[number % len(working)]
        if deed == "delete":
            cluster.store.delete(POD, pod["metadata"]["name"], "default")
        elif deed == "start":
            cluster.start(pod)
        else:
            cluster.finish(pod, 0 if deed == "succeed" else 1)


def _end_leaving(cluster: BatchCluster) -> None:
    """End what is being deleted; the pod goes with its grace period, unless a Job holds it."""
    for pod in cluster.pods():
        metadata = pod["metadata"]
        if "deletionTimestamp" not in metadata:
            continue
        if pod["status"].get("phase") not in ("Succeeded", "Failed"):
            cluster.finish(pod, 143)
        key = f"default/{metadata['name']}"
        if key in cluster.store.read(POD):
            found = cluster.store.read(POD)[key]["metadata"]
            cluster.store.record_metadata(POD, key, {**found, "deletionGracePeriodSeconds": 0})
            cluster.store.delete(POD, metadata["name"], "default")


@settings(max_examples=60, deadline=None)
@given(SPECS, STEPS)
def test_whatever_happens_a_job_ends_and_every_pod_is_counted_once(
    spec: Json, steps: list[tuple[str, int, float]]
) -> None:
    cluster = BatchCluster()
    cluster.create(job(**spec))
    for deed, number, seconds in steps:
        _do(cluster, deed, number)
        cluster.run(seconds)
        status = cluster.status()
        assert status.get("active", 0) <= spec["parallelism"]
        assert status.get("succeeded", 0) <= spec["completions"]
        assert status.get("ready", 0) <= status.get("active", 0)
    _do(cluster, "resume", 0)
    for _ in range(60):
        _end_leaving(cluster)
        for pod in cluster.working():
            cluster.finish(pod)
        cluster.run(61)
    status, conditions = cluster.status(), cluster.conditions()
    assert ("Complete" in conditions) != ("Failed" in conditions)
    assert status["uncountedTerminatedPods"] == {}
    assert "active" not in status
    ended = [pod["status"]["phase"] for pod in cluster.pods()]
    assert status.get("failed", 0) >= ended.count("Failed")
    if "Complete" in conditions:
        assert status["succeeded"] == spec["completions"]
        assert status.get("failed", 0) <= spec["backoffLimit"]
    assert all("finalizers" not in pod["metadata"] for pod in cluster.pods())
    syncs = cluster.runner.syncs
    cluster.run(100_000)
    assert cluster.runner.syncs == syncs
