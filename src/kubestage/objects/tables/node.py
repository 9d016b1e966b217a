"""How a node is doing, in one line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects.tables import cells

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object

_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE_LABEL: Final = "kubernetes.io/role"


def row(node: Object, now_ns: int) -> list[Cell]:
    """The cells of a node."""
    info = cells.part(node, "status", "nodeInfo")
    kernel = cells.text(info, "kernelVersion") or cells.UNKNOWN
    architecture = cells.text(info, "architecture")
    return [
        cells.name(node),
        _status(node),
        ",".join(roles(node)) or cells.NONE,
        cells.age(node, now_ns),
        cells.text(info, "kubeletVersion"),
        _address(node, "InternalIP"),
        _address(node, "ExternalIP"),
        cells.text(info, "osImage") or cells.UNKNOWN,
        f"{kernel} ({architecture})" if architecture else kernel,
        cells.text(info, "containerRuntimeVersion") or cells.UNKNOWN,
    ]


def _status(node: Object) -> str:
    ready = "Unknown"
    for condition in cells.items(node, "status", "conditions"):
        if condition.get("type") == "Ready":
            ready = "Ready" if condition.get("status") == "True" else "NotReady"
    unschedulable = cells.part(node, "spec").get("unschedulable")
    return f"{ready},SchedulingDisabled" if unschedulable else ready


def roles(node: Object) -> list[str]:
    """The roles that a node's labels give it."""
    found: set[str] = set()
    for key, value in cells.part(node, "metadata", "labels").items():
        if key.startswith(_ROLE_PREFIX):
            found.add(key.removeprefix(_ROLE_PREFIX))
        elif key == _ROLE_LABEL:
            found.add(value)
    return sorted(found - {""})


def _address(node: Object, address_type: str) -> str:
    for address in cells.items(node, "status", "addresses"):
        if address.get("type") == address_type:
            return cells.text(address, "address")
    return cells.NONE
