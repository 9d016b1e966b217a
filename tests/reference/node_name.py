"""NodeName, one node at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.scheduler.status import SUCCESS, Status, unresolvable

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.node_info import NodeInfo


def filter_node(pod: PodView, node: NodeInfo) -> Status:
    if pod.node_name in ("", node.name):
        return SUCCESS
    return unresolvable("node(s) didn't match the requested node name")
