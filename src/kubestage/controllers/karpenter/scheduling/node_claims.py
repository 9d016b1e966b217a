"""A node that is to be made: what is required of it narrows with each pod that is put there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling import errors, tolerance
from kubestage.controllers.karpenter.scheduling.errors import SchedulingError
from kubestage.controllers.karpenter.state.usage import PortUser

if TYPE_CHECKING:
    import numpy.typing as npt

    from kubestage.controllers.karpenter.instance_types.catalogue import Mask
    from kubestage.controllers.karpenter.instance_types.types import Offering
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.scheduling.queue import QueuedPod
    from kubestage.controllers.karpenter.scheduling.reservations import Reservations
    from kubestage.controllers.karpenter.scheduling.templates import Template
    from kubestage.controllers.karpenter.scheduling.topology import Ownership, Topology
    from kubestage.objects.host_ports import HostPort
    from kubestage.objects.pod_resources import ResourceList

_NOTHING: Final = Requirements()


class Placement(NamedTuple):
    """What a node becomes if the pod is put there."""

    requirements: Requirements
    types: Mask
    requests: npt.NDArray[np.int64]
    reserved: list[Offering]
    lowered: bool


class NodeClaim:
    """A future node of a NodePool, with the types it could still be."""

    def __init__(
        self, template: Template, hostname: str, types: Mask, reservations: Reservations
    ) -> None:
        host = requirement.new(labels.HOSTNAME, requirement.IN, (hostname,))
        self.template = template
        self.hostname = hostname
        self.requirements = template.requirements.plus(Requirements([host]))
        self.types = types
        self.pods: list[QueuedPod] = []
        self.reserved: list[Offering] = []
        self._reservations = reservations
        self._requests = np.zeros(len(template.catalogue.resources), dtype=np.int64)
        self._port_users: list[PortUser] = []
        self._most: list[int] | None = None
        self._closed_to: dict[PodShape, Requirements | None] = {}

    def is_closed_to(self, shape: PodShape) -> bool:
        """Whether pods of a shape need not be tried, for want of room or as they failed before."""
        failed_with = self._closed_to.get(shape, _NOTHING)
        if failed_with is None or failed_with is self.requirements:
            return True
        if self._most is None:
            rows = self.types[self.template.catalogue.type_of_row]
            most = self.template.room[rows].max(axis=0) - self._requests
            self._most = most.tolist()
        requested = self.template.requests_of(shape).numbers
        if all(map(int.__le__, requested, self._most)):
            return False
        self._closed_to[shape] = None
        return True

    def close_to(self, shape: PodShape) -> None:
        """A pod of this shape has failed, and no topology can change that.

        What is required here can: a label is known as soon as some pod says what it must not be.
        Reservations that others give back can, too.
        """
        if not self.template.reserved:
            self._closed_to[shape] = self.requirements

    def can_add(
        self,
        pod: QueuedPod,
        shape: PodShape,
        owned: Ownership,
        topology: Topology,
        *,
        lower: bool = False,
        explain: bool = False,
    ) -> Placement | SchedulingError:
        """What the node becomes with the pod, or why it cannot be put there."""
        template = self.template
        well_known = template.options.well_known
        reason = tolerance.intolerance(template.taints, shape.tolerations)
        if reason is not None:
            return reason
        if not self.requirements.is_compatible(shape.requirements, well_known):
            return errors.Incompatible(
                "incompatible requirements, ", self.requirements, shape.requirements, well_known
            )
        both = self.requirements.plus(shape.requirements)
        result: Placement | SchedulingError = errors.Plain("")
        for volume_terms in pod.volume_terms or (_NOTHING,):
            if not both.is_compatible(volume_terms, well_known):
                result = errors.Incompatible(
                    "incompatible volume requirements, ", both, volume_terms, well_known
                )
                continue
            required = both.plus(volume_terms)
            result = self._with_topology(
                shape,
                required,
                topology.narrowed(shape, owned, required),
                lower=lower,
                explain=explain,
            )
            if isinstance(result, Placement):
                break
        return result

    def _with_topology(
        self,
        shape: PodShape,
        before: Requirements,
        required: Requirements | SchedulingError,
        *,
        lower: bool,
        explain: bool,
    ) -> Placement | SchedulingError:
        if isinstance(required, SchedulingError):
            return required
        well_known = self.template.options.well_known
        if required is not before and not before.is_compatible(required, well_known):
            return errors.Incompatible("", before, required, well_known)
        requests = self._requests + self.template.requests_of(shape).vector
        left = self.template.filter_types(
            self.types,
            required,
            requests,
            shape.requests,
            self._open_groups(shape.host_ports),
            lower=lower,
            explain=explain,
        )
        if isinstance(left, SchedulingError):
            return left
        if left.lowered:
            required = required.with_replaced(
                *(required.get(key).with_min_values(count) for key, count in left.lowered.items())
            )
        reserved = self._to_reserve(left.types, required)
        if isinstance(reserved, SchedulingError):
            return reserved
        return Placement(required, left.types, requests, reserved, bool(left.lowered))

    def add(
        self,
        pod: QueuedPod,
        shape: PodShape,
        owned: Ownership,
        topology: Topology,
        placement: Placement,
    ) -> None:
        """Put the pod there."""
        self.pods.append(pod)
        self.types = placement.types
        self._requests = placement.requests
        self.requirements = placement.requirements
        self._most = None
        topology.register_host(self.hostname)
        topology.record(shape, owned, self.template.taints, placement.requirements)
        self._port_users += [PortUser(port, pod.key) for port in shape.host_ports]
        if self.reserved or placement.reserved:
            self._reservations.move(self.hostname, self.reserved, placement.reserved)
        self.reserved = placement.reserved

    def _open_groups(self, ports: tuple[HostPort, ...]) -> list[int] | None:
        """The groups of types on which host ports are free; None if the pod has none."""
        if not ports:
            return None
        return [
            position
            for position, group in enumerate(self.template.groups)
            if not any(
                port.conflicts_with(user.port)
                for port in ports
                for user in (*group.port_users, *self._port_users)
            )
        ]

    def _to_reserve(self, types: Mask, required: Requirements) -> list[Offering] | SchedulingError:
        """The reservations that the node could use, all of which are held for it."""
        options = self.template.options
        if not options.reserved_capacity or not self.template.reserved:
            return []
        compatible = [
            offering
            for position, offering in self.template.reserved
            if types[position] and required.is_compatible(offering.requirements, options.well_known)
        ]
        found = [
            offering
            for offering in compatible
            if self._reservations.can_reserve(self.hostname, offering)
        ]
        if options.strict_reservations and not found:
            if compatible:
                return errors.ReservedOffering(
                    "one or more instance types with compatible reserved offerings are available, "
                    "but could not be reserved"
                )
            if self.reserved:
                return errors.ReservedOffering(
                    "satisfying updated nodeclaim constraints would remove all compatible reserved "
                    "offering options"
                )
        return found

    def daemon_requests(self) -> ResourceList:
        """The least that DaemonSets take on any type that is left."""
        least: ResourceList = {}
        for position, group in enumerate(self.template.groups):
            if not (self.types & (self.template.group_of_type == position)).any():
                continue
            if not least:
                least = group.requests
            else:
                least = {
                    name: min(amount, group.requests[name])
                    for name, amount in least.items()
                    if name in group.requests
                }
        return least
