"""What is in a cluster before anybody asks for anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.store import creating, namespaces

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_CLASSES: Final = (
    (
        "system-cluster-critical",
        2_000_000_000,
        (
            "Used for system critical pods that must run in the cluster, but can be moved to "
            "another node if necessary."
        ),
    ),
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
)


def seed(core: Core) -> None:
    """Create the namespaces and priority classes of every cluster."""
    row = core.kind(namespaces.NAMESPACE)
    for name in namespaces.SEEDED:
        creating.create(core, row, namespaces.manifest(name), None, dry_run=False)
    row = core.kind(("scheduling.k8s.io/v1", "PriorityClass"))
    for name, value, description in _CLASSES:
        creating.create(core, row, _priority_class(name, value, description), None, dry_run=False)


def is_seeded(kind: Kind, name: str) -> bool:
    """Whether every cluster has this object from the start."""
    if (kind.api_version, kind.kind) == namespaces.NAMESPACE:
        return name in namespaces.SEEDED
    return kind.kind == "PriorityClass" and name in {each[0] for each in _CLASSES}


def _priority_class(name: str, value: int, description: str) -> dict[str, Any]:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        "description": description,
        "preemptionPolicy": "PreemptLowerPriority",
    }
