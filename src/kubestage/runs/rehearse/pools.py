"""Nodes that are of one make: of a NodeGroup, of a provider's node pool, or just alike."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import groups

if TYPE_CHECKING:
    from kubestage.aliases import Json

LABELS: Final = (
    groups.LABEL,
    "karpenter.sh/nodepool",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",
    "agentpool",
)
"""The labels that name the pool of a node, as providers have them."""


def pool_of(node: Json) -> str:
    """The pool of a node, or nothing."""
    has = node["metadata"].get("labels") or {}
    return next((has[name] for name in LABELS if has.get(name)), "")
