"""Which changes of Nodes and pods may decide something."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.lifecycle.at_work import is_going

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.log import Change

FOLLOWED: Final = (
    ("apps", "DaemonSet"),
    ("policy", "PodDisruptionBudget"),
    ("", "PersistentVolumeClaim"),
    ("", "PersistentVolume"),
    ("storage.k8s.io", "StorageClass"),
    ("storage.k8s.io", "CSINode"),
)
"""Kinds that decide where pods fit, or whether they may be evicted."""


def is_heartbeat(old: Json, new: Json) -> bool:
    """Whether nothing of a Node has changed that decides anything."""
    if old["spec"] is not new["spec"] or old["metadata"].get("labels") != (
        new["metadata"].get("labels")
    ):  # fmt: skip
        return False
    if is_going(old) != is_going(new):
        return False
    return _reported(old) == _reported(new)


def _reported(node: Json) -> tuple[object, ...]:
    status = node.get("status") or {}
    conditions = [(each["type"], each["status"]) for each in status.get("conditions") or ()]
    return status.get("allocatable"), status.get("capacity"), conditions


def is_other_pod(change: Change) -> bool:
    """Whether more than the progress of a pod has changed."""
    old, new = change.old, change.new
    if old is None:
        return True
    if old["spec"] is not new["spec"] or old["metadata"].get("labels") != (
        new["metadata"].get("labels")
    ):  # fmt: skip
        return True
    if old["metadata"].get("annotations") != new["metadata"].get("annotations"):
        return True
    if is_going(old) != is_going(new):
        return True
    before, after = old.get("status") or {}, new.get("status") or {}
    return any(before.get(name) != after.get(name) for name in ("phase", "conditions"))
