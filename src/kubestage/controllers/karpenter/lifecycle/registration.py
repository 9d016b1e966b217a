"""Registration: the Node of a NodeClaim has come, and gets what the NodeClaim states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import events, labels
from kubestage.controllers.karpenter.conditions import condition_set
from kubestage.controllers.karpenter.lifecycle.at_work import NODE

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.conditions.condition_set import ConditionSet
    from kubestage.controllers.karpenter.lifecycle.at_work import AtWork
    from kubestage.controllers.karpenter.lifecycle.pool_health import PoolHealth

_REGISTERED: Final = "Registered"
_UNREGISTERED: Final = labels.UNREGISTERED_TAINT


def reconcile(at_work: AtWork, claim: Json, conditions: ConditionSet, health: PoolHealth) -> str:
    """Register the Node if it is there; its name once that is done, just now."""
    if conditions.value(_REGISTERED) != condition_set.UNKNOWN:
        conditions.observe(_REGISTERED)
        return ""
    node = at_work.node_of(claim)
    if node is None:
        text = "Node not registered with cluster"
        conditions.set_unknown(_REGISTERED, "NodeNotFound", text)
        return ""
    stated = node["metadata"].get("labels") or {}
    taints = (node.get("spec") or {}).get("taints") or []
    if labels.NODE_REGISTERED not in stated and not any(map(_is_unregistered, taints)):
        text = (
            f"Missing {_UNREGISTERED.key} taint which prevents registration related race "
            "conditions on Karpenter-managed nodes"
        )
        reason = "UnregisteredTaintMissing"
        at_work.publish(events.about("NodeClaim", claim, reason, text, events.WARNING))
    _complete(at_work, claim, node)
    conditions.set_true(_REGISTERED)
    health.succeeded(claim)
    name: str = node["metadata"]["name"]
    return name


def _complete(at_work: AtWork, claim: Json, node: Json) -> None:
    """Give a Node the labels, annotations, taints, finalizer and owner that it is to have."""
    own, metadata = claim["metadata"], node["metadata"]
    taints = [
        each for each in (node.get("spec") or {}).get("taints") or [] if not _is_unregistered(each)
    ]
    if (metadata.get("labels") or {}).get(labels.NODE_DO_NOT_SYNC_TAINTS) != "true":
        for name in ("taints", "startupTaints"):
            for each in claim["spec"].get(name) or ():
                if not any(_is_same(each, other) for other in taints):
                    taints.append(each)
    finalizers = metadata.get("finalizers") or []
    if labels.TERMINATION_FINALIZER not in finalizers:
        finalizers = [*finalizers, labels.TERMINATION_FINALIZER]
    owner = {
        "apiVersion": claim["apiVersion"],
        "kind": claim["kind"],
        "name": own["name"],
        "uid": own["uid"],
        "blockOwnerDeletion": True,
    }
    owners = [each for each in metadata.get("ownerReferences") or () if each["uid"] != own["uid"]]
    at_work.patch(
        NODE,
        metadata["name"],
        {
            "metadata": {
                "labels": {**(own.get("labels") or {}), labels.NODE_REGISTERED: "true"},
                "annotations": own.get("annotations") or {},
                "finalizers": finalizers,
                "ownerReferences": [*owners, owner],
            },
            "spec": {"taints": taints or None},
        },
    )


def _is_unregistered(taint: Json) -> bool:
    return (taint["key"], taint["effect"]) == (_UNREGISTERED.key, _UNREGISTERED.effect)


def _is_same(one: Json, other: Json) -> bool:
    return (one["key"], one["effect"]) == (other["key"], other["effect"])
