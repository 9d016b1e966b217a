"""The plugins kubestage ships, one explicit table, and the making of profiles from them.

A plugin's module is imported when a configuration first enables it, so nobody pays for what is
not used.
"""

from __future__ import annotations

import dataclasses
import importlib
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.scheduler import config
from kubestage.scheduler.runtime import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.scheduler.config import ProfilePlugins, SchedulerConfiguration
    from kubestage.scheduler.handle import Handle

BUILT_IN: Final = {
    "DefaultBinder": "default_binder",
    "DefaultPreemption": "default_preemption",
    "DynamicResources": "dynamic_resources",
    "ImageLocality": "image_locality",
    "InterPodAffinity": "inter_pod_affinity",
    "NodeAffinity": "node_affinity",
    "NodeDeclaredFeatures": "node_declared_features",
    "NodeName": "node_name",
    "NodePorts": "node_ports",
    "NodeResourcesBalancedAllocation": "node_resources_balanced_allocation",
    "NodeResourcesFit": "node_resources_fit",
    "NodeUnschedulable": "node_unschedulable",
    "NodeVolumeLimits": "node_volume_limits",
    "PodTopologySpread": "pod_topology_spread",
    "PrioritySort": "priority_sort",
    "SchedulingGates": "scheduling_gates",
    "TaintToleration": "taint_toleration",
    "VolumeBinding": "volume_binding",
    "VolumeRestrictions": "volume_restrictions",
    "VolumeZone": "volume_zone",
}
"""Name to module in `scheduler.plugins`; the class has the plugin's name."""


def plugin_class(name: str) -> type[Any]:
    """The class of a built-in plugin."""
    module = BUILT_IN.get(name)
    if module is None:
        raise InputError(
            f'plugin "{name}" is not part of this version of kubestage',
            fix="leave it out of the profile, or bring your own with --plugin module:Class",
        )
    found: type[Any] = getattr(
        importlib.import_module(f"kubestage.scheduler.plugins.{module}"), name
    )
    return found


def profiles(
    configuration: SchedulerConfiguration,
    handle: Handle,
    own: Mapping[str, type[Any]] | None = None,
    prepare: Callable[[Any], None] | None = None,
) -> dict[str, Profile]:
    """One profile per schedulerName; `own` holds a user's plugin classes by name.

    Every plugin is handed to `prepare`, if given, before it is put to work.
    """
    own = own or {}
    completed = config.complete(
        configuration, {name: config.points_of(each) for name, each in own.items()}
    )
    return {
        plugins.scheduler_name: _profile(plugins, dataclasses.replace(handle), own, prepare)
        for plugins in completed.profiles
    }


def _profile(
    plugins: ProfilePlugins,
    handle: Handle,
    own: Mapping[str, type[Any]],
    prepare: Callable[[Any], None] | None,
) -> Profile:
    made = {
        name: (own.get(name) or plugin_class(name))(plugins.args[name] or {}, handle)
        for name in plugins.names
    }
    if prepare is not None:
        for plugin in made.values():
            prepare(plugin)
    points = {point: [made[name] for name in names] for point, names in plugins.points.items()}
    profile = Profile(
        plugins.scheduler_name,
        points,
        plugins.weights["score"],
        plugins.percentage_of_nodes_to_score,
    )
    handle.profile = profile
    return profile
