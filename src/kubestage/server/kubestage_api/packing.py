"""What the cluster costs, and how well its pods are packed, as it is now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.packing import contents, packing
from kubestage.server import background
from kubestage.server.kubestage_api.shapes import ClusterPacking

if TYPE_CHECKING:
    from kubestage.server.kubestage_api.call import ApiCall


async def get(call: ApiCall) -> ClusterPacking:
    """The cost and the packing."""
    # What was read does not change: other requests are served while the rest is computed.
    found = await background.run(packing.of, contents.of_store(call.live.store))
    parts = found.to_dict()
    return ClusterPacking(
        node_count=found.node_count,
        costs=parts["costs"],
        utilization=parts["utilization"],
        stranded=parts["stranded"],
        fragmentation=parts["fragmentation"],
        metrics=found.metrics(),
    )
