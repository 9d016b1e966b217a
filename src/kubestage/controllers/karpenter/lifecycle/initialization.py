"""Initialization: a registered Node is ready, without passing taints, and has its resources."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.conditions import condition_set
from kubestage.controllers.karpenter.lifecycle.at_work import NODE
from kubestage.objects import quantity
from kubestage.objects.taints import Taint

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork

_INITIALIZED: Final = "Initialized"
_REGISTERED: Final = "Registered"


def reconcile(at_work: AtWork, claim: Json, conditions: ConditionSet) -> None:
    """Initialize a NodeClaim, or state what it waits for."""
    if conditions.value(_INITIALIZED) != condition_set.UNKNOWN:
        conditions.observe(_INITIALIZED)
        return
    if not conditions.is_true(_REGISTERED):
        return
    node = at_work.node_of(claim)
    if node is None:
        text = "Node not registered with cluster"
        conditions.set_unknown(_INITIALIZED, "NodeNotFound", text)
        return
    reason, text = _awaited(claim, node)
    if reason:
        conditions.set_unknown(_INITIALIZED, reason, text)
        return
    stated = {labels.NODE_INITIALIZED: "true"}
    at_work.patch(NODE, node["metadata"]["name"], {"metadata": {"labels": stated}})
    conditions.set_true(_INITIALIZED)


def is_ready(node: Json) -> bool:
    """Whether a Node reports itself as ready."""
    conditions = (node.get("status") or {}).get("conditions") or ()
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def _awaited(claim: Json, node: Json) -> tuple[str, str]:
    """What a Node is waited for; nothing if it is all there."""
    if not is_ready(node):
        return "NodeNotReady", "Node status is NotReady"
    taints = (node.get("spec") or {}).get("taints") or []
    for startup in claim["spec"].get("startupTaints") or ():
        for each in taints:
            if (startup["key"], startup["effect"]) == (each["key"], each["effect"]):
                return "StartupTaintsExist", f'StartupTaint "{_shown(each)}" still exists'
    for each in taints:
        if labels.is_ephemeral(Taint(each["key"], each.get("value") or "", each["effect"])):
            text = f'KnownEphemeralTaint "{_shown(each)}" still exists'
            return "KnownEphemeralTaintsExist", text
    allocatable = (node.get("status") or {}).get("allocatable") or {}
    requested = (claim["spec"].get("resources") or {}).get("requests") or {}
    for name, amount in requested.items():
        is_there = quantity.milli_value_of(allocatable.get(name, 0)) > 0
        if quantity.milli_value_of(amount) > 0 and not is_there:
            text = f'Resource "{name}" was requested but not registered'
            return "ResourceNotRegistered", text
    return "", ""


def _shown(taint: Json) -> str:
    value = taint.get("value")
    middle = f"={value}" if value else ""
    return f"{taint['key']}{middle}:{taint['effect']}"
