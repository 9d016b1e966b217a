"""A command: which nodes go, for which reason, and which new ones come first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.karpenter.disruption import candidates as candidate_rules
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.golang import floats

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.events import Publish
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim, Results

DELETE: Final = "delete"
REPLACE: Final = "replace"

_CANDIDATE: Final = "ConsolidationCandidate"
_REJECTED: Final = "ConsolidationRejected"


class Command(msgspec.Struct, frozen=True, eq=False):
    """What a method decided; `results` say where the pods would go, if they were looked for."""

    reason: str
    consolidation_type: str
    candidates: list[Candidate]
    replacements: list[NewNodeClaim] = []
    results: Results | None = None

    @property
    def decision(self) -> str:
        """Whether nodes are replaced, or deleted without."""
        return REPLACE if self.replacements else DELETE

    @property
    def source_cost(self) -> float:
        """What the nodes cost."""
        return sum_of_prices(self.candidates)

    def savings(self, well_known: frozenset[str]) -> float:
        """What is saved; new nodes count with the cheapest offering of their first type."""
        if not self.replacements:
            return self.source_cost
        price = 0.0
        for claim in self.replacements:
            types = claim.instance_types
            if types:
                usable = prices.compatible_offerings(
                    types[0].available, claim.requirements, well_known
                )
                if usable:
                    price += prices.cheapest(usable).price
        return self.source_cost - price

    def text_for(self, candidate: Candidate) -> str:
        """The command in words, as far as it is about one of its nodes."""
        count = len(self.candidates)
        if count > 1:
            part = f"part of {count}-node consolidation"
            return f"{self.decision}: [{candidate.name}] ({part})"
        new = len(self.replacements)
        if not new:
            return f"{self.decision}: [{candidate.name}]"
        return f"{self.decision}: [{candidate.name}] -> [{new} replacement{'s' * (new > 1)}]"

    def publish_candidates(self, publish: Publish, well_known: frozenset[str]) -> None:
        """Events that the nodes are candidates for consolidation."""
        savings = _dollars(self.savings(well_known))
        for each in self.candidates:
            message = f"Consolidation candidate: {self.text_for(each)} (savings: {savings})"
            candidate_rules.publish_about(each.node, _CANDIDATE, message, publish)

    def publish_rejected(self, publish: Publish, well_known: frozenset[str], reason: str) -> None:
        """Events that the command is no longer valid."""
        savings = _dollars(self.savings(well_known))
        for each in self.candidates:
            message = (
                f"Consolidation rejected: {self.text_for(each)}, reason: {reason} "
                f"(savings: {savings})"
            )
            candidate_rules.publish_about(each.node, _REJECTED, message, publish)


def sum_of_prices(candidates: Sequence[Candidate]) -> float:
    """What nodes cost together."""
    total = 0.0
    for each in candidates:
        total += each.price
    return total


def disruption_costs(candidates: Sequence[Candidate]) -> dict[str, float]:
    """What it costs to disrupt nodes, by NodePool."""
    total: dict[str, float] = {}
    for each in candidates:
        name = each.pool_name
        total[name] = total.get(name, 0.0) + each.reschedule_disruption_cost
    return total


def _dollars(amount: float) -> str:
    return f"${floats.format_float(amount, 'f', 2)}"
