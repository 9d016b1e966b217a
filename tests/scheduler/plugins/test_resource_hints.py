from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scheduler.cluster_events import EventHint, EventResource
from kubestage.scheduler.plugins import resource_hints
from tests.scheduler.plugins import clusters
from tests.scheduler.plugins.clusters import GPU

if TYPE_CHECKING:
    from kubestage.aliases import Json

INCOMING = clusters.pod(requests={"cpu": "2"})


def hints(*objects: Json) -> dict[EventResource, EventHint]:
    lister = clusters.handle(objects).lister
    return {each.event.resource: each for each in resource_hints.events(lister)}


def helps(kind: EventResource, pod: Any, old: Json | None, new: Json | None, *given: Json) -> bool:
    hint = hints(*given)[kind].hint
    assert hint is not None
    return hint(pod, old, new)


def sized(**allocatable: str) -> Json:
    return clusters.node("n", allocatable={"pods": "10", **allocatable})


def device_class(name: str, extended: str | None = None) -> Json:
    spec = {"extendedResourceName": extended} if extended else {}
    return {
        "apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass",
        "metadata": {"name": name}, "spec": spec,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, sized(cpu="2"), True),
        (None, sized(cpu="1"), False),
        (sized(cpu="1"), sized(cpu="2"), True),
        (sized(cpu="3"), sized(cpu="2"), False),
        (sized(cpu="2", memory="1Gi"), sized(cpu="2", memory="2Gi"), False),
        (sized(cpu="2"), sized(cpu="2", pods="11"), True),
    ],
)
def test_a_node_helps_when_it_fits_and_has_grown(
    before: Json | None, after: Json, expected: bool
) -> None:
    assert helps(EventResource.NODE, INCOMING, before, after) is expected


def test_a_node_helps_by_devices_it_does_not_offer_itself() -> None:
    wanting = clusters.pod(requests={GPU: "1"})
    gpus = device_class("gpu", GPU)
    assert helps(EventResource.NODE, wanting, sized(), sized(), gpus)
    assert not helps(EventResource.NODE, wanting, sized(), sized())


def test_a_pod_that_had_a_node_helps_by_going() -> None:
    running = clusters.pod("other", nodeName="n").raw
    nominated = {**clusters.pod("other").raw, "status": {"nominatedNodeName": "n"}}
    assert helps(EventResource.POD, INCOMING, running, None)
    assert helps(EventResource.POD, INCOMING, nominated, None)
    assert not helps(EventResource.POD, INCOMING, clusters.pod("other").raw, None)


@pytest.mark.parametrize(
    ("resource", "node_name", "expected"),
    [("cpu", "n", True), ("memory", "n", False), ("cpu", "", False)],
)
def test_a_pod_helps_by_shrinking_in_what_is_wanted(
    resource: str, node_name: str, expected: bool
) -> None:
    before = clusters.pod("other", {resource: "2"}, nodeName=node_name).raw
    after = clusters.pod("other", {resource: "1"}, nodeName=node_name).raw
    assert helps(EventResource.POD, INCOMING, before, after) is expected
    assert not helps(EventResource.POD, INCOMING, after, before)


def test_a_pod_helps_itself_by_shrinking() -> None:
    assert helps(EventResource.POD, INCOMING, INCOMING.raw, INCOMING.raw)


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        (None, device_class("x", GPU), True),
        (None, device_class("x"), False),
        (device_class("x"), device_class("x", GPU), True),
        (device_class("x", GPU), device_class("x", GPU), False),
        (device_class("x", GPU), device_class("x"), False),
    ],
)
def test_a_device_class_helps_when_it_takes_up_the_wanted_name(
    before: Json | None, after: Json, expected: bool
) -> None:
    wanting = clusters.pod(requests={GPU: "1"})
    assert helps(EventResource.DEVICE_CLASS, wanting, before, after) is expected


def test_a_new_device_class_helps_by_its_own_name() -> None:
    wanting = clusters.pod(requests={"deviceclass.resource.kubernetes.io/x": "1"})
    assert helps(EventResource.DEVICE_CLASS, wanting, None, device_class("x"))
    assert not helps(EventResource.DEVICE_CLASS, wanting, None, device_class("y"))
