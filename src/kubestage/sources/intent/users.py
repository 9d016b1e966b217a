"""Who has made a request, where a source says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.sources.imported import Change

_COMPONENTS: Final = (
    "system:serviceaccount:kube-system:", "system:kube-controller-manager",
    "system:kube-scheduler", "system:node:", "system:apiserver", "system:addon-manager",
)  # fmt: skip
_MANAGERS: Final = frozenset({
    "kube-controller-manager", "kube-scheduler", "kubelet", "cluster-autoscaler", "karpenter",
    "vpa-updater", "vpa-admission-controller",
})  # fmt: skip


def is_component(change: Change) -> bool:
    """Whether a component of the cluster has made a change."""
    return change.user.startswith(_COMPONENTS) or change.manager in _MANAGERS


def is_person(change: Change) -> bool:
    """Whether the author of a change is known, and no component."""
    return bool(change.user or change.manager) and not is_component(change)
