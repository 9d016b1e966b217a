"""What is in a cluster before anybody asks for anything."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.store import creating, namespaces

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

_CLASSES: Final = (
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2_000_000_000,
        (
            "Used for system critical pods that must run in the cluster, but can be moved to "
            "another node if necessary."
        ),
    ),
)


def seed(core: Core, manager: str = "") -> None:
    """Create the namespaces and priority classes of every cluster; the manager owns their fields.

    Without one nobody does, as with all that a simulation writes.
    """
    row = core.kind(namespaces.NAMESPACE)
    for name in namespaces.SEEDED:
        made = namespaces.manifest(name)
        creating.create(core, row, made, None, dry_run=False, manager=manager)
    row = core.kind(("scheduling.k8s.io/v1", "PriorityClass"))
    for name, value, description in _CLASSES:
        made = _priority_class(name, value, description)
        creating.create(core, row, made, None, dry_run=False, manager=manager)


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
