"""The view of a node."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects.taints import Taint
from kubestage.objects.views import node as nodes

NODE: dict[str, Any] = {
    "metadata": {
        "name": "n1",
        "uid": "u-1",
        "labels": {
            "topology.kubernetes.io/zone": "z1",
            "topology.kubernetes.io/region": "r1",
        },
        "annotations": {"note": "x"},
    },
    "spec": {"unschedulable": True, "taints": [{"key": "k", "effect": "NoSchedule"}]},
    "status": {
        "allocatable": {
            "cpu": "3920m",
            "memory": "16Gi",
            "ephemeral-storage": "10Gi",
            "pods": "110",
            "example.com/gpu": "2",
            "foo": "1",
        },
        "images": [{"names": ["web:1", "web@sha256:1"], "sizeBytes": 7}, {"names": None}],
        "conditions": [{"type": "Ready", "status": "True"}],
        "declaredFeatures": ["A", "B"],
    },
}


def test_properties_are_read() -> None:
    view = nodes.of(NODE)
    assert (view.name, view.uid, view.unschedulable) == ("n1", "u-1", True)
    assert view.taints == (Taint("k", "", "NoSchedule"),)
    assert view.annotations == {"note": "x"}
    assert view.images == {"web:1": 7, "web@sha256:1": 7}
    assert view.conditions == {"Ready": "True"}
    assert view.is_ready
    assert view.declared_features == {"A", "B"}
    assert view.raw is NODE


def test_allocatable_is_counted_in_whole_units() -> None:
    view = nodes.of(NODE)
    assert dict(view.allocatable.items()) == {
        "cpu": 3920,
        "memory": 16 << 30,
        "ephemeral-storage": 10 << 30,
        "example.com/gpu": 2,
    }
    assert view.allowed_pods == 110


def test_region_and_zone_make_one_key() -> None:
    view = nodes.of(NODE)
    assert (view.region, view.zone, view.zone_key) == ("r1", "z1", "r1:\x00:z1")


def test_the_old_zone_label_comes_first() -> None:
    labels = {**NODE["metadata"]["labels"], "failure-domain.beta.kubernetes.io/zone": "old"}
    assert nodes.of({"metadata": {"labels": labels}}).zone_key == "r1:\x00:old"


def test_an_empty_node_offers_nothing() -> None:
    view = nodes.of({})
    assert (view.name, view.labels, view.taints, view.zone_key) == ("", {}, (), "")
    assert (view.images, view.conditions, view.is_ready) == ({}, {}, False)
    assert (dict(view.allocatable.items()), view.allowed_pods) == ({}, 0)


def test_a_view_cannot_be_changed() -> None:
    with pytest.raises(AttributeError):
        nodes.of(NODE).name = "n2"  # type: ignore[misc]  # the point of the test
