"""What components list and watch is in the metrics of the API server, and takes seats."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.cluster.access import Call, Resource
from kubestage.cluster.profile import ApiSection, Profile
from tests.cluster import stages
from tests.cluster.stages import Heard

if TYPE_CHECKING:
    from kubestage.cluster.staged import StagedCluster
    from kubestage.stage import Stage

NAMESPACE = Resource("v1", "Namespace")


def counted(cluster: StagedCluster, verb: str) -> dict[tuple[str, str], int]:
    """Calls of a verb by resource and scope."""
    cluster.families("apiserver")
    return {
        (each.name.resource, each.name.scope): sum(each.codes.values())
        for each in cluster.api.endpoints
        if each.name.verb == verb and each.codes
    }


def with_volumes(name: str, *maps: str, token: bool = False) -> dict[str, Any]:
    pod = stages.pod(name)
    volumes: list[dict[str, Any]] = [{"name": each, "configMap": {"name": each}} for each in maps]
    if token:
        source = {"serviceAccountToken": {"path": "token", "expirationSeconds": 3600}}
        volumes.append({"name": "token", "projected": {"sources": [source]}})
    pod["spec"]["volumes"] = volumes
    pod["spec"]["nodeName"] = "node-0"
    return pod


def config_maps(stage: Stage, *names: str) -> None:
    for name in names:
        stage.store.create({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}})


def test_a_kubelet_that_starts_lists_what_it_is_interested_in() -> None:
    stage, cluster = stages.alive(nodes=2)
    assert counted(cluster, "LIST") == {}, "what was there has been listed before"
    stage.store.create(stages.node("late"))
    assert counted(cluster, "LIST") == {
        ("nodes", "resource"): 1,
        ("pods", "cluster"): 1,
        ("services", "cluster"): 1,
        ("csidrivers", "cluster"): 1,
        ("runtimeclasses", "cluster"): 1,
    }


def test_a_kubelet_lists_what_pods_mount_once_while_they_do() -> None:
    stage, cluster = stages.alive(nodes=1)
    config_maps(stage, "a", "b")
    stage.store.create(with_volumes("one", "a"))
    stage.store.create(with_volumes("two", "a", "b"))
    assert counted(cluster, "LIST")["configmaps", "resource"] == 2
    for name in ("one", "two"):
        stage.store.delete(("v1", "Pod"), name)
    stage.run("60s")
    stage.store.create(with_volumes("three", "a"))
    assert counted(cluster, "LIST")["configmaps", "resource"] == 3


def test_a_kubelet_requests_the_token_that_a_pod_mounts() -> None:
    stage, cluster = stages.alive(nodes=1)
    stage.store.create(with_volumes("one", token=True))
    stage.store.create(with_volumes("two"))
    assert counted(cluster, "POST")["serviceaccounts", "resource"] == 1


def test_watches_are_opened_again_after_five_to_ten_minutes() -> None:
    stage, cluster = stages.alive(nodes=3)
    stage.run("45m")
    found = counted(cluster, "WATCH")
    assert found["nodes", "resource"] == 3 * 6
    assert found["runtimeclasses", "cluster"] == (3 + 1) * 6, "kubelets, and the controllers"
    assert found["deployments", "cluster"] == 6
    assert ("events", "cluster") not in found
    assert not any(resource in ("scenarios", "traffics") for resource, _ in found)


def test_the_watches_of_a_node_end_with_it() -> None:
    stage, cluster = stages.alive(nodes=1)
    config_maps(stage, "a")
    stage.store.create(with_volumes("one", "a"))
    counted(cluster, "WATCH")
    stage.store.delete(("v1", "Node"), "node-0")
    stage.run("75m")
    found = counted(cluster, "WATCH")
    assert found["runtimeclasses", "cluster"] == 10
    assert ("nodes", "resource") not in found
    assert ("configmaps", "resource") not in found


def test_a_namespace_that_ends_is_emptied_and_listed_kind_by_kind() -> None:
    stage, cluster = stages.alive(nodes=1)
    stage.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    for index in range(5):
        body = stages.deployment(f"web-{index}", 0)
        body["metadata"]["namespace"] = "shop"
        stage.store.create(body)
    stage.run("10s")
    assert ("deployments", "namespace") not in counted(cluster, "LIST")
    heard = Heard()
    cluster.call(Call(verb="delete", resource=NAMESPACE, name="shop"), heard.answer)
    stage.run("60s")
    assert stage.store.read(("apps/v1", "Deployment")) == {}
    deletions = counted(cluster, "DELETECOLLECTION")
    assert deletions["deployments", "namespace"] == 1
    assert counted(cluster, "LIST")["deployments", "namespace"] == 1
    assert ("nodes", "namespace") not in deletions
    assert ("deployments", "resource") not in counted(cluster, "DELETE"), "no call for each"


def test_the_lists_of_components_take_seats() -> None:
    profile = Profile(
        api=ApiSection(max_requests_inflight=1, max_mutating_requests_inflight=0, list="200ms")
    )
    stage, cluster = stages.empty(profile)
    stage.store.create(stages.node("late"))
    heard = Heard()
    cluster.call(stages.create(stages.pod("a")), heard.answer)
    stage.run("5s")
    assert heard.answers[0].ended_ns == 1_000 * stages.MS, "five lists were before it"


def test_leaders_renew_their_leases_and_need_not_read_them() -> None:
    stage, cluster = stages.empty()
    cluster.families("apiserver")
    stage.run("60s")
    assert counted(cluster, "GET") == {}
    assert counted(cluster, "PUT") == {("leases", "resource"): 60}
