"""Kinds that shape a cluster rather than run in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object


def name_and_age(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of kinds that show nothing else."""
    return [cells.name(obj), cells.age(obj, now_ns)]


def namespace(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a Namespace."""
    return [cells.name(obj), cells.text(obj, "status", "phase"), cells.age(obj, now_ns)]


def config_map(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a ConfigMap."""
    count = len(cells.part(obj, "data")) + len(cells.part(obj, "binaryData"))
    return [cells.name(obj), count, cells.age(obj, now_ns)]


def secret(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a Secret; text that was given in the clear counts as data."""
    keys = cells.part(obj, "data").keys() | cells.part(obj, "stringData").keys()
    return [cells.name(obj), cells.text(obj, "type"), len(keys), cells.age(obj, now_ns)]


def resource_quota(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a ResourceQuota: requests apart from limits."""
    hard, used = cells.part(obj, "status", "hard"), cells.part(obj, "status", "used")
    requests: list[str] = []
    limits: list[str] = []
    for resource in sorted(hard):
        amount = f"{cells.quantity_text(used.get(resource, '0'))}/"
        amount += cells.quantity_text(hard[resource])
        column = limits if resource.startswith("limits.") else requests
        column.append(f"{resource}: {amount}")
    return [cells.name(obj), ", ".join(requests), ", ".join(limits), cells.age(obj, now_ns)]


def priority_class(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a PriorityClass."""
    return [
        cells.name(obj),
        cells.number(obj, "value"),
        bool(obj.get("globalDefault")),
        cells.age(obj, now_ns),
        cells.text(obj, "preemptionPolicy"),
    ]


def runtime_class(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a RuntimeClass."""
    return [cells.name(obj), cells.text(obj, "handler"), cells.age(obj, now_ns)]


def lease(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a Lease."""
    return [cells.name(obj), cells.text(obj, "spec", "holderIdentity"), cells.age(obj, now_ns)]


def role_binding(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a RoleBinding or ClusterRoleBinding."""
    subjects: dict[str, list[str]] = {"User": [], "Group": [], "ServiceAccount": []}
    for subject in cells.items(obj, "subjects"):
        kind, name = cells.text(subject, "kind"), cells.text(subject, "name")
        if kind == "ServiceAccount":
            name = f"{cells.text(subject, 'namespace')}/{name}"
        subjects.setdefault(kind, []).append(name)
    role = cells.part(obj, "roleRef")
    return [
        cells.name(obj),
        f"{cells.text(role, 'kind')}/{cells.text(role, 'name')}",
        cells.age(obj, now_ns),
        ", ".join(subjects["User"]),
        ", ".join(subjects["Group"]),
        ", ".join(subjects["ServiceAccount"]),
    ]


def resource_claim(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a ResourceClaim."""
    deleted = cells.is_deleted(obj)
    status = cells.part(obj, "status")
    states = ["deleted"] if deleted else []
    if status.get("allocation") is not None:
        states.append("allocated")
        if cells.items(status, "reservedFor"):
            states.append("reserved")
    elif not deleted:
        states.append("pending")
    return [cells.name(obj), ",".join(states), cells.age(obj, now_ns)]


def resource_slice(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a ResourceSlice."""
    spec = cells.part(obj, "spec")
    return [
        cells.name(obj),
        cells.text(spec, "nodeName"),
        cells.text(spec, "driver"),
        cells.text(spec, "pool", "name"),
        cells.age(obj, now_ns),
    ]
