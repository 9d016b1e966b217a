"""The plugins of kube-scheduler v1.36: one line each.

A built-in plugin is a module in `scheduler.plugins` and a line here; if profiles enable it by
default, `config.default_plugins` names it, too. The line states the plugin's extension points, so
that a configuration can be read without loading any plugin: a module is loaded when a profile
first enables its plugin.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.scheduler.plugins import arguments, resource_arguments

with lazy.imports():
    from kubestage.scheduler.plugins import (
        default_binder,
        default_preemption,
        dynamic_resources,
        image_locality,
        inter_pod_affinity,
        node_affinity,
        node_declared_features,
        node_name,
        node_ports,
        node_resources_balanced_allocation,
        node_resources_fit,
        node_unschedulable,
        node_volume_limits,
        pod_topology_spread,
        priority_sort,
        scheduling_gates,
        taint_toleration,
        volume_binding,
        volume_restrictions,
        volume_zone,
    )  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from kubestage.scheduler.plugins.arguments import Arguments


class BuiltIn:
    """A plugin of kube-scheduler.

    `load` gives its class, and is None if kubestage does not have the plugin (yet); `arguments`
    is the type of its arguments, if it has any.
    """

    __slots__ = ("arguments", "load", "points")

    def __init__(
        self,
        points: str,
        load: Callable[[], type[Any]] | None = None,
        arguments: type[Arguments] | None = None,
    ) -> None:
        self.points = frozenset(points.split())
        self.load = load
        self.arguments = arguments


BUILT_IN: Final[Mapping[str, BuiltIn]] = {
    "DefaultBinder": BuiltIn("bind", lambda: default_binder.DefaultBinder),
    "DefaultPreemption": BuiltIn(
        "preEnqueue postFilter",
        lambda: default_preemption.DefaultPreemption,
        arguments.DefaultPreemptionArgs,
    ),
    "DynamicResources": BuiltIn(
        "preEnqueue preFilter filter postFilter score reserve preBind",
        lambda: dynamic_resources.DynamicResources,
        arguments.DynamicResourcesArgs,
    ),
    "GangScheduling": BuiltIn("preEnqueue permit"),
    "ImageLocality": BuiltIn("score", lambda: image_locality.ImageLocality),
    "InterPodAffinity": BuiltIn(
        "preFilter filter preScore score",
        lambda: inter_pod_affinity.InterPodAffinity,
        arguments.InterPodAffinityArgs,
    ),
    "NodeAffinity": BuiltIn(
        "preFilter filter preScore score",
        lambda: node_affinity.NodeAffinity,
        arguments.NodeAffinityArgs,
    ),
    "NodeDeclaredFeatures": BuiltIn(
        "preFilter filter", lambda: node_declared_features.NodeDeclaredFeatures
    ),
    "NodeName": BuiltIn("filter", lambda: node_name.NodeName),
    "NodePorts": BuiltIn("preFilter filter", lambda: node_ports.NodePorts),
    "NodeResourcesBalancedAllocation": BuiltIn(
        "preScore score",
        lambda: node_resources_balanced_allocation.NodeResourcesBalancedAllocation,
        resource_arguments.NodeResourcesBalancedAllocationArgs,
    ),
    "NodeResourcesFit": BuiltIn(
        "preFilter filter preScore score placementScore",
        lambda: node_resources_fit.NodeResourcesFit,
        resource_arguments.NodeResourcesFitArgs,
    ),
    "NodeUnschedulable": BuiltIn("filter", lambda: node_unschedulable.NodeUnschedulable),
    "NodeVolumeLimits": BuiltIn("preFilter filter", lambda: node_volume_limits.NodeVolumeLimits),
    "PodGroupPodsCount": BuiltIn("placementScore"),
    "PodTopologySpread": BuiltIn(
        "preFilter filter preScore score",
        lambda: pod_topology_spread.PodTopologySpread,
        arguments.PodTopologySpreadArgs,
    ),
    "PrioritySort": BuiltIn("queueSort", lambda: priority_sort.PrioritySort),
    "SchedulingGates": BuiltIn("preEnqueue", lambda: scheduling_gates.SchedulingGates),
    "TaintToleration": BuiltIn("filter preScore score", lambda: taint_toleration.TaintToleration),
    "TopologyPlacementGenerator": BuiltIn("placementGenerate"),
    "VolumeBinding": BuiltIn(
        "preFilter filter preScore score reserve preBind",
        lambda: volume_binding.VolumeBinding,
        arguments.VolumeBindingArgs,
    ),
    "VolumeRestrictions": BuiltIn(
        "preFilter filter", lambda: volume_restrictions.VolumeRestrictions
    ),
    "VolumeZone": BuiltIn("preFilter filter", lambda: volume_zone.VolumeZone),
}
"""By the plugin's name, which is also that of its class."""


def plugin_class(name: str) -> type[Any]:
    """The class of a built-in plugin."""
    found = BUILT_IN.get(name)
    if found is None or found.load is None:
        raise InputError(
            f'plugin "{name}" is not part of this version of kubestage',
            fix="leave it out of the profile, or bring your own with --plugin module:Class",
        )
    return found.load()


def arguments_of(name: str) -> type[Arguments] | None:
    """The type of a plugin's arguments; None if they are any JSON."""
    found = BUILT_IN.get(name)
    return None if found is None else found.arguments
