"""``v1beta3`` and ``v1beta2``: profiles as today, each with its own default plugins."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.scheduler.config import defaulting
from kubestage.scheduler.config.default_plugins import Defaults, plugins
from kubestage.scheduler.config.extension_points import MULTI_POINT
from kubestage.scheduler.config.model import replace
from kubestage.scheduler.config.older import successors

if TYPE_CHECKING:
    from kubestage.scheduler.config.model import SchedulerConfiguration, SchedulerProfile

_MERGED: Final = (
    "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit",
    "preBind", "bind", "postBind",
)  # fmt: skip

_V1BETA3: Final = Defaults(
    {
        MULTI_POINT: plugins(
            "PrioritySort",
            "NodeUnschedulable",
            "NodeName",
            ("TaintToleration", 3),
            ("NodeAffinity", 2),
            "NodePorts",
            ("NodeResourcesFit", 1),
            "VolumeRestrictions",
            "EBSLimits",
            "GCEPDLimits",
            "NodeVolumeLimits",
            "AzureDiskLimits",
            "VolumeBinding",
            "VolumeZone",
            ("PodTopologySpread", 2),
            ("InterPodAffinity", 2),
            "DefaultPreemption",
            ("NodeResourcesBalancedAllocation", 1),
            ("ImageLocality", 1),
            "DefaultBinder",
            "SchedulingGates",
        )
    },
    points=(*_MERGED, MULTI_POINT),
)

_V1BETA2: Final = Defaults(
    {
        "preEnqueue": plugins("SchedulingGates"),
        "queueSort": plugins("PrioritySort"),
        "preFilter": plugins(
            "NodeResourcesFit",
            "NodePorts",
            "VolumeRestrictions",
            "PodTopologySpread",
            "InterPodAffinity",
            "VolumeBinding",
            "VolumeZone",
            "NodeAffinity",
        ),
        "filter": plugins(
            "NodeUnschedulable",
            "NodeName",
            "TaintToleration",
            "NodeAffinity",
            "NodePorts",
            "NodeResourcesFit",
            "VolumeRestrictions",
            "EBSLimits",
            "GCEPDLimits",
            "NodeVolumeLimits",
            "AzureDiskLimits",
            "VolumeBinding",
            "VolumeZone",
            "PodTopologySpread",
            "InterPodAffinity",
        ),
        "postFilter": plugins("DefaultPreemption"),
        "preScore": plugins(
            "InterPodAffinity",
            "PodTopologySpread",
            "TaintToleration",
            "NodeAffinity",
            "NodeResourcesFit",
            "NodeResourcesBalancedAllocation",
        ),
        "score": plugins(
            ("NodeResourcesBalancedAllocation", 1),
            ("ImageLocality", 1),
            ("InterPodAffinity", 1),
            ("NodeResourcesFit", 1),
            ("NodeAffinity", 1),
            ("PodTopologySpread", 2),
            ("TaintToleration", 1),
        ),
        "reserve": plugins("VolumeBinding"),
        "preBind": plugins("VolumeBinding"),
        "bind": plugins("DefaultBinder"),
    },
    points=_MERGED,
    keep_disabled=False,
)

DEFAULTS: Final = {"v1beta3": _V1BETA3, "v1beta2": _V1BETA2}
"""As the last releases had them that served these versions: v1.28 and v1.27."""


def convert(version: str, decoded: dict[str, Any]) -> SchedulerConfiguration:
    """Default as the version did, then give plugins their names of today."""
    configuration = defaulting.configuration(decoded, DEFAULTS[version])
    successors.removed_from_beta(version).check(
        (profile.plugins, [config.name for config in profile.plugin_config])
        for profile in configuration.profiles
    )
    return replace(
        configuration, profiles=tuple(_profile(profile) for profile in configuration.profiles)
    )


def _profile(profile: SchedulerProfile) -> SchedulerProfile:
    sets = successors.succeed(profile.plugins)
    stated = [(config.name, config.args) for config in profile.plugin_config]
    return replace(profile, plugins=sets, plugin_config=defaulting.plugin_config(stated, sets))
