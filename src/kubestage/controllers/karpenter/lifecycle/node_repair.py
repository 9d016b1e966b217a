"""Nodes that stay unhealthy are replaced; with the feature gate NodeRepair."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter import events, labels
from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.lifecycle.at_work import NODE, NODE_CLAIM, is_going
from kubestage.golang import durations
from kubestage.objects import timestamps
from kubestage.units import MINUTE_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork

REPAIR_BLOCKED: Final = "NodeRepairBlocked"

_BLOCKED_NS: Final = 5 * MINUTE_NS
_MOST_UNHEALTHY: Final = 20
"""Percent; of more unhealthy nodes the cause is taken to be another than the nodes."""


class Policy(NamedTuple):
    """A condition that is unhealthy, and how long it is tolerated."""

    condition: str
    value: str
    tolerated_ns: int


POLICIES: Final = (
    Policy("Ready", "False", 30 * MINUTE_NS),
    Policy("Ready", "Unknown", 30 * MINUTE_NS),
    Policy("AcceleratedHardwareReady", "False", 10 * MINUTE_NS),
    Policy("StorageReady", "False", 30 * MINUTE_NS),
    Policy("NetworkingReady", "False", 30 * MINUTE_NS),
    Policy("KernelReady", "False", 30 * MINUTE_NS),
    Policy("ContainerRuntimeReady", "False", 30 * MINUTE_NS),
)
"""What Karpenter's provider for AWS repairs."""


class NodeRepair:
    """Deletes NodeClaims of unhealthy nodes, whose pods get no time; `repair:` keys are Nodes."""

    def __init__(self, at_work: AtWork) -> None:
        self._at_work = at_work

    def sync(self, name: str) -> None:
        """Look at the conditions of a Node, if Karpenter is to repair any."""
        at_work = self._at_work
        node = at_work.node(name)
        if node is None or not at_work.settings.node_repair:
            return
        claim = at_work.claim_of(node)
        found = _first_due(node)
        if claim is None or found is None or not at_work.is_managed(claim):
            return
        due_ns, policy = found
        if at_work.now_ns < due_ns:
            at_work.wake(f"repair:{name}", due_ns - at_work.now_ns)
        elif self._is_blocked(node, claim):
            at_work.wake(f"repair:{name}", _BLOCKED_NS)
        elif not is_going(claim):
            self._end_now(claim)
            tolerated = durations.go_string(policy.tolerated_ns)
            at_work.give_up(
                claim, f"Unhealthy: {policy.condition} is {policy.value} for {tolerated}"
            )

    def _is_blocked(self, node: Json, claim: Json) -> bool:
        """Whether too many nodes are unhealthy: of its NodePool, or without one of the cluster."""
        at_work = self._at_work
        pool = (claim["metadata"].get("labels") or {}).get(labels.NODE_POOL)
        nodes = [
            each
            for each in at_work.lister.all(NODE)
            if pool is None or (each["metadata"].get("labels") or {}).get(labels.NODE_POOL) == pool
        ]
        unhealthy = sum(_first_due(each) is not None for each in nodes)
        if unhealthy <= -(-len(nodes) * _MOST_UNHEALTHY // 100):
            return False
        text = f"more than {_MOST_UNHEALTHY}% nodes are unhealthy in the nodepool"
        if pool is None:
            # As Karpenter spells it.
            text = f"more then {_MOST_UNHEALTHY}% nodes are unhealthy in the cluster"
        at_work.publish(events.about("Node", node, REPAIR_BLOCKED, text, events.WARNING))
        return True

    def _end_now(self, claim: Json) -> None:
        """Have its pods deleted at once, whatever budgets and grace periods say."""
        at_work = self._at_work
        annotations = claim["metadata"].get("annotations") or {}
        at = annotations.get(labels.TERMINATION_TIMESTAMP)
        if at is not None and timestamps.parse_time(at) < at_work.now_ns:
            return
        now = timestamps.format_time(at_work.now_ns)
        at_work.write_metadata(
            NODE_CLAIM, claim, annotations={**annotations, labels.TERMINATION_TIMESTAMP: now}
        )


def _first_due(node: Json) -> tuple[int, Policy] | None:
    """The unhealthy condition that is tolerated no longer first, and from when on."""
    due = []
    for policy in POLICIES:
        condition = status.find(node, policy.condition)
        if condition is not None and condition["status"] == policy.value:
            since_ns = timestamps.parse_time(condition["lastTransitionTime"])
            due.append((since_ns + policy.tolerated_ns, policy))
    return min(due, key=lambda each: each[0], default=None)
