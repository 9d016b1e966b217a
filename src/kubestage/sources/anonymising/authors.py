"""Who wrote something: components of Kubernetes and well-known tools keep their names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.sources.anonymising.replaced_names import ReplacedNames

_MANAGER: Final = re.compile(
    r"(kubectl|kube-|helm|argocd|kustomize|karpenter|cluster-autoscaler).*"
)
_NODE_USER: Final = "system:node:"
_SYSTEM: Final = re.compile(r"system:(kube-[a-z-]+|apiserver|serviceaccount:kube-system:[a-z-]+)")


def public_manager(name: str) -> str:
    """The name of a program; that of one that others do not have is dropped."""
    return name if _MANAGER.fullmatch(name) else ""


def user(name: str, names: ReplacedNames) -> str:
    """Components of Kubernetes stay, so that a replay can separate consequences from intent."""
    if name.startswith(_NODE_USER):
        return f"{_NODE_USER}{names.name('node', name.removeprefix(_NODE_USER))}"
    return name if not name or _SYSTEM.fullmatch(name) else names.name("user", name)
