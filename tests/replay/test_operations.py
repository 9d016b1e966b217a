from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from tests.replay.scenarios import Lab, pod

if TYPE_CHECKING:
    from kubestage.aliases import Json


def deployment(image: str = "app:v1") -> Json:
    template = {
        "metadata": {"labels": {"app": "web"}},
        "spec": {"containers": [{"name": "c", "image": image}]},
    }
    spec = {"replicas": 1, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": spec,
    }


def get(lab: Lab, kind: str, name: str) -> Json:
    return lab.cluster.store.get((_VERSIONS.get(kind, "v1"), kind), name, lab.cluster.namespace)


_VERSIONS = {"Deployment": "apps/v1", "CronJob": "batch/v1", "Lease": "coordination.k8s.io/v1"}


def test_namespace_and_uids_of_the_recording_become_ours() -> None:
    lab = Lab()
    owner = {"apiVersion": "v1", "kind": "ConfigMap", "name": "a", "uid": "<uid:ConfigMap/a>"}
    lab.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    child = {"name": "b", "namespace": "$NS", "ownerReferences": [owner]}
    lab.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": child})
    (reference,) = get(lab, "ConfigMap", "b")["metadata"]["ownerReferences"]
    assert reference["uid"] == get(lab, "ConfigMap", "a")["metadata"]["uid"]


def test_refusals_are_told_as_recordings_tell_them() -> None:
    lab = Lab()
    lab.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}})
    refusal = lab.do(op="delete", kind="ConfigMap", name="b")
    assert refusal == {
        "code": 404,
        "reason": "NotFound",
        "message": 'configmaps "b" not found',
        "causes": [],
    }
    bad = pod("p", annotations={"controller.kubernetes.io/pod-deletion-cost": "x"})
    refusal = lab.do(op="create", manifest=bad)
    assert refusal is not None
    assert refusal["code"] == 422
    (cause,) = refusal["causes"]
    assert set(cause) == {"field", "reason", "message"}


def test_pods_are_picked_by_labels_in_order_of_creation() -> None:
    lab = Lab()
    lab.create(pod("z"), pod("a"), pod("m"))
    lab.run(5)
    lab.do(op="delete", kind="Pod", pick={"labels": {"app": "web"}, "index": 1})
    lab.run(0.1)
    lab.do(op="delete", kind="Pod", pick={"labels": {"app": "web"}, "index": 1})
    lab.run(3)
    assert set(lab.phases()) == {"z"}
    refusal = lab.do(op="delete", kind="Pod", pick={"labels": {"app": "web"}, "index": 1})
    assert refusal is not None
    assert refusal["reason"] == "NotFound"


def test_undo_goes_back_to_the_template_before() -> None:
    lab = Lab()
    lab.create(deployment("app:v1"))
    lab.run(3)
    image = [{"name": "c", "image": "app:v2"}]
    patch = {"spec": {"template": {"spec": {"containers": image}}}}
    lab.do(op="patch", kind="Deployment", name="web", patch=patch, type="strategic")
    lab.run(5)
    assert lab.do(op="undo", name="web", kind="Deployment") is None
    template = get(lab, "Deployment", "web")["spec"]["template"]
    assert template["spec"]["containers"][0]["image"] == "app:v1"
    assert "pod-template-hash" not in template["metadata"]["labels"]
    refusal = lab.do(op="undo", name="web", kind="Deployment", to_revision=9)
    assert refusal is not None


def test_scaling_goes_through_the_subresource() -> None:
    lab = Lab()
    lab.create(deployment())
    assert lab.do(op="scale", kind="Deployment", name="web", replicas=3) is None
    assert get(lab, "Deployment", "web")["spec"]["replicas"] == 3


def test_a_silent_node_keeps_the_time_of_its_last_renewal() -> None:
    lab = Lab()
    lab.run(10)
    lab.do(op="node-silent", name="n1")
    store = lab.cluster.store
    lease = store.get(("coordination.k8s.io/v1", "Lease"), "n1", "kube-node-lease")
    # It joined at :20, so it was last heard of at :28.
    assert lease["spec"]["renewTime"] == "2026-03-04T10:40:28.000000Z"
    assert "annotations" not in lease["metadata"]


def test_a_cronjob_seems_to_have_run_long_ago() -> None:
    lab = Lab()
    pod_spec = {"containers": [{"name": "c", "image": "x"}], "restartPolicy": "Never"}
    template = {"spec": {"template": {"spec": pod_spec}}}
    lab.create(
        {
            "apiVersion": "batch/v1",
            "kind": "CronJob",
            "metadata": {"name": "cj"},
            "spec": {"schedule": "0 0 1 1 *", "suspend": True, "jobTemplate": template},
        }
    )
    lab.do(op="backdate-cronjob", name="cj", seconds=7500)
    assert get(lab, "CronJob", "cj")["status"] == {"lastScheduleTime": "2026-03-04T08:35:23Z"}


@pytest.mark.parametrize(
    ("operation", "problem"),
    [
        ({"op": "dance"}, "no such operation: dance"),
        ({}, "no such operation: None"),
        ({"op": "create"}, "operation create lacks manifest"),
        ({"op": "delete", "kind": "Pod"}, "operation delete names no object"),
        ({"op": "delete", "kind": "Pood", "name": "x"}, 'the cluster has no kind "Pood"'),
    ],
)
def test_what_cannot_be_done_is_refused(operation: Json, problem: str) -> None:
    with pytest.raises(InputError) as caught:
        Lab().operator.do(operation)
    assert caught.value.problem == problem
