"""The autoscaler's marks on nodes: about to go, and may go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.node_autoscaler import node_state
from kubestage.errors import Conflict
from kubestage.objects import gvk, taints

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.draining import ClusterClient
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings


_UNSCHEDULABLE: Final = "unschedulable"


class Marking:
    """Writes taints on nodes, and closes those that are about to go."""

    def __init__(self, client: ClusterClient, settings: NodeAutoscalerSettings) -> None:
        self._client = client
        self._settings = settings

    def mark_to_be_deleted(self, node: Json, now_ns: int) -> None:
        """Have no more pods go to a node."""
        closes = self._settings.cordon_node_before_terminating
        self._rewrite(node, add=node_state.to_be_deleted(now_ns), closed=True if closes else None)

    def unmark_to_be_deleted(self, node: Json) -> None:
        """Have pods go to a node again."""
        opens = self._settings.cordon_node_before_terminating
        if node_state.has_taint(node, node_state.TO_BE_DELETED):
            key = node_state.TO_BE_DELETED
            self._rewrite(node, remove=key, closed=False if opens else None)

    def unmark_candidate(self, node: Json) -> None:
        """A node may not go any more."""
        self._rewrite(node, remove=node_state.DELETION_CANDIDATE)

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
            if node["metadata"]["name"] in unneeded:
                effect = taints.PREFER_NO_SCHEDULE
                mark = node_state.mark(node_state.DELETION_CANDIDATE, effect, now_ns)
                self._rewrite(node, add=mark)
            else:
                self.unmark_candidate(node)
        return len(to_unmark) + len(to_mark) <= left

    def _rewrite(
        self,
        node: Json,
        *,
        add: Json | None = None,
        remove: str = "",
        closed: bool | None = None,
    ) -> None:
        """Write a node as it was listed, with a taint more or less; read it again if it is old."""
        try:
            self._client.update(_changed(node, add, remove, closed))
        except Conflict:
            fresh = self._client.get(gvk.NODE, node["metadata"]["name"])
            self._client.update(_changed(fresh, add, remove, closed))


def _changed(node: Json, add: Json | None, remove: str, closed: bool | None) -> Json:
    key = remove if add is None else add["key"]
    remaining = [each for each in node_state.taints_of(node) if each["key"] != key]
    if add is not None:
        remaining.append(add)
    spec = {name: value for name, value in (node.get("spec") or {}).items() if name != "taints"}
    if remaining:
        spec["taints"] = remaining
    if closed is not None:
        spec.pop(_UNSCHEDULABLE, None)
    if closed:
        spec[_UNSCHEDULABLE] = True
    return {**node, "spec": spec}
