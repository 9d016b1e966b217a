"""The options that groups may have otherwise than the flags say."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.golang import durations

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.controllers.node_autoscaler.settings import NodeAutoscalerSettings

_DURATIONS: Final = {
    "scaleDownUnneededTime": "scale_down_unneeded_time_ns",
    "scaleDownUnreadyTime": "scale_down_unready_time_ns",
    "maxNodeProvisionTime": "max_node_provision_time_ns",
    "maxNodeStartupTime": "max_node_startup_time_ns",
}
_OTHERS: Final = {
    "scaleDownUtilizationThreshold": "scale_down_utilization_threshold",
    "scaleDownGpuUtilizationThreshold": "scale_down_gpu_utilization_threshold",
    "ignoreDaemonSetsUtilization": "ignore_daemonsets_utilization",
    "zeroOrMaxNodeScaling": "zero_or_max_node_scaling",
    "allowNonAtomicScaleUpToMax": "allow_non_atomic_scale_up_to_max",
}


class GroupOptions(msgspec.Struct, frozen=True):
    """The options of one group, complete."""

    scale_down_unneeded_time_ns: int
    scale_down_unready_time_ns: int
    scale_down_utilization_threshold: float
    scale_down_gpu_utilization_threshold: float
    max_node_provision_time_ns: int
    max_node_startup_time_ns: int
    ignore_daemonsets_utilization: bool
    zero_or_max_node_scaling: bool = False
    allow_non_atomic_scale_up_to_max: bool = False


def complete(stated: Mapping[str, Any], settings: NodeAutoscalerSettings) -> GroupOptions:
    """The options as a group states them, and the flags for what it does not state."""
    values: dict[str, Any] = {
        name: durations.parse_duration(stated[key])
        for key, name in _DURATIONS.items()
        if key in stated
    }
    values |= {name: stated[key] for key, name in _OTHERS.items() if key in stated}
    for name in GroupOptions.__struct_fields__:
        if name not in values and hasattr(settings, name):
            values[name] = getattr(settings, name)
    return GroupOptions(**values)
