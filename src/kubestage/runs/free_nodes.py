"""Nodes that could go: nothing runs on them but what belongs to every node."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.ownership import controller_of
from kubestage.controllers.pods import is_terminal
from kubestage.objects import gvk
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from kubestage.stage import Stage

_OF_NODES: Final = ("DaemonSet", "Node")


def names(stage: Stage) -> list[str]:
    """Nodes that have no pods, or only those of DaemonSets and static ones."""
    used = {
        pod["spec"].get("nodeName")
        for pod in stage.store.read(gvk.POD).values()
        if not is_terminal(pod) and (controller_of(pod) or {}).get("kind") not in _OF_NODES
    }
    return [name for name in stage.store.read(gvk.NODE) if name not in used]


def note(stage: Stage) -> str:
    """How many nodes could go, and which."""
    free = names(stage)
    if not free:
        return "every node runs pods other than those of DaemonSets"
    of = plural(len(stage.store.read(gvk.NODE)), "node")
    return f"{len(free)} of {of} run nothing but pods of DaemonSets, and could go: {few(free)}"
