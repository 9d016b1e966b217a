"""One scan of cluster-autoscaler: scale-up, scale-down, and repairs before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.node_autoscaler import node_state
from kubestage.controllers.node_autoscaler.actuator import Actuator
from kubestage.controllers.node_autoscaler.candidates import LocalDelays
from kubestage.controllers.node_autoscaler.cluster_state import ClusterState
from kubestage.controllers.node_autoscaler.drainability import Drainability
from kubestage.controllers.node_autoscaler.expanders import Expander
from kubestage.controllers.node_autoscaler.growing import Growing
from kubestage.controllers.node_autoscaler.node_group_repair import NodeGroupRepair
from kubestage.controllers.node_autoscaler.planner import Planner
from kubestage.controllers.node_autoscaler.priority_config import PriorityConfig
from kubestage.controllers.node_autoscaler.scan_result import (
    SCALE_DOWN_ERROR,
    SCALE_DOWN_IN_COOLDOWN,
    SCALE_UP_NOT_TRIED,
    ScaleUpStatus,
    ScanResult,
)
from kubestage.controllers.node_autoscaler.shrinking import Shrinking
from kubestage.controllers.node_autoscaler.templates import Templates
from kubestage.controllers.node_autoscaler.world import Observer
from kubestage.store.event_recorder import WARNING
from kubestage.units import HOUR_NS, MINUTE_NS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.aliases import Json
    from kubestage.controllers.lister import Lister
    from kubestage.controllers.node_autoscaler.cloud_provider import CloudProvider
    from kubestage.controllers.node_autoscaler.draining import ClusterClient
    from kubestage.controllers.node_autoscaler.expanders import Chance
    from kubestage.controllers.node_autoscaler.reports import Reports
    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings
    from kubestage.controllers.node_autoscaler.templates import Template
    from kubestage.controllers.node_autoscaler.what_if import Snapshot, WhatIf
    from kubestage.controllers.node_autoscaler.world import World

_NOT_READY_NS: Final = 10 * MINUTE_NS
"""For how long nodes may become ready before a cluster without one is reported."""
_AS_IF_NS: Final = HOUR_NS
"""How long before its start an autoscaler takes the last scale-up and removal to have been."""


class AutoscalingContext(NamedTuple):
    """What an autoscaler works with.

    `lister` and `provider` list in an order that counts where several nodes, pods or groups would
    do, and `chance` decides where even that does not. `wake` has `Autoscaler.step` called with the
    name of a node in some time.
    """

    client: ClusterClient
    lister: Lister
    provider: CloudProvider
    reports: Reports
    chance: Chance
    wake: Callable[[str, int], None]


class Autoscaler:
    """cluster-autoscaler without its loop: each scan is a call, and so is what follows from it."""

    def __init__(self, context: AutoscalingContext, settings: NodeAutoscalerSettings) -> None:
        self._settings = settings
        self.provider, self._reports = context.provider, context.reports
        delays = LocalDelays(settings)
        drainability = Drainability(settings, context.lister)
        priorities = PriorityConfig(context.lister, context.reports, settings)
        self._observer = Observer(context.lister, context.provider, settings)
        self._templates = Templates(
            forces_daemons=settings.force_ds, taint_rules=settings.taint_rules
        )
        self.state = ClusterState(settings, context.provider, context.reports)
        self.planner = Planner(settings, drainability, delays)
        self.actuator = Actuator(
            context.client,
            context.lister,
            context.provider,
            context.reports,
            drainability,
            delays,
            settings,
            context.wake,
        )
        self._expander = Expander(settings.expander, context.chance, priorities)
        self._repair = NodeGroupRepair(context.provider, self.state, context.reports, settings)
        self._growing = Growing(
            context.provider, self.state, context.reports, self._expander, delays, settings
        )
        self._shrinking = Shrinking(self.planner, self.actuator, context.lister, settings)
        self._position: object = None
        self._started_ns: int | None = None
        self.world: World | None = None
        self.templates: dict[str, Template] = {}

    def is_idle(self, now_ns: int) -> bool:
        """Whether nothing is under way: then only time can make a difference to the next scan.

        And that only to nodes that have been unneeded for long.
        """
        return self._growing.is_idle and self._shrinking.may_wait(now_ns)

    def refresh_instances(self) -> None:
        """List all machines again, as is done every two minutes."""
        self.state.cache.refresh()

    def step(self, name: str, now_ns: int) -> None:
        """Go on with the removal of a node."""
        self.actuator.step(name, now_ns)

    def forget(self, name: str) -> None:
        """A group is no more."""
        self.state.forget(name)
        self._templates.forget(name)

    def scan(self, now_ns: int, what_if: WhatIf) -> ScanResult:
        """Scan the whole cluster once, and decide."""
        result = ScanResult()
        self._expander.choices = []
        if self.world is None:
            self.actuator.clean_up()
        if self._position is None:
            self._position = what_if.search_position()
        going = self.actuator.going
        world = self.world = self._observer.observe(now_ns)
        if self._started_ns is None:
            self._started_ns = now_ns
            self._growing.begin(now_ns - _AS_IF_NS)
            self._shrinking.begin(now_ns - _AS_IF_NS)
        if self._leaves_alone(world):
            result.scale_ups.append(ScaleUpStatus(SCALE_UP_NOT_TRIED))
            return result
        snapshot = what_if.snapshot(world.nodes.values(), world.allocated, self._position)
        self.templates = self._templates.of_all(world)
        self.state.update(world)
        self._decide(world, snapshot, going, result)
        if not result.scale_ups:
            result.scale_ups.append(ScaleUpStatus(SCALE_UP_NOT_TRIED))
        for each in result.scale_ups:
            self._growing.report_pods(each)
        result.choices = self._expander.choices
        self._shrinking.complete(result.scale_down)
        return result

    def _leaves_alone(self, world: World) -> bool:
        """Whether the cluster is empty, and the autoscaler waits for others to give it nodes."""
        if self._settings.scale_up_from_zero:
            return False
        if any(map(node_state.is_ready_and_open, world.nodes.values())):
            return False
        self.planner.forget()
        is_long = world.now_ns > (self._started_ns or 0) + _NOT_READY_NS
        if not world.nodes or is_long:
            text = "Cluster has no ready nodes." if world.nodes else "Cluster has no nodes."
            self._reports.report_status(world.groups.values(), WARNING, "ClusterUnhealthy", text)
        return True

    def _decide(
        self, world: World, snapshot: Snapshot, going: Mapping[str, str], result: ScanResult
    ) -> None:
        self._repair.remove_unregistered(world)
        if not self.state.is_cluster_healthy():
            self.planner.forget()
            text = "Cluster is unhealthy"
            self._reports.report_status(world.groups.values(), WARNING, "ClusterUnhealthy", text)
            return
        self._repair.remove_failed(world)
        is_fixed, result.error = self._repair.fix_sizes(world)
        if is_fixed or result.error:
            return
        nodes = self._with_upcoming(world, snapshot)
        known = [node for name in snapshot.node_names if (node := snapshot.node(name))]
        self._scale_up(world, snapshot, known, result)
        if self._settings.scale_down_enabled:
            self._scale_down(world, snapshot, nodes, going, result)
        if self._settings.enforce_node_group_min_size and not result.error:
            status = self._growing.grow_to_least_sizes(world, snapshot, self.templates, known)
            # A scale-up that was not even tried is not reported where another one was.
            tried = [each for each in result.scale_ups if each.was_tried]
            result.scale_ups = [*tried, status]

    def _with_upcoming(self, world: World, snapshot: Snapshot) -> dict[str, Json]:
        """Count upcoming nodes as if they were ready; the nodes that are left."""
        upcoming = self.state.upcoming(world.now_ns)
        for name in sorted(upcoming):
            for number in range(upcoming[name][0]):
                snapshot.add_node(*self.templates[name].copy(f"upcoming-{number}"))
        registered = {name for _, names in upcoming.values() for name in names}
        for name in registered:
            snapshot.remove_node(name)
        return {name: node for name, node in world.nodes.items() if name not in registered}

    def _scale_up(
        self, world: World, snapshot: Snapshot, known: list[Json], result: ScanResult
    ) -> None:
        result.fit = self._growing.fit(snapshot, world, self.actuator.draining)
        status = self._growing.grow(world, snapshot, self.templates, result.fit, known)
        result.scale_ups.append(status)
        if status.was_successful:
            result.scale_down.result = SCALE_DOWN_IN_COOLDOWN

    def _scale_down(
        self,
        world: World,
        snapshot: Snapshot,
        nodes: Mapping[str, Json],
        going: Mapping[str, str],
        result: ScanResult,
    ) -> None:
        is_local = self._settings.scale_down_delay_type_local
        in_cooldown = self._growing.awaits_more_pods or (
            not is_local and self._growing.in_cooldown(world.now_ns)
        )
        status = self._shrinking.shrink(world, snapshot, nodes, going, in_cooldown=in_cooldown)
        result.scale_down = status
        if status.started:
            self.state.recalculate()
        if status.result == SCALE_DOWN_ERROR:
            result.error = "couldn't taint nodes with ToBeDeleted"
