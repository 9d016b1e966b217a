"""Views of volumes, claims, classes and drivers."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import labels
from kubestage.objects.views import storage

CLAIM: dict[str, Any] = {
    "metadata": {"name": "data", "namespace": "shop", "uid": "u-1"},
    "spec": {
        "storageClassName": "fast",
        "accessModes": ["ReadWriteOnce"],
        "resources": {"requests": {"storage": "10Gi"}},
    },
    "status": {"phase": "Pending"},
}


def test_a_claim_is_read() -> None:
    view = storage.claim_of(CLAIM)
    assert (view.namespace, view.name, view.uid) == ("shop", "data", "u-1")
    assert (view.class_name, view.access_modes, view.requested) == (
        "fast",
        ("ReadWriteOnce",),
        10 << 30,
    )
    assert (view.volume_mode, view.volume_name, view.phase) == ("Filesystem", "", "Pending")
    assert view.selector is labels.EVERYTHING
    assert not view.is_bound


def test_a_claim_is_bound_when_binding_completed() -> None:
    spec = {**CLAIM["spec"], "volumeName": "pv"}
    annotations = {storage.BIND_COMPLETED_ANNOTATION: "yes"}
    bound = {"metadata": {"annotations": annotations}, "spec": spec}
    assert storage.claim_of(bound).is_bound
    assert not storage.claim_of({"spec": spec}).is_bound


def test_the_old_annotation_names_the_class_first() -> None:
    metadata = {"annotations": {storage.STORAGE_CLASS_ANNOTATION: "old"}}
    assert storage.claim_of({**CLAIM, "metadata": metadata}).class_name == "old"
    volume = {"metadata": metadata, "spec": {"storageClassName": "new"}}
    assert storage.volume_of(volume).class_name == "old"


def test_a_claim_may_choose_among_volumes() -> None:
    view = storage.claim_of({"spec": {"selector": {"matchLabels": {"tier": "gold"}}}})
    assert view.selector.matches({"tier": "gold"})
    assert not view.selector.matches({})


def test_a_volume_is_read() -> None:
    term = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}
    view = storage.volume_of(
        {
            "metadata": {"name": "pv", "labels": {"tier": "gold"}},
            "spec": {
                "capacity": {"storage": "1Gi"},
                "claimRef": {"name": "data"},
                "csi": {"driver": "d", "volumeHandle": "h"},
                "nodeAffinity": {"required": {"nodeSelectorTerms": [term]}},
            },
            "status": {"phase": "Available"},
        }
    )
    assert (view.name, view.labels, view.capacity, view.phase) == (
        "pv",
        {"tier": "gold"},
        1 << 30,
        "Available",
    )
    assert (view.claim, view.driver, view.handle) == ({"name": "data"}, "d", "h")
    assert view.node_affinity is not None
    assert view.node_affinity.matches("n", {"zone": "a"})
    assert not view.node_affinity.matches("n", {"zone": "b"})


def test_a_volume_without_affinity_is_reached_from_everywhere() -> None:
    assert storage.volume_of({}).node_affinity is None


@pytest.mark.parametrize(
    ("topologies", "node_labels", "allowed"),
    [
        ([], {}, True),
        ([{}], {}, False),
        ([{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}], {"zone": "a"}, True),
        ([{"matchLabelExpressions": [{"key": "zone", "values": ["a"]}]}], {"zone": "b"}, False),
        (
            [{}, {"matchLabelExpressions": [{"key": "zone", "values": ["a", "b"]}]}],
            {"zone": "b"},
            True,
        ),
    ],
)
def test_a_class_provisions_only_in_its_topologies(
    topologies: list[dict[str, Any]], node_labels: dict[str, str], allowed: bool
) -> None:
    view = storage.class_of({"allowedTopologies": topologies})
    assert view.allows(node_labels) == allowed


def test_a_class_is_read() -> None:
    view = storage.class_of(
        {
            "metadata": {"name": "c", "annotations": {storage.DEFAULT_CLASS_ANNOTATION: "true"}},
            "provisioner": "p",
            "volumeBindingMode": "WaitForFirstConsumer",
        }
    )
    assert (view.name, view.provisioner, view.is_default, view.waits_for_consumer) == (
        "c",
        "p",
        True,
        True,
    )
    assert not storage.class_of({}).waits_for_consumer


def test_drivers_of_a_node_have_their_limits() -> None:
    drivers = [{"name": "a", "allocatable": {"count": 3}}, {"name": "b"}]
    view = storage.csi_node_of({"metadata": {"name": "n"}, "spec": {"drivers": drivers}})
    assert (view.name, view.limits) == ("n", {"a": 3, "b": None})
