"""Nodes on which no pod costs anything to move are deleted, all at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.decisions import findings
from kubestage.controllers.karpenter.disruption import consolidation, validation
from kubestage.controllers.karpenter.disruption.command import Command
from kubestage.controllers.karpenter.disruption.consolidation import Consolidation
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate

EMPTY: Final = "Empty"


class Emptiness(Consolidation):
    """Deletes empty nodes, whatever the consolidation policy."""

    reason = EMPTY
    consolidation_type = "empty"

    def should_disrupt(self, candidate: Candidate) -> bool:
        """Whether a node is empty, and has been for long enough."""
        if candidate.is_static:
            return False
        problem = consolidation.disabled(candidate)
        if problem:
            self.explain(candidate, problem)
            return False
        if not candidate.is_empty:
            pods = plural(len(candidate.pods), "pod")
            text = f"{pods} would have to move"
            self.context.note([candidate], self.consolidation_type, findings.NOT_EMPTY, text)
            return False
        return self.is_consolidatable(candidate)

    def propose(self, budgets: dict[str, int], candidates: Sequence[Candidate]) -> list[Command]:
        """One command for as many nodes as the budgets allow."""
        if self.is_consolidated:
            return []
        within, constrained = self.within_budgets(consolidation.by_savings(candidates), budgets)
        if within:
            command = Command(self.reason, self.consolidation_type, within)
            self.note_command(command)
            return [command]
        if not constrained:
            self.mark_consolidated()
        return []

    def confirm(self, command: Command) -> Command | None:
        """The command without the nodes that are no longer empty or allowed."""
        now_ns = self.context.now_ns
        current = validation.current_candidates(self.context, self, command.candidates)
        within: list[Candidate] = []
        # Budgets are not looked at, nor complained about, for nothing.
        if current:
            within, _ = validation.within_budgets(
                [each for each in current if not each.node.nominated(now_ns)],
                validation.budgets(self.context, self.reason),
            )
        kept = {each.name for each in within}
        lost = [each for each in command.candidates if each.name not in kept]
        self.note_rejected(lost, "it is no longer empty, or its budget is used up")
        if not within:
            return None
        return Command(self.reason, self.consolidation_type, within)
