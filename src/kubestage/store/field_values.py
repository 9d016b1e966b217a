"""The value of a selectable field, as text: what a field selector compares with.

Most fields are read by their path. The others are those whose selectable form is not what the
object holds.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json


def _text(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def _by_path(path: str) -> Callable[[Json], str]:
    *parents, last = path.split(".")

    def read(obj: Json) -> str:
        at: Any = obj
        for name in parents:
            at = at.get(name)
            if not at:
                return ""
        return _text(at.get(last))

    return read


def _flag(path: str) -> Callable[[Json], str]:
    """A boolean that is false when absent."""
    read = _by_path(path)
    return lambda obj: read(obj) or "false"


def _count(path: str) -> Callable[[Json], str]:
    """A number that is zero when absent."""
    read = _by_path(path)
    return lambda obj: read(obj) or "0"


def _pod_ip(obj: Json) -> str:
    status = obj.get("status") or {}
    addresses = status.get("podIPs")
    return str(addresses[0].get("ip", "")) if addresses else _text(status.get("podIP"))


def _event_source(obj: Json) -> str:
    component = (obj.get("source") or {}).get("component")
    return component or _text(obj.get("reportingComponent"))


_SPECIAL: Final[dict[tuple[str, str], Callable[[Json], str]]] = {
    ("Pod", "spec.hostNetwork"): _flag("spec.hostNetwork"),
    ("Pod", "status.podIP"): _pod_ip,
    ("Pod", "status.podIPs"): _pod_ip,
    ("Node", "spec.unschedulable"): _flag("spec.unschedulable"),
    ("ReplicationController", "status.replicas"): _count("status.replicas"),
    ("Job", "status.successful"): _count("status.succeeded"),
    ("Event", "source"): _event_source,
}

NODE_NAME: Final = "spec.nodeName"
CLAIM_NAME: Final = "spec.claimRef.name"
INDEXED: Final[dict[str, tuple[str, ...]]] = {
    "PersistentVolume": (CLAIM_NAME,),
    "Pod": (NODE_NAME,),
    "Service": ("spec.clusterIP", "spec.type"),
}
"""The fields by kind that are found through an index; all of them in the spec."""


@functools.cache
def reader(kind: str, field: str) -> Callable[[Json], str]:
    """How to read a selectable field from an object of a kind."""
    return _SPECIAL.get((kind, field)) or _by_path(field)
