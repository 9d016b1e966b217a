"""Consolidation: fewer or cheaper nodes for the same pods."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.conditions.consolidation import consolidate_after_ns
from kubestage.controllers.karpenter.decisions import findings
from kubestage.controllers.karpenter.disruption import candidates as candidate_rules
from kubestage.controllers.karpenter.disruption import command as command_rules
from kubestage.controllers.karpenter.disruption import price_filters, simulation, validation
from kubestage.controllers.karpenter.disruption.balanced import Evaluator
from kubestage.controllers.karpenter.disruption.command import Command
from kubestage.controllers.karpenter.disruption.fruitless import Look
from kubestage.controllers.karpenter.instance_types import prices
from kubestage.golang import sort
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.controllers.karpenter.disruption.balanced import Totals
    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.instance_types import InstanceType
    from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim, Results

UNDERUTILIZED: Final = "Underutilized"
UNCONSOLIDATABLE: Final = "Unconsolidatable"
WHEN_EMPTY: Final = "WhenEmpty"


class Consolidation:
    """What emptiness, multi-node and single-node consolidation have in common."""

    reason = UNDERUTILIZED
    is_eventual = False
    is_validated = True
    consolidation_type = ""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.evaluator = Evaluator(context, {})
        self.problem = ""
        self._seen_state: int | None = None

    def take_totals(self, totals: Mapping[str, Totals]) -> None:
        """What NodePools cost as a whole, for this round."""
        self.evaluator = Evaluator(self.context, totals)

    @property
    def is_consolidated(self) -> bool:
        """Whether nothing has changed since nothing was found to do."""
        return self._seen_state == self.context.cluster.consolidation_state()

    def mark_consolidated(self) -> None:
        """Nothing was found to do."""
        self._seen_state = self.context.cluster.consolidation_state()

    def should_disrupt(self, candidate: Candidate) -> bool:
        """Whether a candidate may be consolidated at present; events say why not."""
        if candidate.is_static:
            return False
        problem = self._problem(candidate)
        if not problem and candidate.is_empty:
            self.context.note([candidate], self.consolidation_type, findings.NOTHING)
            return False
        if not problem and candidate.policy == WHEN_EMPTY:
            problem = (
                f'NodePool "{candidate.pool_name}" has consolidation policy WhenEmpty, '
                "but node is not empty"
            )
        if problem:
            self.explain(candidate, problem)
            return False
        return self.is_consolidatable(candidate)

    def is_consolidatable(self, candidate: Candidate) -> bool:
        """Whether nothing has happened on a node for long enough."""
        if candidate.node.is_consolidatable:
            return True
        after = (candidate.node_pool["spec"].get("disruption") or {}).get("consolidateAfter")
        text = f"its pods changed less than {after} ago (consolidateAfter)"
        self.context.note([candidate], self.consolidation_type, findings.NOT_YET, text)
        return False

    def within_budgets(
        self, candidates: Sequence[Candidate], budgets: dict[str, int]
    ) -> tuple[list[Candidate], bool]:
        """The first candidates that budgets allow, and whether any had to be left out."""
        kept, constrained = validation.within_budgets(candidates, budgets)
        if constrained and self.context.findings is not None:
            names = {each.name for each in kept}
            self.note_budget([each for each in candidates if each.name not in names])
        return kept, constrained

    def note_budget(self, candidates: Sequence[Candidate]) -> None:
        """That budgets keep nodes."""
        text = f"the budgets of its NodePool allow no more nodes to go as {self.reason} now"
        self.context.note(candidates, self.consolidation_type, findings.BUDGET, text)

    def note_command(self, command: Command) -> None:
        """That nodes are to go, unless that does not hold when it is looked at again."""
        for each in command.candidates:
            text = command.text_for(each)
            scores = self.evaluator.scores(command) if self.context.findings else {}
            own = scores.get(each.pool_name)
            shown = f"{text}, {own}" if own is not None else text
            self.context.note([each], self.consolidation_type, command.decision, shown)

    def note_rejected(self, candidates: Sequence[Candidate], problem: str) -> None:
        """That a command does not hold any more."""
        text = f"the command did not hold after {validation.DELAY_NS // SECOND_NS} s: {problem}"
        self.context.note(candidates, self.consolidation_type, findings.REJECTED, text)

    def explain(self, candidate: Candidate, problem: str) -> None:
        """Publish why a node is not consolidated."""
        self.context.note([candidate], self.consolidation_type, findings.KEPT, problem)
        candidate_rules.publish_about(
            candidate.node, UNCONSOLIDATABLE, problem, self.context.publish
        )

    def _problem(self, candidate: Candidate) -> str:
        known = candidate.node.labels
        if candidate.instance_type is None:
            return f'Instance Type "{known.get(labels.INSTANCE_TYPE) or ""}" not found'
        for key in (labels.CAPACITY_TYPE, labels.ZONE):
            if key not in known:
                return f'Node does not have label "{key}"'
        return disabled(candidate)

    def compute(self, candidates: Sequence[Candidate]) -> Command | None:
        """What to do about some nodes together; None if nothing."""
        look = Look(self.context, candidates)
        problem = look.recall()
        if problem:
            self._keep(candidates, problem)
            return None
        found = simulation.simulate(
            self.context, candidates, consolidating=True, fitted=look.fitted
        )
        if found is None:
            self.problem = "a node is on its way out, or no NodePool is ready"
            if len(candidates) == 1:
                self.context.note(candidates, self.consolidation_type, findings.KEPT, self.problem)
            return None
        claims = found.new_node_claims
        if not found.all_non_pending_pods_scheduled:
            problem = simulation.blocking_text(found)
        elif len(claims) > 1:
            problem = f"Can't remove without creating {len(claims)} candidates"
        elif not claims:
            return self._command(candidates, found, [])
        else:
            replacement, problem = self._replacement(candidates, claims[0])
            if replacement is not None:
                command = self._command(candidates, found, [replacement])
                context = self.context
                command.publish_candidates(context.publish, context.provider.well_known)
                return command
        look.keep(found, problem)
        self._keep(candidates, problem)
        return None

    def _keep(self, candidates: Sequence[Candidate], problem: str) -> None:
        """Nothing can be done about some nodes."""
        self.problem = problem
        if len(candidates) == 1:
            self.explain(candidates[0], problem)

    def _command(
        self,
        candidates: Sequence[Candidate],
        found: Results,
        replacements: list[NewNodeClaim],
    ) -> Command:
        return Command(self.reason, self.consolidation_type, list(candidates), replacements, found)

    def _replacement(
        self, candidates: Sequence[Candidate], claim: NewNodeClaim
    ) -> tuple[NewNodeClaim | None, str]:
        """The new node with the types that are cheap enough, or why there are none."""
        well_known = self.context.provider.well_known
        required = claim.requirements
        types = claim.instance_types
        all_spot = all(each.capacity_type == labels.SPOT for each in candidates)
        spot_to_spot = all_spot and price_filters.allows_spot(claim)
        if spot_to_spot:
            if not self.context.settings.spot_to_spot_consolidation:
                return None, (
                    "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot "
                    "node"
                )
            required = price_filters.with_spot_only(required)
            types = prices.compatible(types, required, well_known)
        limit = command_rules.sum_of_prices(candidates)
        types, problem = price_filters.cheaper_than(types, required, limit, well_known)
        if problem:
            return None, f"Filtering by price: {problem}"
        if not types:
            return None, "Can't replace with a cheaper node"
        types = self._in_order(claim, types)
        if spot_to_spot and len(candidates) == 1:
            if len(types) < price_filters.SPOT_FLEXIBILITY:
                return None, (
                    f"SpotToSpotConsolidation requires {price_filters.SPOT_FLEXIBILITY} cheaper "
                    "instance type options than the current candidate to consolidate, got "
                    f"{len(types)}"
                )
            types = price_filters.cut_for_spot(types, required)
        elif not spot_to_spot and price_filters.is_flexible(claim):
            # The types were filtered by what they cost as spot nodes: so they must be spot nodes.
            required = price_filters.with_spot_only(required)
        narrowed = dataclasses.replace(claim, instance_types=types, requirements=required)
        return narrowed, ""

    def _in_order(
        self, claim: NewNodeClaim, remaining: Sequence[InstanceType]
    ) -> list[InstanceType]:
        """The remaining types where Go's sort leaves them: it sorts all of them twice."""
        types, options = claim.instance_types, self.context.snapshot.options(consolidating=True)
        is_sorted = prices.is_cut(types, claim.requirements, best_effort=options.is_best_effort)
        for _ in range(1 if is_sorted else 2):
            types = prices.order_by_price(types, claim.requirements, options.well_known)
        kept = set(remaining)
        return [each for each in types if each in kept]


def disabled(candidate: Candidate) -> str:
    """That consolidation is off in a NodePool; empty if it is not."""
    if consolidate_after_ns(candidate.node_pool) is not None:
        return ""
    return f'NodePool "{candidate.pool_name}" has consolidation disabled'


def by_savings(candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates that save most for each unit of disruption first, as Go sorts them."""
    return sort.in_order(candidates, lambda one, other: one.savings_ratio > other.savings_ratio)
