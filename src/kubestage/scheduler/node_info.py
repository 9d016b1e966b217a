"""What runs on one node: the mutable side of a row of `columns`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects import resource_totals
from kubestage.scheduler import image_states

if TYPE_CHECKING:
    from kubestage.objects.host_ports import HostPort
    from kubestage.objects.resource_totals import Resource
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.own_columns import DevicesOfNode


class NodeInfo:
    """A node's view, its pods in order of arrival, and what they occupy besides resources.

    `devices` is what is free of each device, by the name of a plugin's `Devices`.
    """

    __slots__ = (
        "_requested", "devices", "pods", "pods_with_affinity", "pods_with_volumes", "ports", "view",
    )  # fmt: skip

    def __init__(self, view: NodeView) -> None:
        self.view = view
        self.devices: DevicesOfNode | None = None
        self._requested: Resource | None = None
        self.pods: dict[str, PodView] = {}
        self.pods_with_affinity: dict[str, PodView] = {}
        self.pods_with_volumes: dict[str, PodView] = {}
        self.ports: set[HostPort] = set()

    @property
    def name(self) -> str:
        """The node's name."""
        return self.view.name

    @property
    def labels(self) -> dict[str, str]:
        """The node's labels."""
        return self.view.labels

    @property
    def allocatable(self) -> Resource:
        """What the node offers to pods."""
        return self.view.allocatable

    @property
    def requested(self) -> Resource:
        """What its pods request together; `allowed_pod_number` is how many there are.

        NOTE: added up when it is read, so that nothing is lost where no plugin does.
        """
        found = self._requested
        if found is None:
            requests = [pod.requests for pod in self.pods.values()]
            total = sum(requests, start=resource_totals.ZERO)
            found = msgspec.structs.replace(total, allowed_pod_number=len(requests))
            self._requested = found
        return found

    def copy(self) -> NodeInfo:
        """An independent copy, for trying what would happen."""
        other = NodeInfo(self.view)
        other.pods = dict(self.pods)
        other.pods_with_affinity = dict(self.pods_with_affinity)
        other.pods_with_volumes = dict(self.pods_with_volumes)
        other.ports = set(self.ports)
        return other

    def add(self, pod: PodView) -> None:
        """Count a pod in."""
        self._requested = None
        self.pods[pod.uid] = pod
        plan = pod.plan
        if plan.has_affinity:
            self.pods_with_affinity[pod.uid] = pod
        if pod.has_volumes:
            self.pods_with_volumes[pod.uid] = pod
        if plan.host_ports:
            self.ports.update(plan.host_ports)

    def remove(self, uid: str) -> PodView:
        """Count a pod out; returns the pod as it was counted in."""
        pod = self.pods.pop(uid)
        self._requested = None
        self.pods_with_affinity.pop(uid, None)
        self.pods_with_volumes.pop(uid, None)
        # A port that two pods share is free once one of them goes, as in the real scheduler.
        self.ports.difference_update(pod.host_ports)
        return pod

    def replace(self, pod: PodView) -> None:
        """Take a newer version of a pod, which goes to the end as if it had come just now."""
        uid = pod.uid
        self._requested = None
        for pods in (self.pods, self.pods_with_affinity, self.pods_with_volumes):
            if uid in pods:
                del pods[uid]
                pods[uid] = pod


def only_shows_life(before: NodeView, view: NodeView) -> bool:
    """Whether a node changed in nothing but its conditions, as it does every few seconds."""
    return (
        before.labels == view.labels
        and before.annotations == view.annotations
        and before.allocatable == view.allocatable
        and before.taints == view.taints
        and before.unschedulable == view.unschedulable
        and before.declared_features == view.declared_features
        and image_states.images_of(before) == image_states.images_of(view)
    )
