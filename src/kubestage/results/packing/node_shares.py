"""How full each node is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects.pod_resources import CPU, MEMORY

if TYPE_CHECKING:
    from kubestage.results.packing.contents import Contents


class NodeShare(msgspec.Struct, frozen=True, rename="camel"):
    """What pods request of a node."""

    node: str
    pool: str
    price_per_hour: float | None
    pods: int
    cpu_share: float | None
    memory_share: float | None


def of(contents: Contents) -> list[NodeShare]:
    """All nodes, in the order in which the cluster has them."""
    by_node = contents.by_node()
    rows = []
    for node in contents.nodes:
        pods = by_node[node.name]
        shares = {
            name: sum(pod.requested[name] for pod in pods) / node.offered[name]
            if node.offered[name]
            else None
            for name in (CPU, MEMORY)
        }
        rows.append(
            NodeShare(node.name, node.pool, node.price, len(pods), shares[CPU], shares[MEMORY])
        )
    return rows
