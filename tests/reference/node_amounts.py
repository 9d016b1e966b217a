"""What a node offers and what its pods take, added up pod by pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from kubestage.scheduler.node_info import NodeInfo


def allocatable(node: NodeInfo, resource: str) -> int:
    return dict(node.view.allocatable.items()).get(resource, 0)


def requested(node: NodeInfo, resource: str) -> int:
    return sum(dict(pod.requests.items()).get(resource, 0) for pod in node.pods.values())


def nonzero_requested(node: NodeInfo, resource: str) -> int:
    if resource == "cpu":
        return sum(pod.nonzero_cpu for pod in node.pods.values())
    if resource == "memory":
        return sum(pod.nonzero_memory for pod in node.pods.values())
    return requested(node, resource)
