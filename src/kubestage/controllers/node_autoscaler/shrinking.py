"""Scale-down: removes nodes that have been unneeded for a while."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.node_autoscaler import groups
from kubestage.controllers.node_autoscaler.budgets import Budgets
from kubestage.controllers.node_autoscaler.provider import NODE
from kubestage.controllers.node_autoscaler.world import BUDGET
from kubestage.errors import ApiError

if TYPE_CHECKING:
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.actuator import Actuator
    from kubestage.controllers.node_autoscaler.planner import Planner
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.status import Statuses
    from kubestage.controllers.node_autoscaler.what_if import Snapshot
    from kubestage.controllers.node_autoscaler.world import World


class Shrinking:
    """Scale-down, and its state from scan to scan."""

    def __init__(
        self,
        planner: Planner,
        actuator: Actuator,
        statuses: Statuses,
        lister: Lister,
        settings: NodeAutoscalerSettings,
    ) -> None:
        self._planner = planner
        self._actuator = actuator
        self._statuses = statuses
        self._lister = lister
        self._settings = settings
        self._last_deletion_ns: int | None = None
        self._last_failure_ns: int | None = None
        self._scanned_ns: int | None = None
        self._is_marked = True

    def may_wait(self, now_ns: int) -> bool:
        """Whether another scan would find what the last one found, if nothing has happened."""
        if not self._settings.scale_down_enabled:
            return True
        scanned_ns = self._scanned_ns
        if scanned_ns is None or not self._planner.is_complete:
            return False
        if scanned_ns + self._settings.unremovable_node_recheck_timeout_ns <= now_ns:
            return False
        due = [each.since_ns + each.patience_ns for each in self._planner.unneeded.values()]
        return not due or min(due) >= now_ns

    def shrink(self, world: World, snapshot: Snapshot, *, in_cooldown: bool) -> bool:
        """Find nodes that could go, and have those go that could for long; whether any do."""
        now_ns, going = world.now_ns, self._actuator.going
        known = [snapshot.node(name) for name in snapshot.node_names if name not in going]
        nodes = [node for node in known if node is not None]
        self._planner.update(world, snapshot, going, Budgets(self._lister.all(BUDGET)))
        self._scanned_ns = now_ns
        started: list[str] = []
        if not in_cooldown and not self._is_in_cooldown(now_ns):
            empty, occupied = self._planner.removable(world, nodes, going)
            try:
                started = self._actuator.start(
                    [world.nodes[name] for name in empty],
                    [world.nodes[name] for name in occupied],
                    now_ns,
                )
            except ApiError:
                self._last_failure_ns = now_ns
            for name in started:
                self._last_deletion_ns = now_ns
                group = groups.name_of(world.nodes[name])
                self._statuses.stamp(group, "lastScaleDownTime", now_ns)
        self._is_marked = False
        self.mark(now_ns)
        return bool(started)

    def mark(self, now_ns: int) -> None:
        """Mark the nodes that may go, as many as may be marked at once; the rest another time."""
        if self._is_marked:
            return
        grouped = [node for node in self._lister.all(NODE) if groups.name_of(node)]
        self._is_marked = self._actuator.mark_candidates(grouped, self._planner.unneeded, now_ns)

    def _is_in_cooldown(self, now_ns: int) -> bool:
        settings = self._settings
        return _is_within(
            self._last_deletion_ns, settings.scale_down_delay_after_delete_ns, now_ns
        ) or _is_within(self._last_failure_ns, settings.scale_down_delay_after_failure_ns, now_ns)


def _is_within(since_ns: int | None, delay_ns: int, now_ns: int) -> bool:
    return since_ns is not None and since_ns + delay_ns > now_ns
