"""Pods that were evicted by a person, such as one who drains a node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.sources.imported import Reference

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.sources.folding import State

_EVICTED: Final = "EvictionByEvictionAPI"
_REMOVED: Final = ("ToBeDeletedByClusterAutoscaler", "karpenter.sh/")


def begins(old: Json | None, new: Json | None) -> bool:
    """Whether a pod is evicted by this change."""
    if old is None or new is None or new["kind"] != "Pod":
        return False
    return _is_evicted(new) and not _is_evicted(old)


def reason(pod: Json, state: State) -> str | None:
    """Why an eviction is a consequence: an autoscaler removes the node."""
    name = (pod.get("spec") or {}).get("nodeName") or ""
    node = state.get(Reference("v1", "Node", "", name)) or {}
    taints = (node.get("spec") or {}).get("taints") or ()
    if any(str(each.get("key")).startswith(_REMOVED) for each in taints):
        return "evicted by a node autoscaler"
    return None


def _is_evicted(pod: Json) -> bool:
    condition = pods.condition(pod.get("status"), "DisruptionTarget")
    return condition is not None and condition.get("reason") == _EVICTED
