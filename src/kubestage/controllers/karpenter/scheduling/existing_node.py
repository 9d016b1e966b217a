"""A node that is there or on its way, and whether it takes a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling.errors import SchedulingError
from kubestage.controllers.karpenter.state import usage
from kubestage.controllers.karpenter.state.usage import PortUser

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.scheduling.node_index import IndexedNode
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod
    from kubestage.controllers.karpenter.scheduling.topology import Ownership, Topology

_NOTHING: Final = Requirements()


class ExistingNode:
    """A node of the cluster, and the pods that this pass puts there."""

    def __init__(self, indexed: IndexedNode) -> None:
        state = indexed.state
        self.state = state
        self.taints = indexed.taints
        self.requirements = indexed.requirements
        self.pods: list[QueuedPod] = []
        self._port_users = list(state.port_users)
        self._volumes = state.volumes

    def can_add(
        self, pod: QueuedPod, shape: PodShape, owned: Ownership, topology: Topology
    ) -> Requirements | None:
        """The requirements of the node with the pod; resources are known to suffice."""
        if not self._can_mount(pod) or self._has_conflict(pod, shape):
            return None
        both = self.requirements.plus(shape.requirements)
        for volume_terms in pod.volume_terms or (_NOTHING,):
            if not both.is_compatible(volume_terms):
                continue
            required = both.plus(volume_terms)
            narrowed = topology.narrowed(shape, owned, required)
            if isinstance(narrowed, SchedulingError):
                continue
            if narrowed is required or required.is_compatible(narrowed):
                return narrowed
        return None

    def add(
        self,
        pod: QueuedPod,
        shape: PodShape,
        owned: Ownership,
        topology: Topology,
        requirements: Requirements,
    ) -> None:
        """Put the pod there."""
        self.pods.append(pod)
        self.requirements = requirements
        topology.record(shape, owned, self.taints, requirements)
        self._port_users += [PortUser(port, pod.key) for port in shape.host_ports]
        if pod.volumes:
            self._volumes = usage.union(self._volumes, pod.volumes)

    def _can_mount(self, pod: QueuedPod) -> bool:
        limits = self.state.volume_limits
        if not limits:
            return True
        mounted = usage.union(self._volumes, pod.volumes)
        return all(len(mounted.get(driver, ())) <= limit for driver, limit in limits.items())

    def _has_conflict(self, pod: QueuedPod, shape: PodShape) -> bool:
        return any(
            port.conflicts_with(user.port) and user.pod != pod.key
            for port in shape.host_ports
            for user in self._port_users
        )
