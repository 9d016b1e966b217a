"""How many nodes may be removed at once: of several groups, the first come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.controllers.node_autoscaler import removals

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.unneeded import Unneeded
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World


class Bucket(msgspec.Struct):
    """Nodes of one group that are removed; `batch_size` of them at least together."""

    group: str
    nodes: list[str]
    batch_size: int = 0


class DeletionBudget:
    """What parallelism is left besides the removals that are under way."""

    def __init__(
        self,
        world: World,
        snapshot: Snapshot,
        settings: NodeAutoscalerSettings,
        in_progress: Collection[bool],
    ) -> None:
        self._world = world
        known = map(snapshot.node, snapshot.node_names)
        self._nodes: list[Json] = [node for node in known if node is not None]
        self._left = settings.max_scale_down_parallelism - len(in_progress)
        self._drains_left = settings.max_drain_parallelism - sum(in_progress)
        self._may_overflow = True

    def crop(
        self, empty: Sequence[Unneeded], occupied: Sequence[Unneeded]
    ) -> tuple[list[Bucket], list[Bucket]]:
        """The nodes that are removed now, of those that may be; whole groups come first."""
        empty_alone, empty_atomic = self._grouped(empty)
        drain_alone, drain_atomic = self._grouped(occupied)
        to_delete, to_drain = list[Bucket](), list[Bucket]()
        self._take_atomic(empty_atomic, drain_atomic, to_delete, to_drain)
        self._drains_left = min(self._left, self._drains_left)
        self._take_drained(empty_atomic, drain_atomic, to_drain)
        self._left -= _take_alone(empty_alone, self._left, to_delete)
        self._drains_left = min(self._left, self._drains_left)
        _take_alone(drain_alone, self._drains_left, to_drain)
        return to_delete, to_drain

    def _grouped(
        self, nodes: Sequence[Unneeded]
    ) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
        """The nodes of each group: of those that shrink node by node, and as a whole."""
        alone, atomic = dict[str, list[str]](), dict[str, list[str]]()
        for each in nodes:
            group = self._world.group_names[each.name]
            is_atomic = self._world.options[group].zero_or_max_node_scaling
            (atomic if is_atomic else alone).setdefault(group, []).append(each.name)
        return alone, atomic

    def _take_atomic(
        self,
        empty: dict[str, list[str]],
        drained: dict[str, list[str]],
        to_delete: list[Bucket],
        to_drain: list[Bucket],
    ) -> None:
        """Groups with empty nodes; one of them may be more than is left."""
        for group, nodes in empty.items():
            others = drained.get(group, [])
            if self._left < len(nodes) + len(others) or self._drains_left < len(others):
                is_spent = self._left == 0 or (bool(others) and self._drains_left == 0)
                if is_spent or not self._may_overflow:
                    break
            target, current = self._sizes(group)
            if len(nodes) + len(others) not in (target, current):
                continue
            size = current if len(nodes) == current else target
            to_delete.append(Bucket(group, nodes, size))
            if others:
                to_drain.append(Bucket(group, others, size))
            self._left -= len(nodes) + len(others)
            self._drains_left -= len(others)
            self._may_overflow = False

    def _take_drained(
        self,
        empty: dict[str, list[str]],
        drained: dict[str, list[str]],
        to_drain: list[Bucket],
    ) -> None:
        """Groups all of whose nodes have to be drained."""
        for group, nodes in drained.items():
            if group in empty:
                continue
            is_spent = self._drains_left == 0 or not self._may_overflow
            if self._drains_left < len(nodes) and is_spent:
                break
            target, current = self._sizes(group)
            if len(nodes) not in (target, current):
                continue
            to_drain.append(Bucket(group, nodes, current if len(nodes) == current else target))
            self._left -= len(nodes)
            self._drains_left -= len(nodes)
            self._may_overflow = False

    def _sizes(self, group: str) -> tuple[int, int]:
        current = removals.registered_count(self._world, self._nodes, group)
        return self._world.target(group), current


def _take_alone(groups: dict[str, list[str]], budget: int, taken: list[Bucket]) -> int:
    """Nodes of one group after the other, while some may be; how many."""
    left = budget
    for group, nodes in groups.items():
        if left < 1:
            break
        taken.append(Bucket(group, nodes[:left]))
        left -= len(nodes[:left])
    return budget - left
