"""What a simulation has found: new nodes, pods on nodes that are there, and pods without any."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import amounts, events, labels
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.controllers.karpenter.requirements import requirement
from kubestage.controllers.karpenter.requirements.requirements import Requirements
from kubestage.controllers.karpenter.scheduling.errors import Plain
from kubestage.controllers.karpenter.state import pod_state

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.controllers.karpenter.instance_types.types import InstanceType
    from kubestage.controllers.karpenter.scheduling.errors import SchedulingError
    from kubestage.controllers.karpenter.scheduling.node_claims import NodeClaim
    from kubestage.controllers.karpenter.scheduling.options import Options
    from kubestage.controllers.karpenter.state.state_node import StateNode
    from kubestage.objects.pod_resources import ResourceList

_SHOWN_ERRORS: Final = 5


@dataclasses.dataclass(slots=True)
class NewNodeClaim:
    """A node to be made, for these pods, as one of these types."""

    node_pool: Json
    requirements: Requirements
    instance_types: list[InstanceType]
    pods: list[Json]
    requests: ResourceList
    min_values_relaxed: bool

    @property
    def pool_name(self) -> str:
        """The name of its NodePool."""
        name: str = self.node_pool["metadata"]["name"]
        return name


@dataclasses.dataclass(slots=True)
class PlacedOn:
    """Pods that are to go to a node of the cluster."""

    node: StateNode
    pods: list[Json]


@dataclasses.dataclass(slots=True)
class PodError:
    """A pod that goes nowhere, and why."""

    pod: Json
    error: SchedulingError


@dataclasses.dataclass(slots=True)
class Results:
    """New nodes in the order in which they were tried last, and existing ones that get pods."""

    new_node_claims: list[NewNodeClaim] = dataclasses.field(default_factory=list)
    existing_nodes: list[PlacedOn] = dataclasses.field(default_factory=list)
    pod_errors: list[PodError] = dataclasses.field(default_factory=list)

    @property
    def all_non_pending_pods_scheduled(self) -> bool:
        """Whether only pods that waited before go nowhere."""
        return all(pod_state.is_provisionable(each.pod) for each in self.pod_errors)

    @property
    def non_pending_errors(self) -> str:
        """Why pods that run now would go nowhere, by namespace and name."""
        failed = [each for each in self.pod_errors if not pod_state.is_provisionable(each.pod)]
        failed.sort(key=lambda each: pod_state.key_of(each.pod))
        if not failed:
            return "No Pod Scheduling Errors"
        shown = "".join(
            f"{pod_state.key_of(each.pod)} => {each.error} " for each in failed[:_SHOWN_ERRORS]
        )
        if len(failed) >= _SHOWN_ERRORS:
            shown += f" and {len(failed) - _SHOWN_ERRORS} other(s)"
        return f"not all pods would schedule, {shown}"

    def truncate(
        self,
        options: Options,
        most: int = prices.MAX_INSTANCE_TYPES,
        *,
        may_stay_unordered: bool = False,
    ) -> None:
        """Keep the cheapest types of each new node; give up nodes that need more of them.

        What is only looked at does not need the order of its types if none of them is cut.
        """
        kept, best_effort = [], options.is_best_effort
        for claim in self.new_node_claims:
            known, required = claim.instance_types, claim.requirements
            if may_stay_unordered and not prices.is_cut(
                known, required, best_effort=best_effort, most=most
            ):
                kept.append(claim)
                continue
            claim.instance_types, problem = prices.truncated(
                known, required, options.well_known, best_effort=best_effort, most=most
            )
            if not problem:
                kept.append(claim)
                continue
            text = (
                "pod didn’t schedule because NodePool couldn’t meet minValues requirements, "
                f"{problem}"
            )
            error = Plain(text, NodePool=claim.pool_name)
            self.pod_errors += [PodError(pod, error) for pod in claim.pods]
        self.new_node_claims = kept

    def record(self, publish: Publish) -> None:
        """Publish what failed, and which nodes pods were promised."""
        for each in self.pod_errors:
            if not each.error.reserved:
                publish(failed_to_schedule(each.pod, each.error))
        for placed in self.existing_nodes:
            for pod in placed.pods:
                publish(nominated(pod, placed.node.node, placed.node.node_claim))


def failed_to_schedule(pod: Json, error: object) -> events.Event:
    """The event of a pod that goes nowhere."""
    message = f"Failed to schedule pod, {error}"
    return events.about("Pod", pod, "FailedScheduling", message, events.WARNING)


def nominated(pod: Json, node: Json | None, node_claim: Json | None) -> events.Event:
    """The event of a pod that a node was promised."""
    where = [
        f"{word}/{obj['metadata']['name']}"
        for word, obj in (("nodeclaim", node_claim), ("node", node))
        if obj is not None
    ]
    return events.about("Pod", pod, "Nominated", f"Pod should schedule on: {', '.join(where)}")


def finalized(
    claim: NodeClaim, reservation_label: str, *, min_values_relaxed: bool
) -> NewNodeClaim:
    """A future node as it is to be made: without its made-up name, reservations as requirements."""
    required = claim.requirements.without(labels.HOSTNAME)
    if claim.reserved:
        only = requirement.new(labels.CAPACITY_TYPE, requirement.IN, (labels.RESERVED,))
        names = [offering.reservation_id for offering in claim.reserved]
        held = requirement.new(reservation_label, requirement.IN, names)
        required = required.with_replaced(only).plus(Requirements([held]))
    requests: ResourceList = {}
    for queued in claim.pods:
        requests = amounts.merged_quantities(requests, queued.shape.requests)
    requests = amounts.merged_quantities(requests, claim.daemon_requests())
    return NewNodeClaim(
        claim.template.node_pool,
        required,
        claim.template.catalogue.pick(claim.types),
        [queued.pod for queued in claim.pods],
        requests,
        min_values_relaxed,
    )
