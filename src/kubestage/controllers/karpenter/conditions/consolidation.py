"""Consolidatable: nothing has happened on a node for as long as its NodePool demands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.conditions import status
from kubestage.golang import durations
from kubestage.objects import timestamps

if TYPE_CHECKING:
    from kubestage.aliases import Json

CONSOLIDATABLE: Final = "Consolidatable"
INITIALIZED: Final = "Initialized"
NEVER: Final = "Never"


def consolidate_after_ns(node_pool: Json) -> int | None:
    """How long nothing must have happened; None if consolidation is off."""
    text = (node_pool["spec"].get("disruption") or {}).get("consolidateAfter")
    return None if text is None or text == NEVER else durations.parse_duration(text)


def consolidatable_ns(node_pool: Json, node_claim: Json) -> int | None:
    """When a NodeClaim may be consolidated if nothing more happens; None if never."""
    after_ns = consolidate_after_ns(node_pool)
    if after_ns is None or not status.is_true(node_claim, INITIALIZED):
        return None
    return _last_change_ns(node_claim) + after_ns


def is_under_consolidate_after(
    node_pool: Json | None, node_claim: Json | None, now_ns: int
) -> bool:
    """Whether something has happened on a node too recently to put more pods there."""
    if node_pool is None or node_claim is None:
        return False
    at_ns = settles_ns(node_pool, node_claim)
    return at_ns is not None and now_ns < at_ns


def settles_ns(node_pool: Json, node_claim: Json) -> int | None:
    """Until when a node gets no pods of other nodes; None if it is not to be left alone."""
    if not consolidate_after_ns(node_pool):
        return None
    return consolidatable_ns(node_pool, node_claim)


def with_consolidatable(node_pool: Json, node_claim: Json, now_ns: int) -> Json:
    """The NodeClaim with the condition as it should be now."""
    if consolidatable_ns(node_pool, node_claim) is None or is_under_consolidate_after(
        node_pool, node_claim, now_ns
    ):
        return status.without(node_claim, CONSOLIDATABLE)
    return status.with_true(node_claim, CONSOLIDATABLE, now_ns)


def _last_change_ns(node_claim: Json) -> int:
    """When a pod came or went; if none has since, when the node was ready for the first."""
    last = (node_claim.get("status") or {}).get("lastPodEventTime")
    if last is not None:
        return timestamps.parse_time(last)
    return status.since_ns(node_claim, INITIALIZED)
