"""What nodes cost, in a line."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from kubestage.results.packing import wording

if TYPE_CHECKING:
    from kubestage.results.analysis import StepPacking
    from kubestage.results.packing.costs import Costs


class HourlyCost(NamedTuple):
    """What nodes cost per hour, as far as they have prices."""

    amount: float
    currency: str
    idle_share: float | None
    unpriced_nodes: int

    def __str__(self) -> str:
        cost = wording.money(self.amount, self.currency)
        idle = "" if self.idle_share is None else f", {wording.share(self.idle_share)} of it idle"
        number = self.unpriced_nodes
        nodes = f"{number:,} node{' has' if number == 1 else 's have'}"
        return f"{cost} per hour{idle}{f'; {nodes} no price' if number else ''}"

    @property
    def sentence(self) -> str:
        """``Nodes cost $1.15 per hour, 38% of it idle.``"""
        return f"Nodes cost {self}."


def of_run(packing: StepPacking | None) -> HourlyCost | None:
    """The cost at the end of a run; None if no node has a price."""
    if packing is None or packing.cost_per_hour is None:
        return None
    idle, unpriced = packing.idle_rate, packing.unpriced_nodes
    return HourlyCost(packing.cost_per_hour, packing.currency, idle, unpriced)


def of_cluster(costs: Costs) -> HourlyCost | None:
    """The cost of a cluster; None if no node has a price."""
    if costs.cluster_cost is None:
        return None
    return HourlyCost(costs.cluster_cost, costs.currency, costs.idle_share, costs.unpriced_nodes)
