"""Waiting for claims and volumes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.measure.waits.volumes import WaitForAvailablePVs, WaitForBoundPVCs
from tests.measure.fake_cluster import FakeCluster
from tests.measure.making import Asked, make

if TYPE_CHECKING:
    from kubestage.aliases import Json


def claim(name: str, phase: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolumeClaim",
        "metadata": {"name": name, "namespace": "ns"},
        "status": {"phase": phase},
    }


def volume(name: str, phase: str, provisioner: str = "p") -> Json:
    notes = {"pv.kubernetes.io/provisioned-by": provisioner}
    return {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": name, "annotations": notes},
        "status": {"phase": phase},
    }


def test_claims_that_are_pending_may_be_there_besides() -> None:
    cluster = FakeCluster()
    cluster.put(claim("a", "Bound"))
    cluster.put(claim("b", "Pending"))
    asked = Asked(make(WaitForBoundPVCs, cluster), desiredPVCCount=1)
    cluster.moments.run(60)
    assert (asked.at_s, asked.outcome.errors) == (5.05, ())


def test_a_lost_claim_stands_in_the_way_and_is_named() -> None:
    cluster = FakeCluster()
    cluster.put(claim("a", "Bound"))
    cluster.put(claim("b", "Lost"))
    asked = Asked(make(WaitForBoundPVCs, cluster), desiredPVCCount=1, namespace="ns")
    cluster.moments.run(60)
    (error,) = asked.outcome.errors
    assert error == (
        "timeout while waiting for 1 PVCs to be running in namespace 'ns' with labels '' and "
        "fields '' - only 1 found bound; others: ns/b (Lost)"
    )


def test_only_volumes_of_the_provisioner_count() -> None:
    cluster = FakeCluster()
    cluster.put(volume("a", "Available"))
    cluster.put(volume("b", "Bound"))
    cluster.put(volume("c", "Failed", provisioner="other"))
    asked = Asked(make(WaitForAvailablePVs, cluster), desiredPVCount=2, provisioner="p")
    cluster.moments.run(60)
    assert (asked.at_s, asked.outcome.errors) == (5.05, ())


def test_a_failed_volume_stands_in_the_way() -> None:
    cluster = FakeCluster()
    cluster.put(volume("a", "Bound"))
    cluster.put(volume("b", "Failed"))
    asked = Asked(make(WaitForAvailablePVs, cluster), desiredPVCount=1, provisioner="p")
    cluster.moments.run(60)
    assert len(asked.outcome.errors) == 1


def test_missing_volumes_are_told() -> None:
    cluster = FakeCluster()
    cluster.put(volume("a", "Released"))
    asked = Asked(
        make(WaitForAvailablePVs, cluster), desiredPVCount=1, provisioner="p", timeout="6s"
    )
    cluster.moments.run(60)
    assert asked.at_s == 6
    (error,) = asked.outcome.errors
    assert error == (
        "timeout while waiting for 1 PVs with selector 'everything && provisioner=p' - only 0 "
        "found provisioned; others: a (Released)"
    )
