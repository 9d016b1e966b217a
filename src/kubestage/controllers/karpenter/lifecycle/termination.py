"""The end of a Node: it is drained, its volumes are detached, its machine ends, and it goes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import events, labels
from kubestage.controllers.karpenter.conditions import condition_set
from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet
from kubestage.controllers.karpenter.lifecycle import initialization, pod_groups, volumes
from kubestage.controllers.karpenter.lifecycle.at_work import NODE, NODE_CLAIM, is_going
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.controllers.karpenter.lifecycle.evictions import Evictions

_AGAIN_NS: Final = SECOND_NS
_MACHINE_AGAIN_NS: Final = 5 * SECOND_NS
_LEAST_DRAIN_NS: Final = 5 * SECOND_NS
_DRAINED: Final = "Drained"
_DETACHED: Final = "VolumesDetached"
_TERMINATING: Final = "InstanceTerminating"
_EXCLUDED: Final = {"node.kubernetes.io/exclude-from-external-load-balancers": "karpenter"}
_TAINT: Final = labels.DISRUPTED_TAINT


class Termination:
    """Reconciles Nodes that are being deleted and are Karpenter's."""

    def __init__(self, at_work: AtWork, evictions: Evictions) -> None:
        self._at_work = at_work
        self._evictions = evictions

    def sync(self, name: str) -> None:
        """Bring the end of a Node one step on."""
        at_work = self._at_work
        node = at_work.node(name)
        if node is None or not is_going(node):
            return
        if labels.TERMINATION_FINALIZER not in (node["metadata"].get("finalizers") or ()):
            return
        claim = at_work.claim_of(node)
        if claim is not None and not is_going(claim):
            at_work.give_up(claim, "its Node was deleted by a client")
            claim = at_work.claim(claim["metadata"]["name"])
        provider_id = (node.get("spec") or {}).get("providerID") or ""
        if not initialization.is_ready(node) and not at_work.cloud.exists(provider_id):
            self._let_go(node)
            return
        self._taint(node)
        if claim is None:
            if self._drain(node, None):
                self._let_go(node)
            return
        conditions = ConditionSet(claim, condition_set.NODE_CLAIM, at_work.now_ns)
        again_ns = self._advance(node, claim, conditions)
        stored = at_work.claim(claim["metadata"]["name"])
        if stored is not None:
            at_work.write_status(NODE_CLAIM, stored, conditions.status)
        if again_ns:
            at_work.wake(f"node:{name}", again_ns)
        else:
            self._let_go(node)

    def _advance(self, node: Json, claim: Json, conditions: ConditionSet) -> int:
        """Go on; how long until it is to be looked at again, nothing if the Node may go."""
        at_work = self._at_work
        until_ns = self._termination_ns(node, claim)
        if conditions.get(_DRAINED) is None:
            conditions.set_unknown(_DRAINED, "Draining", "Draining")
        if not self._drain(node, until_ns):
            return _AGAIN_NS
        if not conditions.is_true(_DRAINED):
            if at_work.now_ns - conditions.since_ns(_DRAINED) < _LEAST_DRAIN_NS:
                return _AGAIN_NS
            conditions.set_true(_DRAINED)
        attached = volumes.blocking(at_work, node)
        if not attached:
            conditions.set_true(_DETACHED)
        elif until_ns is None or at_work.now_ns <= until_ns:
            shown = ", ".join(attached)
            text = f"Awaiting deletion of bound volumeattachments ({shown})"
            at_work.publish(events.about("Node", node, "AwaitingVolumeDetachment", text))
            reason = "AwaitingVolumeDetachment"
            conditions.set_unknown(_DETACHED, reason, reason)
            return _AGAIN_NS
        else:
            reason = "TerminationGracePeriodElapsed"
            conditions.set_false(_DETACHED, reason, reason)
        is_gone = at_work.cloud.terminate((claim.get("status") or {}).get("providerID") or "")
        conditions.set_true(_TERMINATING)
        return 0 if is_gone else _MACHINE_AGAIN_NS

    def _drain(self, node: Json, until_ns: int | None) -> bool:
        """Have the pods go that are to go; whether all have gone."""
        at_work = self._at_work
        pods = at_work.cluster.pods_on(node["metadata"]["name"])
        waiting = [each for each in pods if pod_groups.is_waiting(each, at_work.now_ns)]
        if until_ns is not None:
            self._evictions.delete_expiring(waiting, until_ns)
        for group in pod_groups.by_priority(waiting):
            if group:
                self._evictions.add(group)
                text = f"Failed to drain node, {len(waiting)} pods are waiting to be evicted"
                at_work.publish(events.about("Node", node, "FailedDraining", text, events.WARNING))
                return False
        return True

    def _termination_ns(self, node: Json, claim: Json) -> int | None:
        """When the pods are deleted at the latest."""
        annotations = claim["metadata"].get("annotations") or {}
        at = annotations.get(labels.TERMINATION_TIMESTAMP)
        if at is None:
            return None
        text, reason = f"All pods will be deleted by {at}", "TerminationGracePeriodExpiring"
        self._at_work.publish(events.about("Node", node, reason, text, events.WARNING))
        return timestamps.parse_time(at)

    def _taint(self, node: Json) -> None:
        """Keep new pods away, and load balancers."""
        taints = (node.get("spec") or {}).get("taints") or []
        stated = node["metadata"].get("labels") or {}
        is_tainted = any(
            (each["key"], each["effect"]) == (_TAINT.key, _TAINT.effect) for each in taints
        )
        if is_tainted and _EXCLUDED.items() <= stated.items():
            return
        if not is_tainted:
            others = [each for each in taints if each["key"] != _TAINT.key]
            taints = [*others, {"key": _TAINT.key, "effect": _TAINT.effect}]
        patch = {"metadata": {"labels": dict(_EXCLUDED)}, "spec": {"taints": taints}}
        self._at_work.patch(NODE, node["metadata"]["name"], patch)

    def _let_go(self, node: Json) -> None:
        name = node["metadata"]["name"]
        present = self._at_work.node(name)
        if present is None:
            return
        finalizers = present["metadata"].get("finalizers") or ()
        left = [each for each in finalizers if each != labels.TERMINATION_FINALIZER]
        self._at_work.patch(NODE, name, {"metadata": {"finalizers": left or None}})
