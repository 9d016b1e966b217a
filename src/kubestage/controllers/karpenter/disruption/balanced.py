"""The policy Balanced: a move is to save as much of a NodePool as it disrupts, or at least half."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.controllers.karpenter import events
from kubestage.controllers.karpenter.disruption import candidates as candidate_rules
from kubestage.controllers.karpenter.disruption import command as command_rules
from kubestage.controllers.karpenter.state import cluster_cost
from kubestage.golang import floats

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.disruption.context import Context

BALANCED: Final = "Balanced"
K: Final = 2
"""A move is approved from a score of 1/k."""

_APPROVED: Final = "ConsolidationApproved"


class Totals(NamedTuple):
    """What a NodePool costs, and what it would cost to disrupt all of it."""

    cost: float
    disruption_cost: float


class Score(NamedTuple):
    """The share of a NodePool's cost that a move saves, and the share that it disrupts."""

    savings: float = 0.0
    disruption: float = 0.0
    k: int = K

    @property
    def value(self) -> float:
        """Savings for each unit of disruption; 0 where nothing is saved."""
        if self.savings <= 0:
            return 0.0
        return math.inf if self.disruption == 0 else self.savings / self.disruption

    @property
    def threshold(self) -> float:
        """The least score that is approved."""
        return 1.0 / self.k

    @property
    def is_approved(self) -> bool:
        """Whether the move is worth its disruption."""
        return self.value >= self.threshold

    def __str__(self) -> str:
        return self._text(">=")

    @property
    def rejection(self) -> str:
        """The score in words, of a move that is not approved."""
        return self._text("<")

    def _text(self, comparison: str) -> str:
        value = floats.format_float(self.value, "f", 2)
        return (
            f"score {value} {comparison} threshold {self.threshold:.2f} (k: {self.k}, "
            f"savings {self.savings * 100:.1f}%, disruption {self.disruption * 100:.1f}%)"
        )


def score(savings: float, disruption_cost: float, totals: Totals, k: int = K) -> Score:
    """The score of a move within one NodePool."""
    if totals.cost <= 0 or totals.disruption_cost <= 0:
        return Score(k=k)
    return Score(savings / totals.cost, disruption_cost / totals.disruption_cost, k)


def totals_of(context: Context, candidates: Sequence[Candidate]) -> dict[str, Totals]:
    """The totals of each NodePool with a candidate; all of its nodes count."""
    fallback: dict[str, float] = {}
    known = {each.name: each.reschedule_disruption_cost for each in candidates}
    for each in candidates:
        fallback[each.pool_name] = fallback.get(each.pool_name, 0.0) + each.price
    disruption: dict[str, float] = {}
    for node in context.nodes:
        if node.node_pool:
            cost = known.get(node.name)
            cost = node.disruption_cost if cost is None else cost
            disruption[node.node_pool] = disruption.get(node.node_pool, 0.0) + cost
    types = context.snapshot.pools.types
    costs = cluster_cost.by_node_pool(context.cluster.objects.all("NodeClaim"), types)
    return {
        name: Totals(costs[name] if costs.get(name, 0.0) > 0 else total, disruption.get(name, 0.0))
        for name, total in fallback.items()
    }


class Evaluator:
    """Approves commands; those that are not about Balanced NodePools always."""

    def __init__(self, context: Context, totals: Mapping[str, Totals]) -> None:
        self._context = context
        self._totals = totals

    def scores(self, command: Command) -> dict[str, Score]:
        """The score in each Balanced NodePool; what is saved is divided as the costs are."""
        by_pool: dict[str, list[Candidate]] = {}
        for each in command.candidates:
            by_pool.setdefault(each.pool_name, []).append(each)
        savings = command.savings(self._context.provider.well_known)
        disruption = command_rules.disruption_costs(command.candidates)
        total = command.source_cost
        found = {}
        for name, of_pool in by_pool.items():
            if of_pool[0].policy != BALANCED:
                continue
            saved = savings
            if total > 0 and len(by_pool) > 1:
                saved = savings * (command_rules.sum_of_prices(of_pool) / total)
            found[name] = score(saved, disruption[name], self._totals.get(name, Totals(0.0, 0.0)))
        return found

    def approve(self, command: Command) -> dict[str, Score] | None:
        """The scores if all of them are high enough; None if not.

        An event is about the node if there is but one, whatever comes of the command.
        """
        scores = self.scores(command)
        if len(command.candidates) == 1:
            candidate = command.candidates[0]
            own = scores.get(candidate.pool_name)
            if own is not None and own.is_approved:
                candidate_rules.publish_about(
                    candidate.node, _APPROVED, str(own), self._context.publish
                )
        return scores if all(each.is_approved for each in scores.values()) else None

    def rejection(self, command: Command) -> str:
        """Why a command is not approved, in words."""
        scores = self.scores(command)
        failed = [(name, each) for name, each in scores.items() if not each.is_approved]
        if len(scores) == 1:
            return "".join(each.rejection for _, each in failed)
        return "; ".join(f"NodePool {name}: {each.rejection}" for name, each in failed)

    def publish_scores(self, command: Command, scores: Mapping[str, Score]) -> None:
        """Events about the NodePools that approve of a command for several nodes."""
        pools = {each.pool_name: each.node_pool for each in command.candidates}
        for name in sorted(pools):
            found = scores.get(name)
            if found is not None and found.is_approved:
                event = events.about("NodePool", pools[name], _APPROVED, str(found))
                self._context.publish(event)

    def can_pass(self, candidate: Candidate) -> bool:
        """Whether a node would be approved if it could go without replacement."""
        totals = self._totals.get(candidate.pool_name)
        if candidate.policy != BALANCED or totals is None or totals.cost <= 0:
            return True
        cost = candidate.reschedule_disruption_cost
        return score(candidate.price, cost, totals).is_approved
