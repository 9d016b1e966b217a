"""NodeClaims from launch to initialization, and when Karpenter gives one up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import events, labels
from kubestage.controllers.karpenter.conditions import condition_set
from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet
from kubestage.controllers.karpenter.decisions import purchases
from kubestage.controllers.karpenter.lifecycle import initialization, registration
from kubestage.controllers.karpenter.lifecycle.at_work import NODE, NODE_CLAIM, is_going
from kubestage.controllers.karpenter.provider.cloud import (
    HASH,
    InsufficientCapacityError,
    NodeClassNotReadyError,
)
from kubestage.golang import durations
from kubestage.objects import timestamps
from kubestage.units import MINUTE_NS, SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.controllers.karpenter.lifecycle.pool_health import PoolHealth
    from kubestage.controllers.karpenter.provider.launching import Option
    from kubestage.controllers.karpenter.provider.machines import Machine

LAUNCHED: Final = "Launched"
REGISTERED: Final = "Registered"
INITIALIZED: Final = "Initialized"
_TERMINATING: Final = "InstanceTerminating"
_REGISTRATION_NS: Final = 15 * MINUTE_NS
_AGAIN_NS: Final = 5 * SECOND_NS
_LONGEST: Final = 300


class NodeClaims:
    """Reconciles NodeClaims; `machine:` keys are about what their machines do meanwhile."""

    def __init__(self, at_work: AtWork, health: PoolHealth) -> None:
        self._at_work = at_work
        self._health = health

    def sync(self, name: str) -> None:
        """Bring a NodeClaim one step on."""
        claim = self._at_work.claim(name)
        if claim is None or not self._at_work.is_managed(claim):
            return
        if is_going(claim):
            self._finalize(claim)
            return
        if labels.TERMINATION_FINALIZER not in (claim["metadata"].get("finalizers") or ()):
            finalizers = [
                *(claim["metadata"].get("finalizers") or ()), labels.TERMINATION_FINALIZER,
            ]  # fmt: skip
            claim = self._at_work.write_metadata(NODE_CLAIM, claim, finalizers=finalizers)
        self._reconcile(claim)

    def _reconcile(self, claim: Json) -> None:
        conditions = ConditionSet(claim, condition_set.NODE_CLAIM, self._at_work.now_ns)
        machine = None
        if conditions.value(LAUNCHED) == condition_set.UNKNOWN:
            machine = self._launch(claim, conditions)
            if machine is None:
                return
            claim = self._with_machine(claim, machine)
        else:
            conditions.observe(LAUNCHED)
        status = {**conditions.status, **({} if machine is None else _resolved(machine))}
        claim = {**claim, "status": status}
        node_name = registration.reconcile(self._at_work, claim, conditions, self._health)
        if node_name:
            status["nodeName"] = node_name
        initialization.reconcile(self._at_work, claim, conditions)
        status["conditions"] = conditions.status["conditions"]
        stored = self._at_work.claim(claim["metadata"]["name"])
        if stored is not None:
            self._at_work.write_status(NODE_CLAIM, stored, status)
        if not conditions.is_true(REGISTERED):
            self._check_liveness(claim, conditions)

    def _launch(self, claim: Json, conditions: ConditionSet) -> Machine | None:
        """Launch a machine; a NodeClaim for which there is none goes."""
        at_work, name = self._at_work, claim["metadata"]["name"]
        ways = at_work.cloud.options(claim) if at_work.decisions.is_observed else ()
        refused: list[Option] = []
        try:
            machine = at_work.cloud.launch(claim, refused)
        except InsufficientCapacityError as error:
            text = f"NodeClaim {name} event: {str(error)[:_LONGEST]}"
            event = events.about(
                "NodeClaim", claim, "InsufficientCapacityError", text, events.WARNING
            )
            at_work.publish(event)
            self._report_launch(name, ways, refused, None)
            at_work.give_up(claim, "no machine of its types could be had")
            self._look_again_later()
            return None
        except NodeClassNotReadyError:
            at_work.give_up(claim, "its node class does not exist")
            return None
        self._report_launch(name, ways, refused, machine)
        conditions.set_true(LAUNCHED)
        return machine

    def _report_launch(
        self,
        name: str,
        ways: Sequence[Option],
        refused: Sequence[Option],
        machine: Machine | None,
    ) -> None:
        """Say which of the ways to have a machine was taken."""
        at_work = self._at_work
        if not at_work.decisions.is_observed:
            return
        place = None if machine is None else machine.place
        chosen = next((each for each in ways if each.place == place), None)
        decision = purchases.launch(at_work.now_ns, name, ways, refused, chosen)
        at_work.decisions.report(decision)

    def _look_again_later(self) -> None:
        """Pods may wait for what is not available now."""
        at_ns = self._at_work.cloud.capacity.next_change_ns()
        if at_ns is not None:
            self._at_work.wake("capacity", at_ns - self._at_work.now_ns)

    def _with_machine(self, claim: Json, machine: Machine) -> Json:
        """The NodeClaim with the labels of its machine."""
        metadata = claim["metadata"]
        of = self._at_work.cloud.class_of(claim["spec"]["nodeClassRef"])
        annotations = dict(metadata.get("annotations") or {})
        if of is not None:
            annotations[HASH] = of.hash
        self._at_work.wake(
            f"machine:register:{machine.provider_id}",
            self._at_work.cloud.registration_ns(machine),
        )
        interruption_ns = self._at_work.cloud.interruption_ns(machine)
        if interruption_ns is not None:
            self._at_work.wake(f"machine:interrupt:{machine.provider_id}", interruption_ns)
        return self._at_work.write_metadata(
            NODE_CLAIM,
            claim,
            labels={**machine.labels, **(metadata.get("labels") or {})},
            annotations=annotations,
        )

    def _check_liveness(self, claim: Json, conditions: ConditionSet) -> None:
        """Give a NodeClaim up whose node does not come."""
        left_ns = conditions.since_ns(REGISTERED) + _REGISTRATION_NS - self._at_work.now_ns
        name = claim["metadata"]["name"]
        if left_ns > 0:
            self._at_work.wake(f"claim:{name}", left_ns)
            return
        self._health.failed(claim)
        self._at_work.give_up(claim, "its machine did not register within 15m")

    def _finalize(self, claim: Json) -> None:
        """Delete the Node, then the machine, then let the NodeClaim go."""
        at_work, metadata = self._at_work, claim["metadata"]
        if labels.TERMINATION_FINALIZER not in (metadata.get("finalizers") or ()):
            return
        claim = self._with_termination_time(claim)
        conditions = ConditionSet(claim, condition_set.NODE_CLAIM, at_work.now_ns)
        if conditions.is_true(REGISTERED):
            node = at_work.node_of(claim)
            if node is not None:
                if not is_going(node):
                    at_work.delete(NODE, node["metadata"]["name"])
                return
        provider_id = (claim.get("status") or {}).get("providerID")
        if provider_id:
            is_gone = at_work.cloud.terminate(provider_id)
            conditions.set_true(_TERMINATING)
            at_work.write_status(NODE_CLAIM, claim, conditions.status)
            if not is_gone:
                at_work.wake(f"claim:{metadata['name']}", _AGAIN_NS)
                return
        left = [each for each in metadata["finalizers"] if each != labels.TERMINATION_FINALIZER]
        at_work.patch(NODE_CLAIM, metadata["name"], {"metadata": {"finalizers": left or None}})

    def _with_termination_time(self, claim: Json) -> Json:
        """The NodeClaim with the time at which its pods are deleted at the latest."""
        metadata = claim["metadata"]
        annotations = metadata.get("annotations") or {}
        grace = claim["spec"].get("terminationGracePeriod")
        if grace is None or labels.TERMINATION_TIMESTAMP in annotations:
            return claim
        deleted_ns = timestamps.parse_time(metadata["deletionTimestamp"])
        at = timestamps.format_time(deleted_ns + durations.parse_duration(grace))
        claim = self._at_work.write_metadata(
            NODE_CLAIM, claim, annotations={**annotations, labels.TERMINATION_TIMESTAMP: at}
        )
        text = f"All pods will be deleted by {at}"
        reason = "TerminationGracePeriodExpiring"
        self._at_work.publish(events.about("NodeClaim", claim, reason, text, events.WARNING))
        return claim


def _resolved(machine: Machine) -> Json:
    found: Json = {
        "providerID": machine.provider_id,
        "capacity": machine.capacity,
        "allocatable": machine.allocatable,
    }
    return {**found, "imageID": machine.image} if machine.image else found
