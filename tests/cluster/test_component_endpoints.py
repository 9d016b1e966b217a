"""Which calls of components the ends and updates of objects are, as in kube-apiserver's metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.cluster.access import Call, Resource
from kubestage.cluster.priority_levels import SYSTEM, WORKLOAD_HIGH
from kubestage.cluster.profile import ApiSection, Profile
from kubestage.objects import gvk
from tests.cluster import stages
from tests.cluster.stages import Heard

if TYPE_CHECKING:
    from kubestage.cluster.staged import StagedCluster

JOB_FINALIZER = "batch.kubernetes.io/job-tracking"


def _calls(cluster: StagedCluster, resource: str) -> dict[str, int]:
    """How often each verb was counted, with the subresource if there is one."""
    cluster.families("apiserver")
    return {
        "/".join(filter(None, (each.name.verb, each.name.subresource))): sum(each.codes.values())
        for each in cluster.api.endpoints
        if each.name.resource == resource and each.codes and each.name.verb != "WATCH"
    }


def _new(before: dict[str, int], after: dict[str, int]) -> dict[str, int]:
    found = {verb: count - before.get(verb, 0) for verb, count in after.items()}
    return {verb: count for verb, count in found.items() if count}


def _delete(cluster: StagedCluster, resource: Resource, name: str, **options: Any) -> None:
    call = Call(verb="delete", resource=resource, namespace="default", name=name, **options)
    cluster.call(call, Heard().answer)


def _job(name: str) -> dict[str, Any]:
    template = {"spec": {**stages.pod("")["spec"], "restartPolicy": "Never"}}
    return {
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": {"name": name},
        "spec": {"template": template},
    }


def test_events_that_expire_are_no_calls() -> None:
    stage, cluster = stages.alive()
    cluster.call(stages.create(stages.deployment("web", 2)), Heard().answer)
    stage.run("1m")
    written = _calls(cluster, "events")
    assert written["POST"] > 4
    stage.run("2h")
    assert not stage.store.read(gvk.EVENT)
    assert _new(written, _calls(cluster, "events")) == {}


def test_repeated_events_are_patched() -> None:
    stage, cluster = stages.alive(nodes=0)
    cluster.call(stages.create(stages.pod("waits")), Heard().answer)
    stage.run("20m")
    found = _calls(cluster, "events")
    assert found["PATCH"] >= 1
    assert "PUT" not in found


def test_the_end_of_a_pods_time_is_a_part_of_the_kubelets_call() -> None:
    stage, cluster = stages.alive()
    cluster.call(stages.create(stages.deployment("web", 3)), Heard().answer)
    stage.run("1m")
    before = _calls(cluster, "pods")
    assert "PUT" not in before
    _delete(cluster, stages.DEPLOYMENT, "web", propagation="Background")
    stage.run("2m")
    found = _new(before, _calls(cluster, "pods"))
    assert found["DELETE"] == 2 * 3, "the collector's, then the kubelet's"
    assert found["GET"] == 3 + found["PATCH/status"], "the collector reads, and the kubelet"
    assert set(found) == {"DELETE", "GET", "PATCH/status"}
    assert _calls(cluster, "replicasets")["GET"] == 1


def test_a_pod_without_a_node_goes_by_one_call() -> None:
    stage, cluster = stages.alive(nodes=0)
    cluster.call(stages.create(stages.deployment("web", 3)), Heard().answer)
    stage.run("1m")
    before = _calls(cluster, "pods")
    assert "GET" not in before, "the scheduler does not read what it reports as unschedulable"
    _delete(cluster, stages.DEPLOYMENT, "web", propagation="Background")
    stage.run("2m")
    assert _new(before, _calls(cluster, "pods")) == {"DELETE": 3, "GET": 3}


def test_what_a_service_leaves_behind_is_collected() -> None:
    stage, cluster = stages.alive()
    service = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": "web"},
        "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
    }
    cluster.call(stages.create(service), Heard().answer)
    cluster.call(stages.create(stages.deployment("web", 2)), Heard().answer)
    stage.run("1m")
    before = _calls(cluster, "endpointslices")
    _delete(cluster, Resource("v1", "Service"), "web")
    stage.run("1m")
    assert _new(before, _calls(cluster, "endpointslices")) == {"DELETE": 1, "GET": 1}


def test_a_collector_reads_nothing_where_a_controller_scales_down() -> None:
    stage, cluster = stages.alive()
    cluster.call(stages.create(stages.deployment("web", 3)), Heard().answer)
    stage.run("1m")
    before = _calls(cluster, "pods")
    scaled = stages.deployment("web", 1)
    patch = Call(
        verb="patch",
        resource=stages.DEPLOYMENT,
        namespace="default",
        name="web",
        body={"spec": scaled["spec"]},
    )
    cluster.call(patch, Heard().answer)
    stage.run("2m")
    found = _new(before, _calls(cluster, "pods"))
    assert found["DELETE"] == 2 * 2
    assert found["GET"] == found["PATCH/status"]


def test_the_finalizer_of_a_jobs_pod_goes_by_a_patch() -> None:
    stage, cluster = stages.alive()
    cluster.call(stages.create(_job("once")), Heard().answer)
    stage.run("1m")
    (pod,) = stage.store.read(gvk.POD).values()
    assert JOB_FINALIZER in pod["metadata"]["finalizers"]
    before = _calls(cluster, "pods")
    _delete(cluster, Resource("batch/v1", "Job"), "once", propagation="Background")
    stage.run("2m")
    assert not stage.store.read(gvk.POD)
    found = _new(before, _calls(cluster, "pods"))
    assert found["PATCH"] == 1
    assert found["DELETE"] == 2


def test_a_claim_goes_by_the_update_that_takes_its_finalizer() -> None:
    stage, cluster = stages.alive()
    claim = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    cluster.call(stages.create(claim), Heard().answer)
    stage.run("10s")
    before = _calls(cluster, "persistentvolumeclaims")
    _delete(cluster, Resource("v1", "PersistentVolumeClaim"), "data")
    stage.run("10s")
    assert not stage.store.read(gvk.PERSISTENT_VOLUME_CLAIM)
    found = _new(before, _calls(cluster, "persistentvolumeclaims"))
    assert found == {"DELETE": 1, "PUT": 1}


def test_a_namespace_goes_by_its_finalization() -> None:
    stage, cluster = stages.alive()
    space = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "space"}}
    cluster.call(Call(verb="create", resource=Resource.of(space), body=space), Heard().answer)
    stage.run("10s")
    before = _calls(cluster, "namespaces")
    gone = Call(verb="delete", resource=Resource("v1", "Namespace"), name="space")
    cluster.call(gone, Heard().answer)
    stage.run("1m")
    assert "space" not in stage.store.read(gvk.NAMESPACE)
    found = _new(before, _calls(cluster, "namespaces"))
    assert found["DELETE"] == found["PUT/finalize"] == 1
    assert "PUT" not in found


def test_labels_and_taints_of_nodes_are_patched() -> None:
    _, cluster = stages.alive(nodes=2)
    found = _calls(cluster, "nodes")
    assert found["PATCH"] >= 2
    assert "PUT" not in found


def test_calls_about_pods_have_the_levels_of_those_who_make_them() -> None:
    stage, cluster = stages.alive(Profile(api=ApiSection(priority_levels=True)), nodes=0)
    levels = cluster.api.levels
    assert levels is not None
    system, high = levels.by_name[SYSTEM], levels.by_name[WORKLOAD_HIGH]
    before = system.dispatched
    cluster.call(stages.create(stages.deployment("web", 2)), Heard().answer)
    stage.run("1m")
    assert system.dispatched == before, "what cannot be scheduled is reported by the scheduler"
    assert high.dispatched >= 4
    stage.load([stages.node("node-0")])
    stage.run("1m")
    assert system.dispatched > before, "kubelets report the others"
