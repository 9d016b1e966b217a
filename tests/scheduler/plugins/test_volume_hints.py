"""What VolumeBinding waits for."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.scheduler.cluster_events import ActionType, EventResource
from kubestage.scheduler.plugins.volume_binding import VolumeBinding
from tests.scheduler.plugins import clusters, storages
from tests.scheduler.plugins.storages import ZONE


def registered(resource: EventResource) -> Any:
    events = VolumeBinding({}, clusters.handle()).events_to_register()
    (found,) = [each for each in events if each.event.resource is resource]
    return found


POD = storages.using("p", "c", more=[{"name": "mine", "ephemeral": {}}])


@pytest.mark.parametrize(
    ("old", "new", "helps"),
    [
        (None, storages.storage_class("x"), True),
        (storages.storage_class("x"), storages.storage_class("x"), False),
        (storages.storage_class("x"), storages.storage_class("x", allowedTopologies=[]), False),
        (
            storages.storage_class("x"),
            storages.storage_class("x", allowedTopologies=[{"matchLabelExpressions": []}]),
            True,
        ),
    ],
)
def test_a_class_helps_when_it_is_new_or_allows_others(old: Any, new: Any, helps: bool) -> None:
    assert registered(EventResource.STORAGE_CLASS).hint(POD, old, new) is helps


@pytest.mark.parametrize(("name", "helps"), [("c", True), ("p-mine", True), ("d", False)])
def test_only_a_claim_of_the_pod_helps(name: str, helps: bool) -> None:
    hint = registered(EventResource.PERSISTENT_VOLUME_CLAIM).hint
    elsewhere = storages.claim(name)
    elsewhere["metadata"]["namespace"] = "other"
    assert hint(POD, None, storages.claim(name)) is helps
    assert not hint(POD, None, elsewhere)


def test_any_volume_and_any_new_or_relabelled_node_helps() -> None:
    assert registered(EventResource.PERSISTENT_VOLUME).hint is None
    node = registered(EventResource.NODE)
    assert node.hint is None
    assert node.event.action == ActionType.ADD | ActionType.UPDATE_NODE_LABEL


def test_drivers_help_when_they_are_new_or_take_others_over() -> None:
    hint = registered(EventResource.CSI_NODE).hint
    key = "storage.alpha.kubernetes.io/migrated-plugins"
    bare, migrated = storages.csi_node("n"), storages.csi_node("n", {key: "kubernetes.io/aws-ebs"})
    assert hint(POD, None, bare)
    assert hint(POD, bare, migrated)
    assert not hint(POD, bare, storages.csi_node("n", disk=3))


@pytest.mark.parametrize(
    ("driver", "before", "after", "helps"),
    [
        (storages.DRIVER, True, False, True),
        (storages.DRIVER, False, True, False),
        (storages.DRIVER, True, True, False),
        ("another.example.com", True, False, False),
    ],
)
def test_a_driver_helps_when_it_no_longer_tells_its_capacity(
    driver: str, before: bool, after: bool, helps: bool
) -> None:
    pod = storages.using("p", more=[{"name": "v", "csi": {"driver": storages.DRIVER}}])
    old, new = storages.csi_driver(driver, before), storages.csi_driver(driver, after)
    assert registered(EventResource.CSI_DRIVER).hint(pod, old, new) is helps


@pytest.mark.parametrize(
    ("before", "after", "helps"),
    [
        (None, {"capacity": "1Gi"}, True),
        ({"capacity": "1Gi"}, {"capacity": "2Gi"}, True),
        ({"capacity": "2Gi"}, {"capacity": "1Gi"}, False),
        ({"capacity": "1Gi"}, {"capacity": "2Gi", "maximumVolumeSize": "1Gi"}, False),
        ({}, {"capacity": "1Gi"}, True),
        ({"capacity": "1Gi"}, {}, False),
    ],
)
def test_a_pool_helps_when_it_is_new_or_has_more_room(before: Any, after: Any, helps: bool) -> None:
    old = None if before is None else storages.capacity("pool", nodeTopology={ZONE: "a"}, **before)
    new = storages.capacity("pool", nodeTopology={ZONE: "a"}, **after)
    assert registered(EventResource.CSI_STORAGE_CAPACITY).hint(POD, old, new) is helps
