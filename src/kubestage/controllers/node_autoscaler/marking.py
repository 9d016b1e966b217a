"""The autoscaler's marks on nodes: about to go, and may go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import node_state
from kubestage.controllers.node_autoscaler.provider import NODE
from kubestage.objects import taints

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.store.store import Store


_UNSCHEDULABLE: Final = "unschedulable"


class Marking:
    """Writes taints on nodes, and closes those that are about to go."""

    def __init__(self, store: Store, settings: NodeAutoscalerSettings) -> None:
        self._store = store
        self._settings = settings

    def mark_to_be_deleted(self, name: str, now_ns: int) -> None:
        """Have no more pods go to a node."""
        node = self._store.get(NODE, name)
        remaining = [
            each for each in node_state.taints_of(node) if each["key"] != node_state.TO_BE_DELETED
        ]
        closes = self._settings.cordon_node_before_terminating
        self._write(node, [*remaining, node_state.to_be_deleted(now_ns)], closed=closes or None)

    def unmark_to_be_deleted(self, name: str) -> None:
        """Have pods go to a node again."""
        node = self._store.get(NODE, name)
        remaining = [
            each for each in node_state.taints_of(node) if each["key"] != node_state.TO_BE_DELETED
        ]
        closed = False if self._settings.cordon_node_before_terminating else None
        self._write(node, remaining, closed=closed)

    def mark_candidates(
        self, nodes: Iterable[Json], unneeded: Collection[str], now_ns: int
    ) -> bool:
        """Mark the nodes that may go and no others, a few at a time; those that stay come first.

        Returns whether all is as it should be now.
        """
        left = self._settings.max_bulk_soft_taint_count
        if not left:
            return True
        to_unmark, to_mark = [], []
        for node in nodes:
            if node_state.has_taint(node, node_state.TO_BE_DELETED):
                continue
            is_marked = node_state.has_taint(node, node_state.DELETION_CANDIDATE)
            is_unneeded = node["metadata"]["name"] in unneeded
            if is_marked and not is_unneeded:
                to_unmark.append(node)
            elif is_unneeded and not is_marked:
                to_mark.append(node)
        for node in (*to_unmark, *to_mark)[:left]:
            remaining = [
                each
                for each in node_state.taints_of(node)
                if each["key"] != node_state.DELETION_CANDIDATE
            ]
            if node["metadata"]["name"] in unneeded:
                effect = taints.PREFER_NO_SCHEDULE
                remaining.append(node_state.mark(node_state.DELETION_CANDIDATE, effect, now_ns))
            self._write(node, remaining, closed=None)
        return len(to_unmark) + len(to_mark) <= left

    def _write(self, node: Json, remaining: list[Json], *, closed: bool | None) -> None:
        spec = {name: value for name, value in (node.get("spec") or {}).items() if name != "taints"}
        if remaining:
            spec["taints"] = remaining
        if closed is not None:
            spec.pop(_UNSCHEDULABLE, None)
        if closed:
            spec[_UNSCHEDULABLE] = True
        self._store.update({**node, "spec": spec})
