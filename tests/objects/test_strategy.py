from __future__ import annotations

import copy
from typing import Any

import hypothesis
import pytest

from kubestage.objects import defaulting, strategy
from kubestage.objects.kinds import loader
from tests.objects import arbitrary_objects

NOW = "2026-01-01T00:00:00Z"


def make(api_version: str, kind: str, **parts: Any) -> dict[str, Any]:
    meta = {"name": "x", "namespace": "n", "uid": "u", "generation": 3, "resourceVersion": "7"}
    return defaulting.stored({"apiVersion": api_version, "kind": kind, "metadata": meta, **parts})


def make_pod(**spec: Any) -> dict[str, Any]:
    return make("v1", "Pod", spec={"containers": [{"name": "c", "image": "i"}], **spec})


def test_a_new_pod_is_pending_and_knows_its_quality_of_service() -> None:
    pod = strategy.prepare_for_create({**make_pod(), "status": {"phase": "Running"}})
    assert pod["status"] == {"phase": "Pending", "qosClass": "BestEffort"}
    assert pod["metadata"]["generation"] == 1


def test_a_gated_pod_says_why_it_waits() -> None:
    pod = strategy.prepare_for_create(make_pod(schedulingGates=[{"name": "g"}]), now=NOW)
    (condition,) = pod["status"]["conditions"]
    assert condition["reason"] == "SchedulingGated"
    assert condition["lastTransitionTime"] == NOW


def test_label_keys_become_part_of_the_selector() -> None:
    constraint = {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {},
        "matchLabelKeys": ["app"],
    }
    pod = make_pod(topologySpreadConstraints=[constraint])
    pod["metadata"]["labels"] = {"app": "web"}
    prepared = strategy.prepare_for_create(pod)
    selector = prepared["spec"]["topologySpreadConstraints"][0]["labelSelector"]
    assert selector["matchExpressions"] == [{"key": "app", "operator": "In", "values": ["web"]}]


def test_a_new_namespace_is_active_and_held_by_kubernetes() -> None:
    namespace = strategy.prepare_for_create(make("v1", "Namespace"))
    assert namespace["spec"]["finalizers"] == ["kubernetes"]
    assert namespace["status"] == {"phase": "Active"}
    labels = strategy.canonicalize(namespace)["metadata"]["labels"]
    assert labels == {"kubernetes.io/metadata.name": "x"}


def test_a_node_registers_with_its_status() -> None:
    node = make("v1", "Node", status={"capacity": {"cpu": "4"}})
    prepared = strategy.prepare_for_create(node)
    assert prepared["status"]["capacity"] == {"cpu": "4"}


@pytest.mark.parametrize("kind", ["Deployment", "DaemonSet", "StatefulSet", "ReplicaSet"])
def test_a_new_workload_has_no_status_whatever_it_says(kind: str) -> None:
    obj = strategy.prepare_for_create(make("apps/v1", kind, status={"observedGeneration": 5}))
    assert "observedGeneration" not in obj["status"]
    assert obj["metadata"]["generation"] == 1


def test_a_new_object_is_not_being_deleted() -> None:
    pod = make_pod()
    pod["metadata"] |= {"deletionTimestamp": NOW, "deletionGracePeriodSeconds": 5}
    meta = strategy.prepare_for_create(pod)["metadata"]
    assert "deletionTimestamp" not in meta
    assert "deletionGracePeriodSeconds" not in meta
    assert meta["uid"] == "u"
    assert "uid" not in strategy.wipe_system_fields(pod)["metadata"]


def test_a_job_selects_its_pods_by_its_uid() -> None:
    job = strategy.prepare_for_create(make("batch/v1", "Job", spec={"template": {}}))
    assert job["spec"]["selector"] == {"matchLabels": {"batch.kubernetes.io/controller-uid": "u"}}
    assert job["spec"]["template"]["metadata"]["labels"]["batch.kubernetes.io/job-name"] == "x"


@pytest.mark.parametrize(
    ("own", "template", "expected"),
    [
        (None, {"app": "j"}, {"app", "controller-uid", "job-name"}),
        ({"app": "j"}, {"app": "j"}, {"app"}),
        (None, None, {"controller-uid", "job-name"}),
    ],
)
def test_a_job_without_labels_has_those_of_its_template(
    own: dict[str, str] | None, template: dict[str, str] | None, expected: set[str]
) -> None:
    spec = {"template": {"metadata": {"labels": template}, "spec": {"restartPolicy": "Never"}}}
    metadata = {"name": "j", "uid": "u", "labels": own}
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": metadata, "spec": spec}
    stored = strategy.stored(strategy.prepare_for_create(defaulting.stored(job)))
    plain = {name for name in stored["metadata"]["labels"] if "/" not in name}
    assert plain == expected


def test_a_changed_spec_is_a_new_generation_and_a_changed_label_is_not() -> None:
    old = make("apps/v1", "ReplicaSet", spec={"replicas": 1})
    same = strategy.prepare_for_update({**old, "metadata": {**old["metadata"], "labels": {}}}, old)
    assert same["metadata"]["generation"] == 3
    new = {**old, "spec": {**old["spec"], "replicas": 2}}
    assert strategy.prepare_for_update(new, old)["metadata"]["generation"] == 4


def test_annotations_of_a_deployment_count() -> None:
    old = make("apps/v1", "Deployment")
    new = {**old, "metadata": {**old["metadata"], "annotations": {"a": "b"}}}
    assert strategy.prepare_for_update(new, old)["metadata"]["generation"] == 4


def test_a_changed_template_of_a_daemon_set_is_counted_apart() -> None:
    key = "deprecated.daemonset.template.generation"
    old = strategy.prepare_for_create(make("apps/v1", "DaemonSet"))
    assert old["metadata"]["annotations"][key] == "1"
    template = {**old["spec"]["template"], "metadata": {"labels": {"a": "b"}}}
    new = strategy.prepare_for_update({**old, "spec": {**old["spec"], "template": template}}, old)
    assert new["metadata"]["annotations"][key] == "2"


def test_spec_and_status_are_written_apart() -> None:
    old = make("v1", "ResourceQuota", spec={"hard": {"pods": "1"}}, status={"used": {"pods": "0"}})
    new = {**old, "spec": {"hard": {"pods": "2"}}, "status": {"used": {"pods": "9"}}}
    by_user = strategy.prepare_for_update(new, old)
    assert (by_user["spec"], by_user["status"]) == (new["spec"], old["status"])
    by_controller = strategy.prepare_for_update(new, old, "status")
    assert (by_controller["spec"], by_controller["status"]) == (old["spec"], new["status"])


def test_a_status_writer_cannot_take_over_a_pod() -> None:
    old = make_pod()
    old["metadata"]["ownerReferences"] = [{"uid": "o"}]
    new = {**old, "metadata": {**old["metadata"], "ownerReferences": []}}
    prepared = strategy.prepare_for_update(new, old, "status")
    assert prepared["metadata"]["ownerReferences"] == [{"uid": "o"}]


def test_conditions_keep_the_generation_they_were_about() -> None:
    old = make_pod()
    old["status"] = {
        "observedGeneration": 2,
        "conditions": [{"type": "Ready", "observedGeneration": 2}],
    }
    new = {**old, "status": {"conditions": [{"type": "Ready"}]}}
    status = strategy.prepare_for_update(new, old, "status")["status"]
    assert status["observedGeneration"] == 2
    assert status["conditions"][0]["observedGeneration"] == 2


def test_a_resize_changes_resources_only() -> None:
    old = make_pod(nodeName="n1")
    new = make_pod(nodeName="n2")
    new["spec"]["containers"][0]["resources"] = {"requests": {"cpu": "1"}}
    spec = strategy.prepare_for_update(new, old, "resize")["spec"]
    assert spec["nodeName"] == "n1"
    assert spec["containers"][0]["resources"] == {"requests": {"cpu": "1"}}


def test_an_update_keeps_identity_and_deletion() -> None:
    old = make_pod()
    old["metadata"] |= {"creationTimestamp": NOW, "deletionTimestamp": NOW}
    new = {**old, "metadata": {"name": "x", "namespace": "n"}}
    meta = strategy.prepare_for_update(new, old)["metadata"]
    assert meta["uid"] == "u"
    assert meta["creationTimestamp"] == meta["deletionTimestamp"] == NOW
    assert meta["resourceVersion"] == "7"


def test_some_kinds_are_updated_only_by_those_who_saw_them() -> None:
    assert loader.behavior("v1", "Pod").unconditional_update
    assert not loader.behavior("coordination.k8s.io/v1", "Lease").unconditional_update
    old = make("policy/v1", "PodDisruptionBudget")
    new = {**old, "metadata": {"name": "x", "namespace": "n"}}
    assert "resourceVersion" not in strategy.prepare_for_update(new, old)["metadata"]


def test_a_claim_names_its_source_in_both_ways() -> None:
    source = {"kind": "PersistentVolumeClaim", "name": "c"}
    claim = make("v1", "PersistentVolumeClaim", spec={"dataSource": source})
    prepared = strategy.prepare_for_create(claim)
    assert prepared["spec"]["dataSourceRef"] == {**source, "apiGroup": None}
    other = make("v1", "PersistentVolumeClaim", spec={"dataSource": {"kind": "X", "name": "c"}})
    assert "dataSource" not in strategy.prepare_for_create(other)["spec"]


def test_a_new_claim_is_pending() -> None:
    claim = strategy.prepare_for_create(make("v1", "PersistentVolumeClaim", spec={}))
    assert strategy.stored(claim)["status"] == {"phase": "Pending"}
    bound = {**claim, "status": {"phase": "Bound"}}
    assert strategy.stored(bound) is bound


def test_a_volume_is_dated_when_its_phase_changes() -> None:
    old = strategy.prepare_for_create(make("v1", "PersistentVolume"), now=NOW)
    assert old["status"] == {"phase": "Pending", "lastPhaseTransitionTime": NOW}
    new = {**old, "status": {"phase": "Bound"}}
    prepared = strategy.prepare_for_update(new, old, "status", now="2027-01-01T00:00:00Z")
    assert prepared["status"]["lastPhaseTransitionTime"] == "2027-01-01T00:00:00Z"


def test_a_service_that_changes_its_type_gives_back_what_it_had() -> None:
    ports = [{"port": 80, "nodePort": 30000}]
    old = make("v1", "Service", spec={"type": "NodePort", "clusterIP": "10.0.0.1", "ports": ports})
    new = {**old, "spec": {**old["spec"], "type": "ExternalName"}}
    spec = strategy.prepare_for_update(new, old)["spec"]
    assert "clusterIP" not in spec
    assert "nodePort" not in spec["ports"][0]


def test_a_custom_resource_counts_everything_but_metadata_and_status() -> None:
    old = {"apiVersion": "e.com/v1", "kind": "T", "metadata": {"generation": 1}, "spec": {"a": 1}}
    new = {**old, "spec": {"a": 2}, "status": {"x": 1}}
    prepared = strategy.prepare_for_update(new, old)
    assert prepared["metadata"]["generation"] == 2
    assert "status" not in prepared
    assert strategy.prepare_for_create(new)["metadata"]["generation"] == 1


def test_kinds_of_our_own_are_counted_like_custom_resources() -> None:
    traffic = {"apiVersion": "kubestage.dev/v1alpha1", "kind": "Traffic", "metadata": {}}
    assert strategy.prepare_for_create(traffic)["metadata"]["generation"] == 1


@hypothesis.given(arbitrary_objects.objects())
def test_preparing_never_touches_its_input(obj: dict[str, Any]) -> None:
    # Custom resources are not brought into shape; whoever calls sees to their metadata.
    old = defaulting.stored({**obj, "metadata": obj.get("metadata") or {}})
    before = copy.deepcopy(old)
    created = strategy.prepare_for_create(old, now=NOW)
    for subresource in ("", "status"):
        strategy.prepare_for_update(created, old, subresource, now=NOW)
    assert old == before
