"""The methods of the plugin contract: their parameters, and the methods that belong together."""

from __future__ import annotations

from typing import Final

_NODE: Final = ("state", "pod", "node_name")
_ROWS: Final = ("state", "pod", "columns", "rows")
_TRIED: Final = ("columns", "row")

PARAMETERS: Final[dict[str, tuple[str, ...]]] = {
    "pre_enqueue": ("pod",),
    "pod_key": ("pod",),
    "sort_key": ("pod", "queued_at_ns"),
    "events_to_register": (),
    "pre_filter": ("state", "pod", "columns"),
    "add_pod": ("state", "pod", "added", *_TRIED),
    "remove_pod": ("state", "pod", "removed", *_TRIED),
    "filter": _ROWS,
    "status": ("state", "pod", "code"),
    "filter_node": ("state", "pod", "node"),
    "post_filter": ("state", "pod", "diagnosis"),
    "pre_score": _ROWS,
    "score": _ROWS,
    "score_node": ("state", "pod", "node"),
    "normalize": ("state", "pod", "scores", "columns", "rows"),
    "reserve": _NODE,
    "unreserve": _NODE,
    "permit": _NODE,
    "pre_bind": _NODE,
    "bind": _NODE,
    "post_bind": _NODE,
    "pick_devices": ("state", "pod", "node_name", "free"),
    "on_node": ("node",),
    "on_node_removed": ("node_name",),
    "on_pod_bound": ("pod", "node_name"),
    "on_pod_removed": ("pod", "node_name"),
    "measure": ("moment",),
}
"""What each method is called with, after `self`."""

PARTNERS: Final[tuple[tuple[str, tuple[str, ...], str], ...]] = (
    ("filter", ("status",), "it explains the codes that filter returns"),
    ("status", ("filter",), "status explains the codes of filter; filter_node needs none"),
    ("reserve", ("unreserve",), "it releases what reserve took when the pod is not bound"),
    ("unreserve", ("reserve",), "unreserve releases what reserve took"),
    ("add_pod", ("remove_pod",), "preemption both adds pods to nodes and removes them"),
    ("remove_pod", ("add_pod",), "preemption both adds pods to nodes and removes them"),
    ("add_pod", ("pre_filter",), "add_pod and remove_pod update what pre_filter stored"),
    ("pick_devices", ("devices",), "it says which devices nodes have"),
    ("normalize", ("score", "score_node"), "normalize changes the scores that they return"),
)
"""A method, those of which it needs one, and why."""

OTHER_NAMES: Final = {
    "normalizescore": "normalize",
    "normalizescores": "normalize",
    "normalise": "normalize",
    "normalisescore": "normalize",
    "normalisescores": "normalize",
    "less": "sort_key",
    "filternodes": "filter_node",
    "scorenodes": "score_node",
    "filterrows": "filter",
    "scorerows": "score",
    "eventhints": "events_to_register",
}
"""What the methods are called elsewhere, in lower case and without underscores."""
