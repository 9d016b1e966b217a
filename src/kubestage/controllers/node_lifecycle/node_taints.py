"""The taints and labels that a node should have by its status and spec."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import taints

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json


NOT_READY: Final = "node.kubernetes.io/not-ready"
UNREACHABLE: Final = "node.kubernetes.io/unreachable"
_UNSCHEDULABLE: Final = "node.kubernetes.io/unschedulable"

_BY_CONDITION: Final[dict[tuple[str, str], str]] = {
    ("Ready", "False"): NOT_READY,
    ("Ready", "Unknown"): UNREACHABLE,
    ("MemoryPressure", "True"): "node.kubernetes.io/memory-pressure",
    ("DiskPressure", "True"): "node.kubernetes.io/disk-pressure",
    ("NetworkUnavailable", "True"): "node.kubernetes.io/network-unavailable",
    ("PIDPressure", "True"): "node.kubernetes.io/pid-pressure",
}
_OURS: Final = frozenset({*_BY_CONDITION.values(), _UNSCHEDULABLE})
_LABELS: Final = (
    ("kubernetes.io/os", "beta.kubernetes.io/os"),
    ("kubernetes.io/arch", "beta.kubernetes.io/arch"),
)


def taints_of(node: Json) -> list[Json]:
    """The taints of a node."""
    found: list[Json] = (node.get("spec") or {}).get("taints") or []
    return found


def has(node: Json, key: str, effect: str) -> bool:
    """Whether a node has a taint, of whatever value."""
    return any(each["key"] == key and each["effect"] == effect for each in taints_of(node))


def swapped(node: Json, add: Iterable[str], remove: Iterable[str], effect: str, at: str) -> Any:
    """A node's taints with some keys of an effect added, at a time, and others taken away."""
    taints = taints_of(node)
    for key in add:
        new = {"key": key, "effect": effect, "timeAdded": at}
        replaced = [new if _is(each, key, effect) else each for each in taints]
        taints = replaced if new in replaced else [*replaced, new]
    gone = frozenset(remove)
    return [each for each in taints if each["effect"] != effect or each["key"] not in gone]


def _is(taint: Json, key: str, effect: str) -> bool:
    return bool(taint["key"] == key and taint["effect"] == effect)


def no_schedule_changes(node: Json) -> tuple[list[str], list[str]]:
    """Which NoSchedule taints a node lacks and which it has no more reason for."""
    desired = []
    for condition in (node.get("status") or {}).get("conditions") or ():
        key = _BY_CONDITION.get((condition["type"], condition["status"]))
        if key is not None:
            desired.append(key)
    if (node.get("spec") or {}).get("unschedulable"):
        desired.append(_UNSCHEDULABLE)
    present = [
        each["key"]
        for each in taints_of(node)
        if each["effect"] == taints.NO_SCHEDULE and each["key"] in _OURS
    ]
    add = [key for key in desired if key not in present]
    return add, [key for key in present if key not in desired]


def missing_labels(node: Json) -> dict[str, str]:
    """The old names of labels that every node should carry as well, where they differ."""
    labels = node["metadata"].get("labels") or {}
    return {
        old: labels[name]
        for name, old in _LABELS
        if name in labels and labels.get(old) != labels[name]
    }
