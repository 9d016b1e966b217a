"""What can happen to a cluster that may make a rejected pod schedulable."""

from __future__ import annotations

import enum
from collections.abc import Callable  # noqa: TC003 - help() evaluates the types of a struct
from typing import Any, Final

import msgspec

from kubestage.objects.views.pod import PodView  # noqa: TC001


class ActionType(enum.Flag):
    """What was done to an object."""

    __hash__ = object.__hash__

    ADD = enum.auto()
    DELETE = enum.auto()
    UPDATE_NODE_ALLOCATABLE = enum.auto()
    UPDATE_NODE_LABEL = enum.auto()
    UPDATE_NODE_TAINT = enum.auto()
    UPDATE_NODE_CONDITION = enum.auto()
    UPDATE_NODE_ANNOTATION = enum.auto()
    UPDATE_NODE_DECLARED_FEATURE = enum.auto()
    UPDATE_POD_LABEL = enum.auto()
    UPDATE_POD_SCALE_DOWN = enum.auto()
    UPDATE_POD_TOLERATION = enum.auto()
    UPDATE_POD_SCHEDULING_GATES_ELIMINATED = enum.auto()
    UPDATE_POD_GENERATED_RESOURCE_CLAIM = enum.auto()
    UPDATE = (
        UPDATE_NODE_ALLOCATABLE
        | UPDATE_NODE_LABEL
        | UPDATE_NODE_TAINT
        | UPDATE_NODE_CONDITION
        | UPDATE_NODE_ANNOTATION
        | UPDATE_NODE_DECLARED_FEATURE
        | UPDATE_POD_LABEL
        | UPDATE_POD_SCALE_DOWN
        | UPDATE_POD_TOLERATION
        | UPDATE_POD_SCHEDULING_GATES_ELIMINATED
        | UPDATE_POD_GENERATED_RESOURCE_CLAIM
    )
    ALL = ADD | DELETE | UPDATE


class EventResource(enum.Enum):
    """Which sort of object changed; ASSIGNED_POD and UNSCHEDULED_POD are kinds of POD."""

    # NOTE: events are looked up for every pod that is bound, and members are singletons.
    __hash__ = object.__hash__

    POD = "Pod"
    ASSIGNED_POD = "AssignedPod"
    UNSCHEDULED_POD = "UnschedulablePod"
    NODE = "Node"
    PERSISTENT_VOLUME = "PersistentVolume"
    PERSISTENT_VOLUME_CLAIM = "PersistentVolumeClaim"
    CSI_NODE = "storage.k8s.io/CSINode"
    CSI_DRIVER = "storage.k8s.io/CSIDriver"
    VOLUME_ATTACHMENT = "storage.k8s.io/VolumeAttachment"
    CSI_STORAGE_CAPACITY = "storage.k8s.io/CSIStorageCapacity"
    STORAGE_CLASS = "storage.k8s.io/StorageClass"
    RESOURCE_CLAIM = "resource.k8s.io/ResourceClaim"
    RESOURCE_SLICE = "resource.k8s.io/ResourceSlice"
    DEVICE_CLASS = "resource.k8s.io/DeviceClass"
    WILDCARD = "*"


_PODS: Final = frozenset(
    {EventResource.POD, EventResource.ASSIGNED_POD, EventResource.UNSCHEDULED_POD}
)


class ClusterEvent(msgspec.Struct, frozen=True):
    """An action on a resource."""

    resource: EventResource
    action: ActionType
    label: str = ""

    @property
    def is_wildcard(self) -> bool:
        """Whether it concerns every pod whatever rejected it."""
        return self.resource is EventResource.WILDCARD and self.action is ActionType.ALL

    def matches(self, incoming: ClusterEvent) -> bool:
        """Whether a registration covers an incoming event.

        An event must be as special as the registration: an update of which nothing more is
        known does not concern those who wait for one of the special updates.
        """
        if self.is_wildcard:
            return True
        same = self.resource in (incoming.resource, EventResource.WILDCARD) or (
            self.resource is EventResource.POD and incoming.resource in _PODS
        )
        return (
            same
            and bool(self.action & incoming.action)
            and incoming.action.value <= self.action.value
        )


class EventHint(msgspec.Struct, frozen=True):
    """An event a plugin waits for, and whether a change of that kind helps a given pod.

    `hint(pod, old, new)` gets the JSON objects before and after (None where there is none) and
    returns True to queue the pod again; without a hint every such event does.
    """

    event: ClusterEvent
    hint: Callable[[PodView, dict[str, Any] | None, dict[str, Any] | None], bool] | None = None
