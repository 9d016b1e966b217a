"""Groups whose size is not what it should be: machines that never registered, or failed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.node_autoscaler import creation_errors
from kubestage.store.event_recorder import NORMAL, WARNING

if TYPE_CHECKING:
    from kubestage.controllers.node_autoscaler.cloud_provider import CloudProvider
    from kubestage.controllers.node_autoscaler.cluster_state import ClusterState
    from kubestage.controllers.node_autoscaler.groups import Group
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.world import World


class NodeGroupRepair:
    """Takes machines away that will be no nodes, and asks no more for those that never came."""

    def __init__(
        self,
        provider: CloudProvider,
        state: ClusterState,
        reports: Reports,
        settings: NodeAutoscalerSettings,
    ) -> None:
        self._provider = provider
        self._state = state
        self._reports = reports
        self._settings = settings

    def remove_unregistered(self, world: World) -> None:
        """Take machines away that have not registered for too long."""
        late: dict[str, list[str]] = {}
        for machine in self._state.unregistered.values():
            patience_ns = world.options[machine.group].max_node_provision_time_ns
            if machine.since_ns + patience_ns < world.now_ns:
                late.setdefault(machine.group, []).append(machine.id)
        for name, found in late.items():
            group, most = world.groups[name], len(found)
            if not self._settings.force_delete_unregistered_nodes:
                most = max(world.target(name) - group.min_size, 0)
            ids = self._all_or_none(world, group, found[:most])
            if ids and not self._remove(group, ids):
                return

    def _remove(self, group: Group, ids: list[str]) -> bool:
        problem = self._provider.delete(group, ids)
        self._state.cache.invalidate(group.name)
        for each in ids:
            if problem:
                text = f"Failed to remove node {each}: {problem}"
                self._reports.report_group(group.raw, WARNING, "DeleteUnregisteredFailed", text)
            else:
                text = f"Removed unregistered node {each}"
                self._reports.report_group(group.raw, NORMAL, "DeleteUnregistered", text)
        return not problem

    def remove_failed(self, world: World) -> None:
        """Take machines away that could not be created."""
        is_changed = False
        for name, instances in self._state.instances.items():
            failed = creation_errors.failed(instances)
            ids = self._all_or_none(world, world.groups[name], failed)
            if ids and not self._provider.delete(world.groups[name], ids):
                self._state.cache.invalidate(name)
                is_changed = True
        if is_changed:
            self._state.recalculate()

    def fix_sizes(self, world: World) -> tuple[bool, str]:
        """Ask no more for nodes that have been missing for too long.

        Whether there were any, and why the provider refused.
        """
        is_fixed = False
        for name, group in world.groups.items():
            excess = self._state.too_large_by(world, name)
            if excess > 0:
                problem = self._provider.decrease(group, excess)
                if problem:
                    return is_fixed, f"failed to decrease {name}: {problem}"
                is_fixed = True
        return is_fixed, ""

    def _all_or_none(self, world: World, group: Group, ids: list[str]) -> list[str]:
        """What is to go, where machines are kept or removed together."""
        options = world.options[group.name]
        if not ids or not options.zero_or_max_node_scaling:
            return ids
        everything = [each.id for each in self._provider.instances(group.name)]
        if len(everything) == len(ids) or not options.allow_non_atomic_scale_up_to_max:
            return everything
        return []
