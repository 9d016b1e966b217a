"""Events that may give an external scheduler something to do."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from kubestage.objects import gvk
from kubestage.store.log import ADDED, DELETED

if TYPE_CHECKING:
    from collections.abc import Container

    from kubestage.aliases import Json
    from kubestage.store.log import Change
    from kubestage.store.store import Store


_ENDED: Final = ("Succeeded", "Failed")


class News:
    """Follows pods that need a node, and changes that may let them have one.

    `is_fresh` is set while a pod needs a node and there may be something to do about it that has
    not been waited for; `since_s` is when the last news came, in real time.
    """

    def __init__(self, store: Store, names: Container[str] | None) -> None:
        self.since_s = 0.0
        self._is_fresh = False
        self._names = names
        self._waiting = {key for key, pod in store.read(gvk.POD).items() if self._seeks(pod)}
        if self._waiting:
            self._note()
        store.subscribe(self.on_change, {("", "Pod"), ("", "Node")})

    @property
    def is_fresh(self) -> bool:
        """Whether there is something to do."""
        return self._is_fresh and bool(self._waiting)

    @is_fresh.setter
    def is_fresh(self, value: bool) -> None:
        self._is_fresh = value

    def on_change(self, change: Change) -> None:
        """Handle one change of a pod or node."""
        old, new = change.old, change.new
        if change.kind.kind == "Node":
            if old is None or change.type == DELETED or _offer(old) != _offer(new):
                self._note()
            return
        if change.type != DELETED and self._seeks(new):
            if change.key not in self._waiting:
                self._waiting.add(change.key)
                self._note()
            return
        self._waiting.discard(change.key)
        is_room_free = change.type == DELETED or (new.get("status") or {}).get("phase") in _ENDED
        if is_room_free and change.type != ADDED and new["spec"].get("nodeName"):
            self._note()

    def _note(self) -> None:
        self._is_fresh, self.since_s = True, time.monotonic()

    def _seeks(self, pod: Json) -> bool:
        spec = pod["spec"]
        if spec.get("nodeName") or spec.get("schedulingGates"):
            return False
        if "deletionTimestamp" in pod["metadata"]:
            return False
        if (pod.get("status") or {}).get("phase") in _ENDED:
            return False
        return self._names is None or spec.get("schedulerName") in self._names


def is_unschedulable(pod: Json) -> bool:
    """Whether a scheduler found no node for a pod."""
    conditions = (pod.get("status") or {}).get("conditions") or ()
    return any(
        each.get("type") == "PodScheduled"
        and each.get("status") == "False"
        and each.get("reason") != "SchedulingGated"
        for each in conditions
    )


def _offer(node: Json) -> tuple[Any, Any, Any]:
    """What decides whether a pod may be put on a node."""
    allocatable = (node.get("status") or {}).get("allocatable")
    return node.get("spec"), node["metadata"].get("labels"), allocatable
