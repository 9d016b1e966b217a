"""One simulation: pods one after the other to existing, future and new nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter.scheduling import errors, results
from kubestage.controllers.karpenter.scheduling.claim_order import ClaimOrder
from kubestage.controllers.karpenter.scheduling.node_claims import NodeClaim, Placement
from kubestage.controllers.karpenter.scheduling.topology import NOT_TRACKED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.amounts import Amounts
    from kubestage.controllers.karpenter.instance_types.catalogue import Mask
    from kubestage.controllers.karpenter.scheduling.errors import SchedulingError
    from kubestage.controllers.karpenter.scheduling.existing_nodes import ExistingNodes
    from kubestage.controllers.karpenter.scheduling.options import Options, Placeholders
    from kubestage.controllers.karpenter.scheduling.pod_shapes import PodShape
    from kubestage.controllers.karpenter.scheduling.queue import PodQueue, QueuedPod
    from kubestage.controllers.karpenter.scheduling.reservations import Reservations
    from kubestage.controllers.karpenter.scheduling.templates import Template
    from kubestage.controllers.karpenter.scheduling.topology import Ownership, Topology


class Simulation:
    """A pass under way; `limits` is what is left for new nodes of each NodePool."""

    def __init__(
        self,
        existing: ExistingNodes,
        templates: Sequence[Template],
        topology: Topology,
        limits: dict[str, Amounts],
        reservations: Reservations,
        placeholders: Placeholders,
        options: Options,
        *,
        tolerate_prefer_no_schedule: bool,
    ) -> None:
        self._existing = existing
        self._templates = templates
        self._topology = topology
        self._limits = limits
        self._reservations = reservations
        self._placeholders = placeholders
        self._options = options
        self._tolerate = tolerate_prefer_no_schedule
        self._claims = ClaimOrder()
        self._lowered: dict[str, bool] = {}

    def run(self, queue: PodQueue) -> results.Results:
        """Place the pods of a queue."""
        failed: dict[str, results.PodError] = {}
        while (queued := queue.pop()) is not None:
            error = self._try(queued)
            if error is None:
                failed.pop(queued.uid, None)
                continue
            failed[queued.uid] = results.PodError(queued.pod, error)
            queued.tracked = True
            self._topology.owned_by(queued.shape)
            queue.push(queued)
        return results.Results(
            [
                results.finalized(
                    claim,
                    self._options.reservation_label,
                    min_values_relaxed=self._lowered[claim.template.name],
                )
                for claim in self._claims.claims
            ],
            [
                results.PlacedOn(node.state, [each.pod for each in node.pods])
                for node in self._existing.used
            ],
            list(failed.values()),
        )

    def _try(self, queued: QueuedPod) -> SchedulingError | None:
        """Place a pod, giving up preferences one by one; why it cannot be placed at all."""
        shape = queued.shape
        while True:
            owned = self._topology.owned_by(shape) if queued.tracked else NOT_TRACKED
            error = self._add(queued, shape, owned)
            if error is None or error.reserved or error.permanent:
                return error
            relaxed = shape.relaxed(self._options, tolerate_prefer_no_schedule=self._tolerate)
            if relaxed is None:
                return error
            shape = relaxed
            queued.tracked = True

    def _add(self, pod: QueuedPod, shape: PodShape, owned: Ownership) -> SchedulingError | None:
        if shape.has_claims:
            return errors.DynamicResources(
                "pod has Dynamic Resource Allocation requirements that are not yet supported by "
                "Karpenter"
            )
        if self._existing.place(pod, shape, owned, self._topology):
            return None
        self._claims.restore()
        if self._add_to_future_node(pod, shape, owned):
            return None
        if not self._templates:
            return errors.Plain("nodepool requirements filtered out all available instance types")
        return self._add_to_new_node(pod, shape, owned)

    def _add_to_future_node(self, pod: QueuedPod, shape: PodShape, owned: Ownership) -> bool:
        is_free = not pod.volume_terms and self._topology.is_free(shape)
        for position, claim in enumerate(self._claims.claims):
            if claim.is_closed_to(shape):
                continue
            placement = claim.can_add(pod, shape, owned, self._topology)
            if isinstance(placement, Placement):
                claim.add(pod, shape, owned, self._topology, placement)
                self._claims.gained(position)
                return True
            if is_free:
                claim.close_to(shape)
        return False

    def _add_to_new_node(
        self, pod: QueuedPod, shape: PodShape, owned: Ownership
    ) -> SchedulingError | None:
        reasons: list[SchedulingError] = []
        for template in self._templates:
            types = self._within_limits(template)
            if isinstance(types, errors.SchedulingError):
                reasons.append(types)
                continue
            hostname = self._placeholders.next()
            claim = NodeClaim(template, hostname, types, self._reservations)
            placement = claim.can_add(
                pod,
                shape,
                owned,
                self._topology,
                lower=self._options.is_best_effort,
                explain=True,
            )
            if isinstance(placement, Placement):
                # The new nodes of a NodePool share their annotations: the last one decides.
                self._lowered[template.name] = placement.lowered
                claim.add(pod, shape, owned, self._topology, placement)
                self._claims.append(claim)
                self._take_from_limits(claim)
                return None
            reasons.append(placement)
            if placement.reserved:
                break
        return reasons[0] if len(reasons) == 1 else errors.Several(reasons)

    def _within_limits(self, template: Template) -> Mask | SchedulingError:
        limits = self._limits[template.name]
        if not limits:
            return template.all_types
        if limits.get("nodes") == 0:
            return errors.Plain(
                "node limits have been exhausted for nodepool", NodePool=template.name
            )
        types = template.within(limits)
        if not types.any():
            return errors.Plain(
                "all available instance types exceed limits for nodepool", NodePool=template.name
            )
        return types

    def _take_from_limits(self, claim: NodeClaim) -> None:
        """Count a new node as if it became the largest type it could be."""
        limits, template = self._limits[claim.template.name], claim.template
        for name in limits:
            limits[name] -= template.largest(claim.types, name)
