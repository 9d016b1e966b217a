"""Changes have no more parts than they need, with answers that were computed by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import gvk, yaml_text
from kubestage.runs import fit
from kubestage.scheduler import config
from kubestage.testing import make_node, make_pod, make_priority_class
from tests.runs.fit.clusters import change_of, is_placed_after, kinds, pod_on, stage_with
from tests.runs.fit.manifests import Manifests, node_of

if TYPE_CHECKING:
    from kubestage.aliases import Json

_BOTH = ["dedicated=db:NoSchedule", "gpu:NoSchedule"]


def _texts(*objects: Json, pod: Json) -> list[str]:
    stage = stage_with(*objects, pods=(pod,))
    pending = pod_on(stage, "web")
    found = fit.advise(stage, pending)
    for change in found.changes:
        assert is_placed_after(stage.fork(), pending, change), change
    return [each.text for each in found.changes]


def _leaving(name: str, node: str) -> Json:
    pod: Json = make_pod(name, cpu="4", node_name=node)
    times = {"deletionTimestamp": "2026-01-01T00:00:30Z", "deletionGracePeriodSeconds": 30}
    pod["metadata"] |= times
    return pod


def _quota(**hard: str) -> Json:
    limits = {name.replace("_", "."): amount for name, amount in hard.items()}
    return {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "team", "namespace": "default"},
        "spec": {"hard": limits},
    }


def test_of_two_taints_only_that_of_the_node_with_room_is_tolerated() -> None:
    small = make_node("a", cpu="1", taints=_BOTH)
    texts = _texts(small, make_node("b", cpu="4", taints=_BOTH[:1]), pod=make_pod("web", cpu="2"))
    assert texts[0] == "tolerate the taint dedicated=db:NoSchedule (b)"
    assert sum("tolerate" in text for text in texts) == 1


def test_only_the_labels_that_no_node_has_are_dropped() -> None:
    node = make_node("a", labels={"disk": "ssd"})
    pod = make_pod("web", node_selector={"disk": "ssd", "arch": "arm", "rack": "7"})
    assert _texts(node, pod=pod) == ["drop arch=arm and rack=7 from its nodeSelector"]


def test_only_pods_in_the_way_are_waited_for() -> None:
    nodes = (make_node("a", cpu="4"), make_node("b", cpu="2", taints=_BOTH))
    texts = _texts(*nodes, _leaving("old", "a"), _leaving("far", "b"), pod=make_pod("web", cpu="4"))
    assert texts[0] == "wait until default/old, which is being deleted, is gone"


def test_three_requests_are_lowered_together_if_no_two_are_enough() -> None:
    gpu = {"example.com/gpu": "2"}
    pod = make_pod("web", cpu="6", memory="12Gi", requests=gpu, limits=gpu)
    node = make_node("a", cpu="4", memory="8Gi", resources={"example.com/gpu": "1"})
    (text,) = _texts(node, pod=pod)
    assert text == (
        "lower its cpu request from 6 to 4, and lower its memory request from 12Gi to 8Gi, "
        "and lower its example.com/gpu request from 2 to 1"
    )


def test_a_quota_is_raised_only_for_what_is_left_to_request() -> None:
    made = Manifests(
        [make_node("a", cpu="4"), make_pod("x", cpu="1", node_name="a"), _quota(requests_cpu="2")],
        make_pod("web", cpu="6"),
    )
    found = fit.advise(made.run(), made.pod)
    # 1 is free in the quota, 3 on the node. To give up most of a request touches more.
    raised, lowered = found.changes
    assert raised.text == (
        "raise the quota default/team: requests.cpu from 2 to 4, "
        "and lower its cpu request from 6 to 3"
    )
    assert lowered.text == "lower its cpu request from 6 to 1"
    for change in found.changes:
        assert node_of(made.edited(change.patch).run())


def test_pods_that_nobody_replaces_give_their_quota_back() -> None:
    made = Manifests(
        [make_node("a", cpu="2"), make_pod("x", cpu="1", node_name="a"),
         make_pod("y", cpu="1", node_name="a"), _quota(pods="2")],
        make_pod("web", cpu="2"),
    )  # fmt: skip
    found = fit.advise(made.run(), made.pod)
    assert "raise-quota" not in change_of(found, "remove-pods").kind


@pytest.mark.parametrize("is_there", [False, True])
def test_a_claim_is_bound_to_a_volume_that_a_person_creates(is_there: bool) -> None:
    claim: dict[str, Any] = {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": "data", "namespace": "default"},
        "spec": {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": "",
            "resources": {"requests": {"storage": "1Gi"}},
        },
    }
    volumes = [{"name": "data", "persistentVolumeClaim": {"claimName": "data"}}]
    objects = [make_node("a"), *([claim] if is_there else [])]
    made = Manifests(objects, make_pod("web", volumes=volumes))
    stage = made.run()
    found = fit.advise(stage, pod_on(stage, "web"))
    assert kinds(found) == ["bind-claim" if is_there else "create-claim"]
    added = found.changes[0].patch["add"]
    assert all("uid" not in (each["spec"].get("claimRef") or {}) for each in added)
    again = made.edited(found.changes[0].patch).run()
    assert node_of(again) == "a"
    assert again.store.get(gvk.PERSISTENT_VOLUME_CLAIM, "data")["status"]["phase"] == "Bound"


def test_a_search_leaves_host_ports_as_they_are() -> None:
    """The pod and its victim have the same port: one goes before the other comes back."""
    holder = make_pod("old", host_ports=[8080], node_name="a", labels={"app": "old"})
    classes = make_priority_class("high", 100)
    pod = make_pod("web", host_ports=[8080], node_selector={"disk": "ssd"})
    texts = _texts(classes, make_node("a"), holder, pod=pod)
    assert "drop disk=ssd from its nodeSelector" not in texts
    assert "drop disk=ssd from its nodeSelector, and drop its host port 8080/TCP" in texts


def test_amounts_that_only_some_nodes_lack() -> None:
    nodes = [make_node("a", cpu="8", memory="1Gi"), make_node("b", cpu="1", memory="8Gi")]
    stage = stage_with(*nodes, pods=(make_pod("web", cpu="4", memory="4Gi"),))
    assert fit.advise(stage, pod_on(stage, "web")).numbers == [
        "needs 4 cpu; 1 of 2 nodes has that much free (node a 8, the most)",
        "needs 4Gi memory; 1 of 2 nodes has that much free (node b 8Gi, the most)",
    ]


@pytest.mark.parametrize(
    ("request_", "offered", "expected"),
    [
        ({"cpu": "14"}, {"cpu": "9300m"}, "needs 14 cpu; node a has 9.3 free"),
        ({"memory": "2Gi"}, {"memory": "1536Mi"}, "needs 2Gi memory; node a has 1.5Gi free"),
        ({"ephemeral-storage": "5Gi"}, {"ephemeral-storage": "3Gi"},
         "needs 5Gi ephemeral-storage; node a has 3Gi free"),
        ({"nvidia.com/gpu": "4"}, {"nvidia.com/gpu": "3"},
         "needs 4 nvidia.com/gpu; node a has 3 free"),
    ],
)  # fmt: skip
def test_every_resource_has_its_numbers(
    request_: dict[str, str], offered: dict[str, str], expected: str
) -> None:
    node = make_node("a")
    node["status"] = {"capacity": {**node["status"]["capacity"], **offered},
                      "allocatable": {**node["status"]["allocatable"], **offered}}  # fmt: skip
    limits = {name: each for name, each in request_.items() if "nvidia" in name}
    stage = stage_with(node, pods=(make_pod("web", requests=request_, limits=limits),))
    (line,) = fit.advise(stage, pod_on(stage, "web")).numbers
    assert line.startswith(expected)


def test_a_node_without_a_place_is_named() -> None:
    stage = stage_with(
        make_node("a", pods=1), make_pod("x", node_name="a"), pods=(make_pod("web"),)
    )
    assert fit.advise(stage, pod_on(stage, "web")).numbers == [
        "needs a place; node a has as many pods as it takes (1)"
    ]


def test_the_profile_of_the_pod_decides() -> None:
    off = {"filter": {"disabled": [{"name": "TaintToleration"}]}}
    profiles = [{"schedulerName": "strict"}, {"schedulerName": "bold", "plugins": off}]
    stated = {
        "apiVersion": "kubescheduler.config.k8s.io/v1",
        "kind": "KubeSchedulerConfiguration",
        "profiles": profiles,
    }
    configuration = config.load(yaml_text.dump(stated))
    stage = stage_with(make_node("a", taints=_BOTH), configuration=configuration)
    strict = fit.advise(stage, make_pod("web", scheduler_name="strict"))
    assert kinds(strict) == ["tolerate-taint"]
    assert fit.advise(stage, make_pod("web", scheduler_name="bold")).fits
