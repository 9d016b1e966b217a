"""What changed about a pod or a node, as far as scheduling is concerned."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import pod_resources, quantity
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventResource

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json


_EMPTY: Final[Json] = {}
_NOTHING: Final = ()
# What the requests of a pod follow from, besides its status on resizing.
_REQUESTING: Final = ("containers", "initContainers", "resources", "overhead")


def of_pod(old: Json, new: Json) -> Sequence[ClusterEvent]:
    """The events that an update of a pod amounts to; a plain update if nothing special changed."""
    resource = EventResource.UNSCHEDULED_POD
    if new["spec"].get("nodeName"):
        resource = EventResource.ASSIGNED_POD
    actions = _pod_actions(old, new)
    if not actions:
        return _PLAIN[resource]
    return [_event(resource, action) for action in actions]


def of_node(old: Json, new: Json) -> list[ClusterEvent]:
    """The events that an update of a node amounts to, if any."""
    return [_event(EventResource.NODE, action) for action in _node_actions(old, new)]


@functools.cache
def _event(resource: EventResource, action: ActionType) -> ClusterEvent:
    return ClusterEvent(resource, action)


def _pod_actions(old: Json, new: Json) -> list[ActionType]:
    old_spec, new_spec = old["spec"], new["spec"]
    found = []
    if _differ(old["metadata"], new["metadata"], "labels", _EMPTY):
        found.append(ActionType.UPDATE_POD_LABEL)
    if _is_scaled_down(old, new):
        found.append(ActionType.UPDATE_POD_SCALE_DOWN)
    if old_spec is not new_spec:
        if old_spec.get("schedulingGates") and not new_spec.get("schedulingGates"):
            found.append(ActionType.UPDATE_POD_SCHEDULING_GATES_ELIMINATED)
        tolerations = [each.get("tolerations") or _NOTHING for each in (old_spec, new_spec)]
        if len(tolerations[0]) != len(tolerations[1]):
            found.append(ActionType.UPDATE_POD_TOLERATION)
    before, after = old.get("status") or _EMPTY, new.get("status") or _EMPTY
    if before is not after and (
        _differ(before, after, "resourceClaimStatuses", _NOTHING)
        or _differ(before, after, "extendedResourceClaimStatus", _EMPTY)
    ):
        found.append(ActionType.UPDATE_POD_GENERATED_RESOURCE_CLAIM)
    return found


def _is_scaled_down(old: Json, new: Json) -> bool:
    """Whether any request became smaller; most updates leave all that they depend on alone."""
    old_spec, new_spec = old["spec"], new["spec"]
    is_same = old_spec is new_spec or all(
        old_spec.get(part) is new_spec.get(part) for part in _REQUESTING
    )
    if is_same and not (
        pod_resources.has_status_resources(old) or pod_resources.has_status_resources(new)
    ):
        return False
    before = pod_resources.requests(old, pod_resources.IN_PLACE)
    after = pod_resources.requests(new, pod_resources.IN_PLACE)
    return any(
        name not in after or amount.milli_value > after[name].milli_value
        for name, amount in before.items()
    )


_PLAIN: Final = {
    resource: (_event(resource, ActionType.UPDATE),)
    for resource in (EventResource.ASSIGNED_POD, EventResource.UNSCHEDULED_POD)
}

REWORDED: Final = _PLAIN[EventResource.UNSCHEDULED_POD]
"""The events of a pod without a node of which the message of one condition has changed."""


def _node_actions(old: Json, new: Json) -> Iterator[ActionType]:
    old_spec, new_spec = old.get("spec") or _EMPTY, new.get("spec") or _EMPTY
    before, after = old.get("status") or _EMPTY, new.get("status") or _EMPTY
    if old_spec.get("unschedulable") and not new_spec.get("unschedulable"):
        yield ActionType.UPDATE_NODE_TAINT
    if _differ(before, after, "allocatable", _EMPTY) and _amounts(before) != _amounts(after):
        yield ActionType.UPDATE_NODE_ALLOCATABLE
    if _differ(old["metadata"], new["metadata"], "labels", _EMPTY):
        yield ActionType.UPDATE_NODE_LABEL
    if _differ(old_spec, new_spec, "taints", _NOTHING):
        yield ActionType.UPDATE_NODE_TAINT
    if _differ(before, after, "conditions", _NOTHING) and _states(before) != _states(after):
        yield ActionType.UPDATE_NODE_CONDITION
    if _differ(old["metadata"], new["metadata"], "annotations", _EMPTY):
        yield ActionType.UPDATE_NODE_ANNOTATION
    if _differ(before, after, "declaredFeatures", _NOTHING):
        yield ActionType.UPDATE_NODE_DECLARED_FEATURE


def _differ(old: Json, new: Json, part: str, absent: Any) -> bool:
    before, after = old.get(part), new.get(part)
    if before is after:
        return False
    return bool((before or absent) != (after or absent))


def _amounts(status: Json) -> dict[str, quantity.Quantity]:
    return {name: quantity.of(each) for name, each in (status.get("allocatable") or {}).items()}


def _states(status: Json) -> dict[str, str]:
    return {
        each.get("type") or "": each.get("status") or ""
        for each in status.get("conditions") or _NOTHING
    }
