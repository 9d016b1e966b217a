"""What changes with time on NodeClaims: expiry, pods that come and go, drift, consolidation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.conditions import consolidation
from kubestage.controllers.karpenter.conditions.drift import DriftCheck
from kubestage.controllers.karpenter.lifecycle.at_work import NODE_CLAIM, is_going
from kubestage.controllers.karpenter.state import pod_state
from kubestage.golang import durations
from kubestage.objects import timestamps
from kubestage.units import HOUR_NS, SECOND_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.store.log import Change

_NOTED_NS: Final = 10 * SECOND_NS
_LONG: Final = HOUR_NS + SECOND_NS


class ClaimState:
    """Keeps conditions and times of NodeClaims up to date; `state:` keys are NodeClaims."""

    def __init__(self, at_work: AtWork) -> None:
        self._at_work = at_work
        self._drift = DriftCheck(at_work.cloud)

    def sync(self, name: str) -> None:
        """Set the conditions Consolidatable and Drifted as they should be now."""
        at_work = self._at_work
        claim = at_work.claim(name)
        if claim is None or is_going(claim) or not at_work.is_managed(claim):
            return
        pool = at_work.node_pool_of(claim)
        if pool is None:
            return
        now_ns = at_work.now_ns
        current = self._drift.with_drifted(pool, claim, now_ns)
        if pool["spec"].get("replicas") is None:
            current = consolidation.with_consolidatable(pool, current, now_ns)
            at_ns = consolidation.consolidatable_ns(pool, current)
            if at_ns is not None and at_ns > now_ns:
                at_work.wake(f"state:{name}", at_ns - now_ns)
        if current is not claim:
            at_work.write_status(NODE_CLAIM, claim, current["status"])

    def meet(self, claim: Json) -> None:
        """A NodeClaim is new: it expires some day, and its type may be gone after an hour."""
        name = claim["metadata"]["name"]
        created_ns = timestamps.parse_time(claim["metadata"]["creationTimestamp"])
        self._at_work.wake(f"state:{name}", max(created_ns + _LONG - self._at_work.now_ns, 1))
        expiry_ns = self._expiry_ns(claim)
        if expiry_ns is not None:
            self._at_work.wake(f"expiry:{name}", max(expiry_ns - self._at_work.now_ns, 1))

    def expire(self, name: str) -> None:
        """Delete a NodeClaim that has reached its age."""
        claim = self._at_work.claim(name)
        if claim is None or is_going(claim) or not self._at_work.is_managed(claim):
            return
        expiry_ns = self._expiry_ns(claim)
        if expiry_ns is not None and expiry_ns <= self._at_work.now_ns:
            self._at_work.give_up(claim, f"Expired: expireAfter {claim['spec']['expireAfter']}")

    def on_pod(self, change: Change) -> None:
        """A pod has come to a node, be it with its creation, has ended, or is going."""
        new, old = change.new, change.old
        name = (new.get("spec") or {}).get("nodeName")
        if name and not pod_state.is_daemon(new) and (old is None or _matters(old, new)):
            self._at_work.wake(f"pods:{name}", 0)

    def note_pods(self, node_name: str) -> None:
        """Write down that a node's pods have changed."""
        at_work = self._at_work
        node = at_work.node(node_name)
        claim = None if node is None else at_work.claim_of(node)
        if claim is None or not at_work.is_managed(claim):
            return
        status = claim.get("status") or {}
        last = status.get("lastPodEventTime")
        now_ns = at_work.now_ns
        if last is not None and now_ns - timestamps.parse_time(last) < _NOTED_NS:
            return
        noted = {**status, "lastPodEventTime": timestamps.format_time(now_ns)}
        at_work.write_status(NODE_CLAIM, claim, noted)

    def _expiry_ns(self, claim: Json) -> int | None:
        after = claim["spec"].get("expireAfter")
        if after is None or after == consolidation.NEVER:
            return None
        created_ns = timestamps.parse_time(claim["metadata"]["creationTimestamp"])
        return created_ns + durations.parse_duration(after)


def _matters(old: Json, new: Json) -> bool:
    """Whether a pod that has a node now had none, or did not end or go before."""
    was_bound = bool((old.get("spec") or {}).get("nodeName"))
    has_ended = pod_state.is_terminal(new) and not pod_state.is_terminal(old)
    is_going_now = pod_state.is_terminating(new) and not pod_state.is_terminating(old)
    return not was_bound or has_ended or is_going_now
