"""The cost and the packing of a cluster at one moment, as one value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.aliases import Json
from kubestage.results.packing import contents, costs, measures
from kubestage.results.packing.costs import Costs  # noqa: TC001 - msgspec reads it
from kubestage.results.packing.measures import (  # noqa: TC001 - msgspec reads them
    Fragmentation,
    Stranded,
    Utilization,
)

if TYPE_CHECKING:
    from kubestage.results.packing.contents import Contents
    from kubestage.store.store import Store


class Packing(msgspec.Struct, frozen=True, rename="camel"):
    """What a cluster costs per hour, and how well its pods are packed."""

    node_count: int
    costs: Costs
    utilization: Utilization
    stranded: Stranded
    fragmentation: Fragmentation

    def metrics(self) -> dict[str, float | None]:
        """The measures of cluster-autoscaler's scale-down benchmark, under its names."""
        return {
            "node_count": self.node_count,
            "cluster_cost": self.costs.cluster_cost,
            "cpu_utilization": self.utilization.cpu_utilization,
            "memory_utilization": self.utilization.memory_utilization,
            "cpu_fragmentation": self.fragmentation.cpu_fragmentation,
            "memory_fragmentation": self.fragmentation.memory_fragmentation,
        }

    def to_dict(self) -> Json:
        """As JSON has it."""
        built: Json = msgspec.to_builtins(self)
        return built


def of(found: Contents) -> Packing:
    """The packing of nodes and pods."""
    sums = found.occupancy()
    return Packing(
        len(found.nodes),
        costs.of(found, sums),
        measures.utilization(sums),
        measures.stranded(sums),
        measures.fragmentation(sums),
    )


def of_store(store: Store) -> Packing:
    """The packing of a cluster as it is now."""
    return of(contents.of_store(store))
