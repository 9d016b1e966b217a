"""Which nodes are considered for removal, and in which order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.golang import sort

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.node_autoscaler.drainability import Drainability
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World


class LocalDelays:
    """When each group was last scaled up or down, or failed to: its nodes are left alone then."""

    def __init__(self, settings: NodeAutoscalerSettings) -> None:
        self._settings = settings
        self._added_ns: dict[str, int] = {}
        self._deleted_ns: dict[str, int] = {}
        self._failed_ns: dict[str, int] = {}

    def note_added(self, group: str, now_ns: int) -> None:
        """Nodes of a group have been requested."""
        self._added_ns[group] = now_ns

    def note_deleted(self, group: str, now_ns: int) -> None:
        """A node of a group has gone."""
        self._deleted_ns[group] = now_ns

    def note_failed(self, group: str, now_ns: int) -> None:
        """A node of a group could not be deleted."""
        self._failed_ns[group] = now_ns

    def allow(self, group: str, now_ns: int) -> bool:
        """Whether nodes of a group may go now."""
        settings = self._settings
        if not settings.scale_down_delay_type_local:
            return True
        return not any(
            group in since_ns and since_ns[group] + delay_ns > now_ns
            for since_ns, delay_ns in (
                (self._added_ns, settings.scale_down_delay_after_add_ns),
                (self._deleted_ns, settings.scale_down_delay_after_delete_ns),
                (self._failed_ns, settings.scale_down_delay_after_failure_ns),
            )
        )


def in_order(
    world: World,
    snapshot: Snapshot,
    nodes: Mapping[str, Json],
    drainability: Drainability,
    before: Collection[str],
    delays: LocalDelays,
) -> list[str]:
    """The nodes of groups above their least size: empty ones first, then those of the last scan."""
    sizes = {name: world.target(name) for name in world.groups}
    ranked = []
    for name, node in nodes.items():
        group = world.group_of(node)
        if group is None or sizes[group.name] <= group.min_size:
            continue
        moves = drainability.moves(snapshot.pods(name), None, world.now_ns)
        is_empty = snapshot.node(name) is not None and not moves.obstacle and not moves.pods
        rank = (not is_empty, is_empty and bool(moves.awaited), name not in before)
        ranked.append((rank, name))
    ordered = sort.in_order(ranked, lambda one, other: one[0] < other[0])
    return [name for _, name in ordered if _may_go(world, nodes[name], delays)]


def _may_go(world: World, node: Json, delays: LocalDelays) -> bool:
    return delays.allow(world.group_names[node["metadata"]["name"]], world.now_ns)
