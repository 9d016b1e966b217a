"""Where plugins can take part, and which of them do so where."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MULTI_POINT: Final = "multiPoint"
"""Not a point of its own: enables a plugin wherever it can take part."""

EXTENSION_POINTS: Final = (
    "preFilter", "filter", "postFilter", "reserve", "preScore", "score", "preBind", "bind",
    "postBind", "permit", "preEnqueue", "queueSort", "placementGenerate", "placementScore",
)  # fmt: skip
"""In the order in which kube-scheduler sets them up, and so finds errors."""

WEIGHTED: Final = ("score", "placementScore")

_FILTER: Final = frozenset({"filter"})
_PREPARED_FILTER: Final = frozenset({"preFilter", "filter"})
_PREPARED_SCORE: Final = frozenset({"preScore", "score"})

IN_TREE: Final[Mapping[str, frozenset[str]]] = {
    "DefaultBinder": frozenset({"bind"}),
    "DefaultPreemption": frozenset({"preEnqueue", "postFilter"}),
    "DynamicResources": _PREPARED_FILTER
    | {"preEnqueue", "postFilter", "score", "reserve", "preBind"},
    "GangScheduling": frozenset({"preEnqueue", "permit"}),
    "ImageLocality": frozenset({"score"}),
    "InterPodAffinity": _PREPARED_FILTER | _PREPARED_SCORE,
    "NodeAffinity": _PREPARED_FILTER | _PREPARED_SCORE,
    "NodeDeclaredFeatures": _PREPARED_FILTER,
    "NodeName": _FILTER,
    "NodePorts": _PREPARED_FILTER,
    "NodeResourcesBalancedAllocation": _PREPARED_SCORE,
    "NodeResourcesFit": _PREPARED_FILTER | _PREPARED_SCORE | {"placementScore"},
    "NodeUnschedulable": _FILTER,
    "NodeVolumeLimits": _PREPARED_FILTER,
    "PodGroupPodsCount": frozenset({"placementScore"}),
    "PodTopologySpread": _PREPARED_FILTER | _PREPARED_SCORE,
    "PrioritySort": frozenset({"queueSort"}),
    "SchedulingGates": frozenset({"preEnqueue"}),
    "TaintToleration": _FILTER | _PREPARED_SCORE,
    "TopologyPlacementGenerator": frozenset({"placementGenerate"}),
    "VolumeBinding": _PREPARED_FILTER | _PREPARED_SCORE | {"reserve", "preBind"},
    "VolumeRestrictions": _PREPARED_FILTER,
    "VolumeZone": _PREPARED_FILTER,
}
"""The plugins of kube-scheduler v1.36."""

_METHODS: Final = {
    "pre_enqueue": "preEnqueue", "sort_key": "queueSort", "pre_filter": "preFilter",
    "filter": "filter", "filter_node": "filter", "post_filter": "postFilter",
    "pre_score": "preScore", "score": "score", "score_node": "score", "reserve": "reserve",
    "permit": "permit", "pre_bind": "preBind", "bind": "bind", "post_bind": "postBind",
}  # fmt: skip


def points_of(plugin: type) -> frozenset[str]:
    """Where a plugin class of your own takes part, told by its methods."""
    return frozenset(point for method, point in _METHODS.items() if hasattr(plugin, method))


def rows(extra: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """The table with plugins of a user added; they may not take a name that is in use."""
    return {**IN_TREE, **{name: frozenset(points) for name, points in extra.items()}}


def go_interface(point: str) -> str:
    """The name by which messages call what a plugin of that point implements."""
    return f"{point[0].upper()}{point[1:]}Plugin"
