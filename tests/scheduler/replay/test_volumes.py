from __future__ import annotations

from typing import Any

from kubestage.scheduler.cache import Cache
from kubestage.scheduler.replay import volumes
from kubestage.scheduler.replay.cluster import ReplayCluster
from tests.scheduler.plugins import storages
from tests.scheduler.plugins.storages import SELECTED

CLASS = storages.storage_class("waiting")
CHOSEN = {SELECTED: "n"}


def cluster(*objects: Any) -> ReplayCluster:
    return ReplayCluster([CLASS, *objects], Cache())


def claim_of(found: ReplayCluster, name: str) -> Any:
    claim = found.get("v1", "PersistentVolumeClaim", name, "default")
    assert claim is not None
    return claim


def test_a_volume_that_refers_to_the_claim_becomes_bound() -> None:
    meant = storages.volume("v", claimRef=storages.reference("c", "uid-c"))
    found = cluster(storages.claim("c"), meant)
    assert volumes.finish_binding(found, storages.using("p", "c")) == ["default/c=v"]
    claim, volume = claim_of(found, "c"), found.get("v1", "PersistentVolume", "v")
    assert volume is not None
    assert volume["status"]["phase"] == claim["status"]["phase"] == "Bound"
    assert claim["spec"]["volumeName"] == "v"
    assert claim["metadata"]["annotations"] == storages.BOUND


def test_a_volume_is_made_for_a_claim_that_names_a_node() -> None:
    found = cluster(storages.claim("c", size="7Gi", volumeMode="Block", annotations=CHOSEN))
    bound = volumes.finish_binding(found, storages.using("p", "c"))
    assert bound == ["default/c=pv-default-c"]
    volume = found.get("v1", "PersistentVolume", "pv-default-c")
    assert volume is not None
    spec = volume["spec"]
    assert spec["csi"]["driver"] == storages.DRIVER
    assert (spec["capacity"], spec["volumeMode"]) == ({"storage": "7Gi"}, "Block")
    assert spec["claimRef"]["uid"] == "uid-c"
    assert "nodeAffinity" not in spec
    assert claim_of(found, "c")["spec"]["volumeName"] == "pv-default-c"


def test_claims_that_are_bound_missing_or_undecided_are_left_alone() -> None:
    found = cluster(storages.bound_claim("b", "v"), storages.claim("c"))
    assert volumes.finish_binding(found, storages.using("p", "b", "c", "missing")) == []
    assert "volumeName" not in claim_of(found, "c")["spec"]


def test_a_volume_that_refers_to_another_claim_is_left_alone() -> None:
    found = cluster(
        storages.claim("c"), storages.volume("v", claimRef=storages.reference("c", "another"))
    )
    assert volumes.finish_binding(found, storages.using("p", "c")) == []


def test_bindings_are_told_in_the_order_of_the_scheduler() -> None:
    found = cluster(
        storages.claim("a", size="9Gi", annotations=CHOSEN),
        storages.claim("b", size="1Gi", annotations=CHOSEN),
        storages.claim("c", size="5Gi"),
        storages.volume("v", claimRef=storages.reference("c", "uid-c")),
        storages.claim("d", size="20Gi", annotations=CHOSEN),
    )
    told = volumes.finish_binding(
        found, storages.using("p", "a", "b", "c", "d", "a"), frozenset({"d"})
    )
    assert [each.partition("=")[0][-1] for each in told] == ["c", "d", "b", "a"]


def test_claims_that_name_a_node_already_are_known_beforehand() -> None:
    found = cluster(storages.claim("a", annotations=CHOSEN), storages.claim("b"))
    assert volumes.selected_claims(found, storages.using("p", "a", "b")) == {"a"}
