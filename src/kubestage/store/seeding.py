"""The objects that every cluster has from the start."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.store import creating, namespaces

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
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
COUNT: Final = len(namespaces.SEEDED) + len(_CLASSES)
"""How many objects every cluster has from the start."""

_STAMPED: Final = frozenset({"creationTimestamp", "managedFields", "resourceVersion"})


def seed(core: Core) -> None:
    """Create the namespaces and priority classes of every cluster.

    The manager that the store was seeded by owns their fields. Without one they have no manager, as
    all that a simulation writes.
    """
    for row, obj in _all(core):
        creating.create(core, row, obj, None, dry_run=False, manager=core.seeded_by)


def put_in_order(core: Core) -> None:
    """Have what every cluster has as it was at first; the stream of uids stands at its beginning.

    If anything was changed, deleted or created again since, all of it is put there again.
    """
    pristine = [
        (row, each["metadata"]["name"], _prepared(core, row, each)) for row, each in _all(core)
    ]
    if not all(_is_as_at_first(core.read(row).get(name), new) for row, name, new in pristine):
        for row, name, new in pristine:
            if name in core.read(row):
                core.remove(row, name)
            core.put(row, name, new)


def _all(core: Core) -> Iterator[tuple[Kind, Json]]:
    """What every cluster has, with its kinds, in the order in which it is created."""
    row = core.kind(namespaces.NAMESPACE)
    for name in namespaces.SEEDED:
        yield row, namespaces.manifest(name)
    row = core.kind(("scheduling.k8s.io/v1", "PriorityClass"))
    for name, value, description in _CLASSES:
        yield row, _priority_class(name, value, description)


def _prepared(core: Core, row: Kind, obj: Json) -> Json:
    name, manager = obj["metadata"]["name"], core.seeded_by
    return creating.prepared(core, row, obj, name, None, manager, None, dry_run=True)


def _is_as_at_first(found: Json | None, pristine: Json) -> bool:
    """Whether an object differs from a new one by nothing but its times and versions."""
    return found is not None and _timeless(found) == _timeless(pristine)


def _timeless(obj: Json) -> Json:
    metadata = {name: item for name, item in obj["metadata"].items() if name not in _STAMPED}
    return {**obj, "metadata": metadata}


def is_seeded(kind: Kind, name: str) -> bool:
    """Whether every cluster has this object from the start."""
    if (kind.api_version, kind.kind) == namespaces.NAMESPACE:
        return name in namespaces.SEEDED
    return kind.kind == "PriorityClass" and name in {each[0] for each in _CLASSES}


def _priority_class(name: str, value: int, description: str) -> Json:
    return {
        "apiVersion": "scheduling.k8s.io/v1",
        "kind": "PriorityClass",
        "metadata": {"name": name},
        "value": value,
        "description": description,
        "preemptionPolicy": "PreemptLowerPriority",
    }
