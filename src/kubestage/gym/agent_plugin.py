"""The plugin by which an agent's choice becomes a scheduling decision."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from kubestage.scheduler.config.model import Plugin, PluginSet
from kubestage.scheduler.contract.checked_plugin import CheckedPlugin
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.framework import SUCCESS

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Mask
    from kubestage.scheduler.config import SchedulerConfiguration
    from kubestage.scheduler.scheduler import Scheduler

_MULTI_POINT: Final = "multiPoint"


class AgentChoice:
    """Leaves the node that an agent has chosen; without a choice, all nodes."""

    name = "AgentChoice"

    def __init__(self, args: Any, handle: Any) -> None:
        del args, handle
        self.node: str | None = None

    def pre_filter(self, state: Any, pod: Any, columns: Any) -> tuple[Any, frozenset[str] | None]:
        """Restrict the nodes to the chosen one."""
        del state, pod, columns
        return SUCCESS, None if self.node is None else frozenset({self.node})


def enabled(configuration: SchedulerConfiguration) -> SchedulerConfiguration:
    """A configuration whose profiles all have the plugin."""
    chosen = Plugin(name=AgentChoice.name, weight=0)
    profiles = []
    for profile in configuration.profiles:
        points = profile.plugins.get(_MULTI_POINT, PluginSet())
        more = msgspec.structs.replace(points, enabled=(*points.enabled, chosen))
        plugins = {**profile.plugins, _MULTI_POINT: more}
        profiles.append(msgspec.structs.replace(profile, plugins=plugins))
    return msgspec.structs.replace(configuration, profiles=tuple(profiles))


def choose(scheduler: Scheduler, node: str | None) -> None:
    """Have the next pod go to a node, if it is feasible; None for the scheduler's own choice."""
    for profile in scheduler.profiles.values():
        for plugin in profile.pre_filter:
            if isinstance(plugin, CheckedPlugin) and plugin.name == AgentChoice.name:
                plugin.plugin.node = node


def feasible(scheduler: Scheduler, pod: PodView) -> Mask:
    """Which nodes a pod could go to now, by row."""
    columns, profile = scheduler.cache.columns, scheduler.profiles[pod.scheduler_name]
    state, found = CycleState(), np.zeros(len(columns), np.bool_)
    result = profile.run_pre_filter(state, pod, columns)
    if not result.status.is_success or not len(columns):
        return found
    found[profile.run_filter(state, pod, columns, slice(0, len(columns))).passing] = True
    if result.nodes is not None:
        found &= np.array([name in result.nodes for name in columns.names])
    return found
