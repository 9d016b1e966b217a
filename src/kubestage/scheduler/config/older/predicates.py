"""Predicates and priorities by name, each with the plugins that it stands for."""

from __future__ import annotations

from typing import Final

Rows = dict[str, tuple[str, ...]]

RATIO: Final = "RequestedToCapacityRatio"


def _prepared(*names: str) -> Rows:
    return {"preFilter": names, "filter": names}


def _filter(name: str) -> Rows:
    return {"filter": (name,)}


def _score(name: str) -> Rows:
    return {"score": (name,)}


def _prepared_score(name: str) -> Rows:
    return {"preScore": (name,), "score": (name,)}


PREDICATES: Final[dict[str, Rows]] = {
    "CheckNodeUnschedulable": _filter("NodeUnschedulable"),
    "GeneralPredicates": {
        "filter": ("NodeResourcesFit", "NodeName", "NodePorts", "NodeAffinity"),
        "preFilter": ("NodeResourcesFit", "NodePorts", "NodeAffinity"),
    },
    "HostName": _filter("NodeName"),
    "PodFitsHostPorts": _prepared("NodePorts"),
    "MatchNodeSelector": _prepared("NodeAffinity"),
    "PodFitsResources": _prepared("NodeResourcesFit"),
    "NoDiskConflict": _filter("VolumeRestrictions"),
    "PodToleratesNodeTaints": _filter("TaintToleration"),
    "CheckNodeLabelPresence": _filter("NodeLabel"),
    "CheckServiceAffinity": _prepared("ServiceAffinity"),
    "MaxEBSVolumeCount": _filter("EBSLimits"),
    "MaxGCEPDVolumeCount": _filter("GCEPDLimits"),
    "MaxCSIVolumeCountPred": _filter("NodeVolumeLimits"),
    "MaxAzureDiskVolumeCount": _filter("AzureDiskLimits"),
    "MaxCinderVolumeCount": _filter("CinderLimits"),
    "CheckVolumeBinding": {
        **_prepared("VolumeBinding"),
        "reserve": ("VolumeBinding",),
        "preBind": ("VolumeBinding",),
    },
    "NoVolumeZoneConflict": _filter("VolumeZone"),
    "EvenPodsSpread": _prepared("PodTopologySpread"),
    "MatchInterPodAffinity": _prepared("InterPodAffinity"),
}
"""In the order in which predicates ran."""

MANDATORY_PREDICATES: Final = ("PodToleratesNodeTaints", "CheckNodeUnschedulable")
DEFAULT_PREDICATES: Final = (
    "NoVolumeZoneConflict",
    "MaxEBSVolumeCount",
    "MaxGCEPDVolumeCount",
    "MaxAzureDiskVolumeCount",
    "MaxCSIVolumeCountPred",
    "MatchInterPodAffinity",
    "NoDiskConflict",
    "GeneralPredicates",
    "CheckVolumeBinding",
    "EvenPodsSpread",
)
"""Those of a policy that names none."""

PRIORITIES: Final[dict[str, Rows]] = {
    "SelectorSpreadPriority": _prepared_score("PodTopologySpread"),
    "TaintTolerationPriority": _prepared_score("TaintToleration"),
    "NodeAffinityPriority": _prepared_score("NodeAffinity"),
    "ImageLocalityPriority": _score("ImageLocality"),
    "InterPodAffinityPriority": _prepared_score("InterPodAffinity"),
    "NodePreferAvoidPodsPriority": _score("NodePreferAvoidPods"),
    "MostRequestedPriority": _score("NodeResourcesMostAllocated"),
    "BalancedResourceAllocation": _score("NodeResourcesBalancedAllocation"),
    "LeastRequestedPriority": _score("NodeResourcesLeastAllocated"),
    "EvenPodsSpreadPriority": _prepared_score("PodTopologySpread"),
    RATIO: _score(RATIO),
    "NodeLabel": _score("NodeLabel"),
    "ServiceAffinity": _score("ServiceAffinity"),
}
DEFAULT_PRIORITIES: Final = {
    "SelectorSpreadPriority": 1,
    "InterPodAffinityPriority": 1,
    "LeastRequestedPriority": 1,
    "BalancedResourceAllocation": 1,
    "NodePreferAvoidPodsPriority": 10000,
    "NodeAffinityPriority": 1,
    "TaintTolerationPriority": 1,
    "ImageLocalityPriority": 1,
    "EvenPodsSpreadPriority": 2,
}
"""Those of a policy that names none, with their weights."""
