"""Nodes that have drifted are replaced, one at a time; prices do not matter."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.decisions import findings
from kubestage.controllers.karpenter.disruption import candidates as candidate_rules
from kubestage.controllers.karpenter.disruption import simulation
from kubestage.controllers.karpenter.disruption.command import Command
from kubestage.golang import sort

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.context import Context

DRIFTED: Final = "Drifted"


class OfDrift:
    """What the methods have in common that replace nodes because they have drifted."""

    reason = DRIFTED
    consolidation_type = ""
    is_eventual = True
    is_validated = False

    def __init__(self, context: Context) -> None:
        self._context = context

    def confirm(self, command: Command) -> Command | None:
        """Drift is not validated."""
        return command


class Drift(OfDrift):
    """Replaces what drifted first, nodes without pods before others."""

    def should_disrupt(self, candidate: Candidate) -> bool:
        """Whether a node has drifted, and its NodePool makes as many as pods need."""
        if not candidate.is_static and candidate.node.is_drifted:
            return True
        self._context.note([candidate], findings.DRIFT, findings.NOTHING)
        return False

    def propose(self, budgets: dict[str, int], candidates: Sequence[Candidate]) -> list[Command]:
        """A command for the first node whose pods have somewhere to go."""
        ordered = sort.in_order(candidates, lambda one, other: _since(one) < _since(other))
        for each in sorted(ordered, key=lambda candidate: bool(candidate.pods)):
            if budgets.get(each.pool_name, 0) == 0:
                text = f"the budgets of its NodePool allow no more nodes to go as {self.reason} now"
                self._context.note([each], findings.DRIFT, findings.BUDGET, text)
                continue
            found = simulation.simulate(self._context, [each], consolidating=False)
            if found is None:
                continue
            if not found.all_non_pending_pods_scheduled:
                problem = simulation.blocking_text(found)
                self._context.note([each], findings.DRIFT, findings.KEPT, problem)
                candidate_rules.publish_about(
                    each.node, candidate_rules.BLOCKED, problem, self._context.publish
                )
                continue
            claims = found.new_node_claims
            command = Command(self.reason, self.consolidation_type, [each], claims, found)
            self._context.note([each], findings.DRIFT, command.decision, command.text_for(each))
            return [command]
        return []


def _since(candidate: Candidate) -> int:
    return status.since_ns(candidate.node_claim, DRIFTED)
