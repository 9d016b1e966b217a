"""The extension points, and which plugin implements which of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler import registry

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

IN_TREE: Final[Mapping[str, frozenset[str]]] = {
    name: each.points for name, each in registry.BUILT_IN.items()
}
"""The plugins of kube-scheduler v1.36, and the extension points of each."""

_METHODS: Final = {
    "pre_enqueue": "preEnqueue", "sort_key": "queueSort", "pre_filter": "preFilter",
    "filter": "filter", "filter_node": "filter", "post_filter": "postFilter",
    "pre_score": "preScore", "score": "score", "score_node": "score", "reserve": "reserve",
    "devices": "reserve",
    "permit": "permit", "pre_bind": "preBind", "bind": "bind", "post_bind": "postBind",
}  # fmt: skip


def points_of(plugin: type) -> frozenset[str]:
    """The extension points of a plugin class, found by its methods."""
    return frozenset(point for method, point in _METHODS.items() if hasattr(plugin, method))


def rows(extra: Mapping[str, Iterable[str]]) -> dict[str, frozenset[str]]:
    """The table with plugins of a user added; they may not take a name that is in use."""
    return {**IN_TREE, **{name: frozenset(points) for name, points in extra.items()}}


def go_interface(point: str) -> str:
    """The name by which messages call what a plugin of that point implements."""
    return f"{point[0].upper()}{point[1:]}Plugin"
