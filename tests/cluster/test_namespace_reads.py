"""Lists of one namespace that the control plane makes because of pods and claims in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.cluster.profile import ApiSection, Profile
from kubestage.metrics.families import Counter
from tests.cluster import stages
from tests.cluster.test_component_reads import counted

if TYPE_CHECKING:
    from kubestage.stage import Stage

LIMITS = ("limitranges", "namespace")
PODS = ("pods", "namespace")
CLAIM = ("v1", "PersistentVolumeClaim")


def claim(name: str) -> dict[str, Any]:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name},
        "spec": spec,
    }


def claims(stage: Stage, *names: str) -> None:
    for name in names:
        stage.store.create(claim(name))
    stage.run("1s")


def using(name: str, used: str) -> dict[str, Any]:
    pod = stages.pod(name)
    pod["spec"]["volumes"] = [{"name": "data", "persistentVolumeClaim": {"claimName": used}}]
    pod["spec"]["nodeName"] = "node-0"
    return pod


def test_limits_are_listed_for_pods_and_claims_once_in_thirty_seconds() -> None:
    stage, cluster = stages.alive(nodes=1)
    assert LIMITS not in counted(cluster, "LIST")
    stage.store.create(stages.pod("a"))
    stage.store.create(claim("b"))
    stage.run("29s")
    stage.store.create(stages.pod("c"))
    assert counted(cluster, "LIST")[LIMITS] == 1
    stage.run("2s")
    assert counted(cluster, "LIST")[LIMITS] == 1, "changes of pods are not checked"
    stage.store.create(claim("d"))
    assert counted(cluster, "LIST")[LIMITS] == 2
    stage.store.create({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    other = stages.pod("e")
    other["metadata"]["namespace"] = "shop"
    stage.store.create(other)
    assert counted(cluster, "LIST")[LIMITS] == 3


def test_the_list_of_limits_has_a_series_before_the_first_of_them() -> None:
    _, cluster = stages.alive(nodes=1)
    [totals] = [
        each
        for each in cluster.families("apiserver")
        if isinstance(each, Counter) and each.name == "apiserver_request_total"
    ]
    assert (
        totals.values["LIST", "", "", "v1", "limitranges", "", "namespace", "apiserver", "200"] == 0
    )


def test_a_claim_that_is_updated_is_checked_and_its_status_is_not() -> None:
    stage, cluster = stages.alive(nodes=1)
    claims(stage, "a")
    stage.run("31s")
    stage.store.patch(CLAIM, "a", {"status": {"phase": "Lost"}}, subresource="status")
    assert counted(cluster, "LIST")[LIMITS] == 1
    stage.store.patch(CLAIM, "a", {"metadata": {"labels": {"x": "y"}}})
    assert counted(cluster, "LIST")[LIMITS] == 2


def test_a_namespace_with_limits_is_in_the_cache() -> None:
    stage, cluster = stages.alive(nodes=1)
    limit = {"type": "Container", "default": {"cpu": "1"}}
    metadata = {"name": "limits"}
    stage.store.create(
        {
            "apiVersion": "v1",
            "kind": "LimitRange",
            "metadata": metadata,
            "spec": {"limits": [limit]},
        }
    )
    stage.store.create(stages.pod("a"))
    assert LIMITS not in counted(cluster, "LIST")


def test_pods_are_listed_before_a_claim_is_let_go() -> None:
    stage, cluster = stages.alive(nodes=1)
    claims(stage, "free", "used")
    stage.store.create(using("one", "used"))
    stage.run("10s")
    stage.store.delete(CLAIM, "used")
    stage.run("10s")
    assert PODS not in counted(cluster, "LIST"), "the cache has the pod that uses it"
    stage.store.delete(CLAIM, "free")
    stage.run("1s")
    assert counted(cluster, "LIST")[PODS] == 1
    stage.store.delete(("v1", "Pod"), "one")
    stage.run("60s")
    assert stage.store.read(CLAIM) == {}
    assert counted(cluster, "LIST")[PODS] == 2


def test_claims_that_go_while_the_list_is_under_way_share_it() -> None:
    profile = Profile(api=ApiSection(list="1s"))
    stage, cluster = stages.alive(profile, nodes=1)
    claims(stage, "a", "b", "c", "d")
    for name in "abc":
        stage.store.delete(CLAIM, name)
    stage.run("5s")
    assert counted(cluster, "LIST")[PODS] == 1
    stage.store.delete(CLAIM, "d")
    stage.run("5s")
    assert counted(cluster, "LIST")[PODS] == 2
