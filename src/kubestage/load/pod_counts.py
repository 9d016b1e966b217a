"""How many pods an object makes, as far as it says so itself."""

from __future__ import annotations

from typing import Any, Final

_SCALED: Final = frozenset({"Deployment", "ReplicaSet", "ReplicationController", "StatefulSet"})


def pods_of(obj: dict[str, Any], nodes: int) -> int:
    """The pods of one object at a time; a DaemonSet has one on each of `nodes`."""
    kind, spec = obj.get("kind"), obj.get("spec") or {}
    if kind == "Pod":
        return 1
    if kind == "DaemonSet":
        return nodes
    if kind in _SCALED:
        return _number(spec.get("replicas"), 1)
    if kind == "Job":
        parallelism = _number(spec.get("parallelism"), 1)
        return min(parallelism, _number(spec.get("completions"), parallelism))
    return 0


def _number(value: Any, default: int) -> int:
    return int(value) if isinstance(value, int | float) else default
