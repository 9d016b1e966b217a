"""The view of a pod."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

from kubestage.objects import resource_totals
from kubestage.objects.host_ports import HostPort
from kubestage.objects.taints import Toleration
from kubestage.objects.views import pod as pods
from kubestage.objects.views.pod import ResourceClaim, VolumeClaim
from kubestage.units import SECOND_NS
from tests.golden import vectors

NEAR = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"app": "web"}}}
POD: dict[str, Any] = {
    "metadata": {
        "name": "web-0",
        "namespace": "shop",
        "uid": "u-1",
        "labels": {"app": "web"},
        "annotations": {"note": "x"},
        "creationTimestamp": "1970-01-01T00:00:05Z",
        "deletionTimestamp": "1970-01-01T00:01:00Z",
        "ownerReferences": [{"name": "other"}, {"name": "web", "controller": True}],
    },
    "spec": {
        "nodeName": "n1",
        "schedulerName": "mine",
        "priority": 7,
        "preemptionPolicy": "Never",
        "nodeSelector": {"disk": "ssd"},
        "tolerations": [{"key": "k", "operator": "Exists", "tolerationSeconds": 30}],
        "affinity": {
            "nodeAffinity": {
                "preferredDuringSchedulingIgnoredDuringExecution": [
                    {
                        "weight": 5,
                        "preference": {"matchExpressions": [{"key": "gpu", "operator": "Exists"}]},
                    }
                ]
            },
            "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [NEAR]},
        },
        "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "zone"}],
        "schedulingGates": [{"name": "wait"}],
        "resourceClaims": [
            {"name": "a", "resourceClaimName": "claim"},
            {"name": "b", "resourceClaimTemplateName": "template"},
        ],
        "volumes": [
            {"name": "data", "persistentVolumeClaim": {"claimName": "data", "readOnly": True}},
            {"name": "scratch", "ephemeral": {}},
            {"name": "tmp", "emptyDir": {}},
            {"name": "art", "image": {"reference": "registry:5000/art"}},
        ],
        "initContainers": [{"name": "i", "image": "busybox@sha256:1", "resources": {}}],
        "containers": [
            {
                "name": "c",
                "image": "web",
                "ports": [{"hostPort": 80}],
                "resources": {"requests": {"cpu": "500m", "memory": "1Gi"}},
            }
        ],
        "overhead": {"cpu": "250m"},
    },
    "status": {
        "phase": "Running",
        "nominatedNodeName": "n2",
        "startTime": "1970-01-01T00:00:10Z",
        "resourceClaimStatuses": [{"name": "b", "resourceClaimName": "made"}],
    },
}


def _with(**spec: Any) -> dict[str, Any]:
    return {**POD, "spec": {**POD["spec"], **spec}}


def test_identity_and_status_are_read() -> None:
    view = pods.of(POD)
    assert (view.key, view.uid, view.phase) == ("shop/web-0", "u-1", "Running")
    assert (view.node_name, view.nominated_node_name) == ("n1", "n2")
    assert (view.labels, view.annotations) == ({"app": "web"}, {"note": "x"})
    assert (view.scheduler_name, view.priority, view.preemption_policy) == ("mine", 7, "Never")
    assert (view.creation_ns, view.start_ns, view.deletion_ns) == (
        5 * SECOND_NS,
        10 * SECOND_NS,
        60 * SECOND_NS,
    )
    assert view.owner == {"name": "web", "controller": True}
    assert not view.is_terminal
    assert view.raw is POD


def test_a_key_that_is_at_hand_is_taken_as_it_is() -> None:
    key = POD["metadata"]["namespace"] + "/web-0"
    assert pods.of(POD, key).key is key


def test_scheduling_parts_are_compiled() -> None:
    view = pods.of(POD)
    assert view.tolerations == (Toleration("k", "Exists", toleration_seconds=30),)
    assert view.host_ports == (HostPort("0.0.0.0", "TCP", 80),)
    assert view.required_node_affinity.matches("n", {"disk": "ssd"})
    assert not view.required_node_affinity.matches("n", {})
    assert view.preferred_node_terms.score("n", {"gpu": ""}) == 5
    assert [constraint.topology_key for constraint in view.spread_constraints] == ["zone"]
    assert view.scheduling_gates == ("wait",)


def test_affinity_terms_are_bound_to_the_pods_namespace() -> None:
    view = pods.of(POD)
    (term,) = view.required_affinity
    assert term.matches("shop", {"app": "web"}, {})
    assert view.affinity.required == view.required_affinity
    assert (view.required_anti_affinity, view.preferred_affinity) == ((), ())
    assert view.preferred_anti_affinity == ()
    assert (view.has_affinity, view.has_required_anti_affinity) == (True, False)


def test_required_anti_affinity_is_told_without_compiling_it() -> None:
    malformed = {"labelSelector": {"matchExpressions": [{"operator": "Bogus"}]}}
    apart = {"requiredDuringSchedulingIgnoredDuringExecution": [malformed]}
    view = pods.of(_with(affinity={"podAntiAffinity": apart}))
    assert view.has_required_anti_affinity
    assert view.required_anti_affinity == ()
    assert view.affinity.problems


def test_volumes_and_claims_are_read() -> None:
    view = pods.of(POD)
    assert view.volume_claims == (
        VolumeClaim("data", False, True),
        VolumeClaim("web-0-scratch", True),
    )
    assert view.resource_claims == (
        ResourceClaim("a", "claim", ""),
        ResourceClaim("b", "made", "template"),
    )


def test_images_have_their_tags_and_include_image_volumes() -> None:
    view = pods.of(POD)
    assert view.images == ("busybox@sha256:1", "web:latest", "registry:5000/art:latest")
    assert view.container_count == 2
    assert pods.of(_with(volumes=None)).images == ("busybox@sha256:1", "web:latest")


def test_an_empty_pod_has_the_defaults_of_the_scheduler() -> None:
    view = pods.of({})
    assert (view.name, view.namespace, view.node_name, view.labels) == ("", "", "", {})
    assert (view.scheduler_name, view.priority) == ("default-scheduler", 0)
    assert view.preemption_policy == "PreemptLowerPriority"
    assert view.required_node_affinity.empty
    assert view.preferred_node_terms.terms == ()
    assert (view.owner, view.creation_ns, view.annotations) == (None, None, {})
    assert (view.volume_claims, view.resource_claims, view.images) == ((), (), ())


def test_requests_agree_with_the_recorded_ones() -> None:
    for entry in vectors.load("podresources", "pod"):
        pod = entry["in"]
        view = pods.of(pod)
        usage = resource_totals.usage(pod)
        assert (view.requests, view.nonzero_cpu, view.nonzero_memory) == usage, entry["id"]
        assert view.fit_request == resource_totals.fit_request(pod), entry["id"]


def test_pods_of_one_template_share_their_plan() -> None:
    first = pods.of(POD)
    twin = copy.deepcopy(POD)
    twin["metadata"] |= {"name": "web-1", "uid": "u-2"}
    twin["spec"]["nodeName"] = "n9"
    twin["spec"]["containers"][0]["env"] = [{"name": "A", "value": "1"}]
    second = pods.of(twin)
    assert second.plan is first.plan
    assert (second.name, second.node_name) == ("web-1", "n9")


@pytest.mark.parametrize(
    "change",
    [
        {"nodeSelector": {"disk": "hdd"}},
        {"tolerations": []},
        {"overhead": None},
        {"affinity": None},
        {"topologySpreadConstraints": None},
        {"resources": {"requests": {"cpu": "9"}}},
        {"containers": []},
        {"initContainers": []},
    ],
)
def test_pods_that_differ_for_scheduling_have_different_plans(change: dict[str, Any]) -> None:
    assert pods.of(_with(**change)).plan is not pods.of(POD).plan


def test_the_namespace_is_part_of_the_plan() -> None:
    moved = {**POD, "metadata": {**POD["metadata"], "namespace": "other"}}
    assert not pods.of(moved).required_affinity[0].matches("shop", {"app": "web"}, {})


def test_a_later_change_of_the_object_does_not_reach_a_plan() -> None:
    pod = copy.deepcopy(POD)
    before = pods.of(pod)
    pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] = "8"
    assert before.requests.milli_cpu == 750
    assert pods.of(pod).requests.milli_cpu == 8250


def test_a_view_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        pods.of(POD).node_name = "n2"  # type: ignore[misc]  # the point of the test


def test_a_view_can_be_pickled() -> None:
    view = pods.of(POD)
    again = pickle.loads(pickle.dumps(view))
    assert again.requests == view.requests
    assert again.required_affinity == view.required_affinity
