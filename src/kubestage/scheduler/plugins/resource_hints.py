"""What may make room for a pod that did not fit."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from kubestage.objects import pod_resources, resource_totals
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.devices import extended_resources

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.resource_totals import Resource
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.handle import Lister

_Object = dict[str, Any]


def events(lister: Lister) -> Sequence[EventHint]:
    """The events that NodeResourcesFit waits for."""
    pod_change = ActionType.DELETE | ActionType.UPDATE_POD_SCALE_DOWN
    node_change = ActionType.ADD | ActionType.UPDATE_NODE_ALLOCATABLE
    class_change = ActionType.ADD | ActionType.UPDATE
    after_node_change = functools.partial(_after_node_change, lister)
    return [
        EventHint(ClusterEvent(EventResource.POD, pod_change), _after_pod_event),
        EventHint(ClusterEvent(EventResource.NODE, node_change), after_node_change),
        EventHint(ClusterEvent(EventResource.DEVICE_CLASS, class_change), _after_class_change),
    ]


def _after_pod_event(pod: PodView, old: _Object | None, new: _Object | None) -> bool:
    """A pod that goes frees its node; one that shrinks may, if in a requested resource."""
    assert old is not None, "pods are waited for to go or to change"
    if new is None:
        nominated = (old.get("status") or {}).get("nominatedNodeName")
        return bool((old.get("spec") or {}).get("nodeName") or nominated)
    if new["metadata"].get("uid") == pod.uid:
        return True
    if not (new.get("spec") or {}).get("nodeName"):
        return False
    before, after = _held(old), _held(new)
    requested = pod_resources.requests(pod.raw, pod_resources.IN_PLACE)
    return any(
        before.get(name, 0) > after.get(name, 0)
        for name, amount in requested.items()
        if not amount.is_zero
    )


def _held(pod: _Object) -> dict[str, int]:
    """What a running pod keeps, in the units and with the names that are counted."""
    counted = resource_totals.usage(pod).resource
    return {name: max(amount, 0) for name, amount in counted.items()}


def _after_node_change(
    lister: Lister, pod: PodView, old: _Object | None, new: _Object | None
) -> bool:
    if new is None:
        return False
    offered = _offered(new)
    requested = pod.fit_request
    lacking = resource_totals.fits(requested, offered, resource_totals.ZERO, 0)
    if any(not _is_left_to_devices(lister, each.resource, offered) for each in lacking):
        return False
    return old is None or _has_grown(lister, requested, _offered(old), offered)


def _has_grown(lister: Lister, requested: Resource, before: Resource, after: Resource) -> bool:
    """Whether a node offers more of anything that is requested."""
    if after.allowed_pod_number > before.allowed_pod_number:
        return True
    amounts_before, amounts_after = dict(before.items()), dict(after.items())
    return any(
        amounts_after.get(name, 0) > amounts_before.get(name, 0)
        or _is_left_to_devices(lister, name, after)
        for name, amount in requested.items()
        if amount > 0
    )


def _is_left_to_devices(lister: Lister, resource: str, offered: Resource) -> bool:
    """Whether DynamicResources answers for a resource, as the node itself has none of it."""
    if not resource_totals.is_scalar(resource) or offered.scalars.get(resource, 0) > 0:
        return False
    return resource in extended_resources.classes_by_resource(lister)


def _offered(node: _Object) -> Resource:
    return resource_totals.total_of((node.get("status") or {}).get("allocatable"))


def _after_class_change(pod: PodView, old: _Object | None, new: _Object | None) -> bool:
    """A device class may offer, under the name of an extended resource, what the pod requests."""
    assert new is not None, "device classes are waited for to come or to change"
    name = new["spec"].get("extendedResourceName")
    requested = pod_resources.requests(pod.raw)
    if old is not None:
        if (old["spec"].get("extendedResourceName") or "") == (name or ""):
            return False
    elif f"{extended_resources.CLASS_PREFIX}{new['metadata']['name']}" in requested:
        return True
    return name is not None and name in requested
