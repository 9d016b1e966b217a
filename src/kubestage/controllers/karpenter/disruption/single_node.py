"""Single-node consolidation: the first node that can go, or be replaced by a cheaper one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter.decisions import findings
from kubestage.controllers.karpenter.disruption import consolidation, validation
from kubestage.controllers.karpenter.disruption.command import Command
from kubestage.controllers.karpenter.disruption.consolidation import Consolidation
from kubestage.controllers.karpenter.disruption.search_limit import SearchLimit

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.context import Context


class SingleNodeConsolidation(Consolidation):
    """Looks at one node after the other, taking turns among NodePools."""

    consolidation_type = "single"

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._unseen: set[str] = set()

    def propose(self, budgets: dict[str, int], candidates: Sequence[Candidate]) -> list[Command]:
        """A command for one node."""
        if self.is_consolidated:
            return []
        constrained = False
        ordered = _interwoven(consolidation.by_savings(candidates), self._unseen)
        limit = SearchLimit.of(self.context.settings, self.consolidation_type)
        unseen = {each.pool_name for each in ordered}
        for at, each in enumerate(ordered):
            if limit.is_over:
                self._unseen = unseen
                self._note_unseen(ordered[at:])
                return []
            unseen.discard(each.pool_name)
            if budgets.get(each.pool_name, 0) == 0:
                constrained = True
                self.note_budget([each])
                continue
            command = self._command_for(each, limit)
            if command is not None:
                self.note_command(command)
                return [command]
        self._unseen = unseen
        if not constrained:
            self.mark_consolidated()
        return []

    def confirm(self, command: Command) -> Command | None:
        """The command if it still holds; if not, an event says so and the round goes on."""
        problem = validation.consolidation_problem(self.context, self, command)
        if not problem:
            return command
        self.note_rejected(command.candidates, validation.SHOWN[problem])
        context = self.context
        command.publish_rejected(context.publish, context.provider.well_known, problem)
        return None

    def _command_for(self, candidate: Candidate, limit: SearchLimit) -> Command | None:
        """The command for a node, if there is one that is worth it."""
        if not self.evaluator.can_pass(candidate):
            alone = Command(self.reason, self.consolidation_type, [candidate])
            text = f"even without a new node: {self.evaluator.rejection(alone)}"
            self.context.note([candidate], self.consolidation_type, findings.SCORE, text)
            return None
        limit.count_simulation()
        command = self.compute([candidate])
        if command is None or self.evaluator.approve(command) is not None:
            return command
        text = f"{command.text_for(candidate)}: {self.evaluator.rejection(command)}"
        self.context.note([candidate], self.consolidation_type, findings.SCORE, text)
        return None

    def _note_unseen(self, candidates: Sequence[Candidate]) -> None:
        text = "the time for the search is up; NodePools not looked at come first next time"
        self.context.note(candidates, self.consolidation_type, findings.TIMEOUT, text)


def _interwoven(candidates: Sequence[Candidate], first: Collection[str]) -> list[Candidate]:
    """The best of each NodePool, then the second of each and so on.

    NodePools go by name, those of which none was looked at the last time `first`.
    """
    by_pool: dict[str, list[Candidate]] = {}
    for each in candidates:
        by_pool.setdefault(each.pool_name, []).append(each)
    ranked = [
        ((rank, name not in first, name), each)
        for name, of_pool in by_pool.items()
        for rank, each in enumerate(of_pool)
    ]
    ranked.sort(key=lambda row: row[0])
    return [each for _, each in ranked]
