"""The pool of a node: its NodeGroup, or the node pool of its provider."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

GROUP_LABEL: Final = "kubestage.dev/node-group"
LABELS: Final = (
    GROUP_LABEL,
    "karpenter.sh/nodepool",
    "cloud.google.com/gke-nodepool",
    "eks.amazonaws.com/nodegroup",
    "kubernetes.azure.com/agentpool",
    "agentpool",
)
"""The labels that name the pool of a node; the first that a node has counts."""


def of(node: Json) -> str:
    """The pool of a node; empty if no label names one."""
    labels = (node.get("metadata") or {}).get("labels")
    if not labels:
        return ""
    return next((labels[name] for name in LABELS if labels.get(name)), "")
