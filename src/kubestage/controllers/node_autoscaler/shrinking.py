"""Scale-down: removes nodes that have been unneeded for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.node_autoscaler import scan_result
from kubestage.controllers.node_autoscaler.budgets import Budgets
from kubestage.controllers.node_autoscaler.scan_result import ScaleDownStatus
from kubestage.controllers.node_autoscaler.world import BUDGET
from kubestage.errors import ApiError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.actuator import Actuator
    from kubestage.controllers.node_autoscaler.planner import Planner
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World


class Shrinking:
    """Scale-down, and its state from scan to scan."""

    def __init__(
        self,
        planner: Planner,
        actuator: Actuator,
        lister: Lister,
        settings: NodeAutoscalerSettings,
    ) -> None:
        self._planner = planner
        self._actuator = actuator
        self._lister = lister
        self._settings = settings
        self._last_deletion_ns = 0
        self._last_failure_ns = 0
        self._scanned_ns: int | None = None
        self._is_marked = True

    def begin(self, since_ns: int) -> None:
        """Start as if a node had gone, and another had not, at a time."""
        self._last_deletion_ns = self._last_failure_ns = since_ns

    def may_wait(self, now_ns: int) -> bool:
        """Whether another scan would find what the last one found, if nothing has happened."""
        if not self._settings.scale_down_enabled:
            return True
        scanned_ns = self._scanned_ns
        if scanned_ns is None or not (self._planner.is_complete and self._is_marked):
            return False
        if scanned_ns + self._settings.unremovable_node_recheck_timeout_ns <= now_ns:
            return False
        due = [each.since_ns + each.patience_ns for each in self._planner.unneeded.values()]
        return not due or min(due) >= now_ns

    def shrink(
        self,
        world: World,
        snapshot: Snapshot,
        nodes: Mapping[str, Json],
        going: Mapping[str, str],
        *,
        in_cooldown: bool,
    ) -> ScaleDownStatus:
        """Find nodes that could go, and have those go that could for long.

        `nodes` are those that may go or take pods, `going` those that are on their way out.
        """
        now_ns = world.now_ns
        self._planner.update(world, snapshot, nodes, going, Budgets(self._lister.all(BUDGET)))
        self._scanned_ns = now_ns
        status = ScaleDownStatus(simulations=self._planner.simulations)
        if in_cooldown or self._is_in_cooldown(now_ns):
            status.result = scan_result.SCALE_DOWN_IN_COOLDOWN
        elif not self._planner.candidates:
            status.result = scan_result.SCALE_DOWN_NO_CANDIDATES
        else:
            self._start(world, snapshot, going, status)
        self._is_marked = False
        self._mark(world, nodes)
        return status

    def complete(self, status: ScaleDownStatus) -> None:
        """Add to a status what is known of nodes, whatever the scan has done."""
        planner = self._planner
        status.unremovable = list(planner.unremovable.values())
        status.utilization = planner.used
        status.deletions = self._actuator.take_results()

    def _start(
        self, world: World, snapshot: Snapshot, going: Mapping[str, str], status: ScaleDownStatus
    ) -> None:
        empty, occupied = self._planner.removable(world, snapshot, going)
        status.result = scan_result.SCALE_DOWN_NO_NODE_DELETED
        try:
            status.started = self._actuator.start(world, snapshot, empty, occupied)
        except ApiError:
            status.result = scan_result.SCALE_DOWN_ERROR
            self._last_failure_ns = world.now_ns
        if status.started:
            status.result = scan_result.SCALE_DOWN_STARTED
            self._last_deletion_ns = world.now_ns

    def _mark(self, world: World, nodes: Mapping[str, Json]) -> None:
        """Mark the nodes that may go, as many as may be marked at once; the rest another time."""
        grouped = [node for node in nodes.values() if world.group_of(node) is not None]
        unneeded = self._planner.unneeded
        self._is_marked = self._actuator.mark_candidates(grouped, unneeded, world.now_ns)

    def _is_in_cooldown(self, now_ns: int) -> bool:
        settings = self._settings
        if settings.scale_down_delay_type_local:
            return False
        after_deletion_ns = self._last_deletion_ns + settings.scale_down_delay_after_delete_ns
        after_failure_ns = self._last_failure_ns + settings.scale_down_delay_after_failure_ns
        return max(after_deletion_ns, after_failure_ns) > now_ns
