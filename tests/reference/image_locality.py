"""ImageLocality, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo

MEBIBYTE = 1024 * 1024


def score_node(pod: PodView, node: NodeInfo, nodes: Sequence[NodeInfo]) -> int:
    """`nodes` are all nodes in the order in which they arrived."""
    total = 0
    for image in pod.images:
        if image in _names(node):
            holders = [each for each in nodes if image in _names(each)]
            size = _names(holders[0])[image]
            total += int(float(size) * (float(len(holders)) / float(len(nodes))))
    least, most = 23 * MEBIBYTE, 1000 * MEBIBYTE * pod.container_count
    return 100 * (min(max(total, least), most) - least) // (most - least)


def _names(node: NodeInfo) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for image in node.view.raw["status"].get("images") or ():
        for name in image["names"]:
            sizes.setdefault(name, image["sizeBytes"])
    return sizes
