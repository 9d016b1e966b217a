"""Exports and recordings of kube-scheduler-simulator, run from beginning to end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage import Stage
from kubestage.scenario import kss_export, kss_recording, resource
from tests.scenario import kss_samples as samples
from tests.scenario.kss_samples import line

if TYPE_CHECKING:
    from kubestage.aliases import Json

POD = ("v1", "Pod")


def _run(scenario: Json, *, alive: bool = True) -> Stage:
    """A stage on which a Scenario has succeeded."""
    stage = Stage(seed=3, start=samples.at(0))
    stage.add_scheduler()
    if alive:
        stage.add_controllers()
    stage.store.create(scenario)
    stage.run_scenarios()
    status = stage.store.get(resource.SCENARIO, scenario["metadata"]["name"])["status"]
    assert (status["phase"], status.get("message") or "") == ("Succeeded", "")
    return stage


def _played(exported: Json, *, alive: bool = True) -> Stage:
    return _run(kss_export.scenario(exported), alive=alive)


def _replayed(*lines: str, alive: bool = True) -> Stage:
    return _run(kss_recording.scenario(kss_recording.read(lines)), alive=alive)


def _shop(**lists: Any) -> Json:
    nodes = [samples.node("n1"), samples.node("n2")]
    return samples.export(namespaces=[samples.namespace("shop")], nodes=nodes) | lists


def _nodes_of_pods(stage: Stage) -> dict[str, str | None]:
    pods = stage.store.read(POD)
    return {key: pod["spec"].get("nodeName") for key, pod in pods.items()}


def test_a_written_pod_gets_the_priority_of_its_class() -> None:
    spec = {
        "containers": [{"name": "main", "image": "app:1.0"}],
        "priorityClassName": "high",
    }
    stage = _played(
        _shop(
            pods=[{"metadata": {"name": "web", "namespace": "shop"}, "spec": spec}],
            priorityClasses=[{"metadata": {"name": "high"}, "value": 10}],
        )
    )
    assert stage.store.get(POD, "web", "shop")["spec"]["priority"] == 10


@pytest.mark.parametrize("alive", [True, False])
def test_bound_pods_stay_and_pending_ones_are_scheduled(alive: bool) -> None:
    exported = _shop(
        pods=[samples.bound(samples.pod("there", cpu="3"), "n1"), samples.pod("waits", cpu="2")]
    )
    stage = _played(exported, alive=alive)
    assert _nodes_of_pods(stage) == {"shop/there": "n1", "shop/waits": "n2"}
    there = stage.store.read(POD)["shop/there"]
    assert (there["status"]["podIP"], there["metadata"]["uid"]) == ("10.244.0.7", "uid-of-there")


def test_results_of_the_simulator_are_kept_as_they_are() -> None:
    web = samples.bound(samples.pod("web", meta={"annotations": samples.RESULTS}), "n1")
    stage = _played(_shop(pods=[web]))
    stored = stage.store.get(POD, "web", "shop")["metadata"]["annotations"]
    assert stored.items() >= samples.RESULTS.items()


def test_pods_outlive_owners_and_finalizers_that_are_not_exported() -> None:
    meta = {
        "ownerReferences": [
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "gone"}
        ],
        "finalizers": ["batch.kubernetes.io/job-tracking"],
    }
    stage = _played(_shop(pods=[samples.bound(samples.pod("web", meta=meta), "n1")]))
    stage.run("10m")
    stored = stage.store.get(POD, "web", "shop")["metadata"]
    assert not stored.get("ownerReferences")
    assert not stored.get("finalizers")


def test_a_pod_that_runs_to_completion_does_not_end_by_itself() -> None:
    job = samples.bound(samples.pod("job", restartPolicy="Never"), "n1")
    stage = _played(_shop(pods=[job]))
    stage.run("2h")
    assert stage.store.get(POD, "job", "shop")["status"]["phase"] == "Running"


def test_how_long_a_pod_runs_can_be_written_into_an_export() -> None:
    notes = {"kubestage.dev/run-duration": "30s"}
    job = samples.pod("job", restartPolicy="Never", meta={"annotations": notes})
    stage = _played(_shop(pods=[job]))
    stage.run("1m")
    assert stage.store.get(POD, "job", "shop")["status"]["phase"] == "Succeeded"


@pytest.mark.parametrize("without", [(), ("claim",), ("volume",), ("claim", "volume")])
def test_claims_and_volumes_stay_bound_with_and_without_uids(without: tuple[str, ...]) -> None:
    claim, volume = samples.claim("data", "pv1"), samples.volume("pv1", "data")
    if "claim" in without:
        del claim["metadata"]["uid"]
    if "volume" in without:
        del volume["spec"]["claimRef"]["uid"]
    stage = _played(_shop(pvcs=[claim], pvs=[volume], storageClasses=[samples.storage_class()]))
    stage.run("1m")
    bound = stage.store.get(("v1", "PersistentVolumeClaim"), "data", "shop")
    held = stage.store.get(("v1", "PersistentVolume"), "pv1")
    assert (bound["status"]["phase"], bound["spec"]["volumeName"]) == ("Bound", "pv1")
    assert held["status"]["phase"] == "Bound"
    assert held["spec"]["claimRef"]["uid"] == bound["metadata"]["uid"]


def test_what_every_cluster_has_may_be_exported_too() -> None:
    stage = _played(
        _shop(
            namespaces=[samples.namespace("default"), {"metadata": {"name": "kube-system"}}],
            priorityClasses=[
                {"metadata": samples.metadata("system-node-critical"), "value": 2000001000}
            ],
        )
    )
    assert stage.store.get(("v1", "Namespace"), "default")["metadata"]["uid"] == "uid-of-default"


_CLUSTER = (
    line(0, "Add", "Namespace", samples.namespace("shop")),
    line(0, "Add", "Node", samples.node("n1")),
    line(0, "Add", "Node", samples.node("n2")),
    line(1, "Add", "Pod", samples.bound(samples.pod("old", cpu="3"), "n1")),
)


def _new(name: str, seconds: float, cpu: str = "1", **spec: Any) -> Json:
    return samples.pod(name, cpu, meta={"creationTimestamp": samples.at(seconds)}, **spec)


@pytest.mark.parametrize("alive", [True, False])
def test_the_scheduler_at_work_decides_about_recorded_pods(alive: bool) -> None:
    web = _new("web", 10, cpu="2")
    stage = _replayed(
        *_CLUSTER,
        line(10, "Add", "Pod", web),
        line(10.1, "Update", "Pod", samples.bound(web, "n1")),
        alive=alive,
    )
    assert _nodes_of_pods(stage) == {"shop/old": "n1", "shop/web": "n2"}


def test_things_happen_when_they_happened() -> None:
    web = _new("web", 10, cpu="4")
    stage = _replayed(
        *_CLUSTER,
        line(10, "Add", "Pod", _new("first", 10, cpu="4")),
        line(600.5, "Add", "Pod", web),
        line(7200, "Delete", "Pod", samples.pod("old")),
    )
    assert _nodes_of_pods(stage) == {"shop/first": "n2", "shop/web": "n1"}
    timeline = stage.store.get(resource.SCENARIO, "recording")["status"]["scenarioResult"][
        "timeline"
    ]
    told = {step: [each["operation"] for each in events] for step, events in timeline.items()}
    assert told["600"] == ["Create", "PodUnscheduled"]
    assert told["7200"][-1] == "PodScheduled"
    assert stage.now == samples.at(7201)


def test_room_is_free_when_a_pod_has_run_as_long_as_it_ran() -> None:
    job = _new("job", 10, cpu="4", restartPolicy="Never")
    stage = _replayed(
        *_CLUSTER,
        line(10, "Add", "Pod", job),
        line(12, "Add", "Pod", _new("next", 12, cpu="4")),
        line(55, "Update", "Pod", samples.ended(job, 12, 52)),
        line(100, "Update", "Node", samples.heartbeat(samples.node("n1"), 100)),
    )
    pods = stage.store.read(POD)
    assert pods["shop/job"]["status"]["phase"] == "Succeeded"
    assert pods["shop/next"]["spec"]["nodeName"] == "n2"
    ended = pods["shop/job"]["status"]["containerStatuses"][0]["state"]["terminated"]
    assert samples.at(50) <= ended["finishedAt"] <= samples.at(56)


def test_a_pod_is_gone_when_it_was_gone_and_may_come_again() -> None:
    web, again = _new("web", 10), _new("web", 20)
    again["metadata"]["uid"] = "another"
    stage = _replayed(
        *_CLUSTER,
        line(10, "Add", "Pod", web),
        line(20, "Delete", "Pod", web),
        line(20.1, "Add", "Pod", again),
    )
    assert stage.store.get(POD, "web", "shop")["metadata"]["uid"] == "another"


def test_a_node_is_cordoned_when_it_was_cordoned() -> None:
    cordoned = {**samples.node("n2"), "spec": {"unschedulable": True}}
    stage = _replayed(
        *_CLUSTER,
        line(10, "Update", "Node", cordoned),
        line(11, "Add", "Pod", _new("web", 11, cpu="2")),
    )
    assert _nodes_of_pods(stage)["shop/web"] is None


def test_a_gate_is_lifted_when_it_was_lifted() -> None:
    gated = _new("web", 10, schedulingGates=[{"name": "example.com/wait"}])
    free = _new("web", 10)
    before = _replayed(*_CLUSTER, line(10, "Add", "Pod", gated))
    after = _replayed(*_CLUSTER, line(10, "Add", "Pod", gated), line(30, "Update", "Pod", free))
    assert _nodes_of_pods(before)["shop/web"] is None
    assert _nodes_of_pods(after)["shop/web"] == "n2"


def test_a_claim_that_was_pending_is_provisioned_here() -> None:
    waits = {**samples.storage_class(), "volumeBindingMode": "WaitForFirstConsumer"}
    data = samples.claim("data")
    mounted = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    there = samples.volume("pvc-there", "data")
    there["metadata"]["annotations"] = {"pv.kubernetes.io/provisioned-by": "disks.example.com"}
    stage = _replayed(
        line(0, "Add", "StorageClass", waits, "storage.k8s.io/v1"),
        line(0, "Add", "PersistentVolumeClaim", data),
        *_CLUSTER,
        line(10, "Add", "Pod", _new("db", 10, cpu="2", volumes=mounted)),
        line(12, "Add", "PersistentVolume", there),
        line(13, "Update", "PersistentVolumeClaim", samples.claim("data", "pvc-there")),
        line(60, "Update", "Node", samples.heartbeat(samples.node("n1"), 60)),
    )
    bound = stage.store.get(("v1", "PersistentVolumeClaim"), "data", "shop")
    assert bound["status"]["phase"] == "Bound"
    assert bound["spec"]["volumeName"] == "pvc-uid-of-data"
    assert list(stage.store.read(("v1", "PersistentVolume"))) == ["pvc-uid-of-data"]


def test_the_same_recording_gives_the_same_result() -> None:
    lines = (*_CLUSTER, *(line(n, "Add", "Pod", _new(f"p{n}", n)) for n in range(5, 15)))
    first, second = (_replayed(*lines) for _ in range(2))
    status = [each.store.get(resource.SCENARIO, "recording")["status"] for each in (first, second)]
    assert status[0] == status[1]
