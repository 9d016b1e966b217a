"""What runs on one node: the mutable side of a row of `columns`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.objects.host_ports import HostPort
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView


class NodeInfo:
    """A node's view, its pods in order of arrival, and what they occupy besides resources."""

    __slots__ = ("pods", "pods_with_affinity", "pods_with_volumes", "ports", "view")

    def __init__(self, view: NodeView) -> None:
        self.view = view
        self.pods: dict[str, PodView] = {}
        self.pods_with_affinity: dict[str, PodView] = {}
        self.pods_with_volumes: dict[str, PodView] = {}
        self.ports: set[HostPort] = set()

    @property
    def name(self) -> str:
        """The node's name."""
        return self.view.name

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
        self.pods_with_affinity.pop(uid, None)
        self.pods_with_volumes.pop(uid, None)
        # A port that two pods share is free once one of them goes, as in the real scheduler.
        self.ports.difference_update(pod.host_ports)
        return pod

    def replace(self, pod: PodView) -> None:
        """Take a newer version of a pod, which goes to the end as if it had come just now."""
        uid = pod.uid
        for pods in (self.pods, self.pods_with_affinity, self.pods_with_volumes):
            if uid in pods:
                del pods[uid]
                pods[uid] = pod
