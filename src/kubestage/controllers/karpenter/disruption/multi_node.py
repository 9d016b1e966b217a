"""Multi-node consolidation: as many nodes as possible go at once, for at most one new one."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.controllers.karpenter.decisions import findings
from kubestage.controllers.karpenter.disruption import consolidation, price_filters, validation
from kubestage.controllers.karpenter.disruption.consolidation import Consolidation
from kubestage.controllers.karpenter.disruption.search_limit import SearchLimit

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.controllers.karpenter.disruption.balanced import Score
    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.command import Command

MOST: Final = 100
"""How many nodes are looked at together at most."""


class MultiNodeConsolidation(Consolidation):
    """Searches for the longest beginning of the list of candidates that can go."""

    consolidation_type = "multi"

    def propose(self, budgets: dict[str, int], candidates: Sequence[Candidate]) -> list[Command]:
        """One command for at least two nodes, within the budgets."""
        if self.is_consolidated:
            return []
        ordered = consolidation.by_savings(candidates)
        within, constrained = self.within_budgets(ordered, budgets)
        found = self._search(within)
        self._note(within, None if found is None else found[0])
        if found is None:
            if not constrained:
                self.mark_consolidated()
            return []
        command, scores = found
        self.evaluator.publish_scores(command, scores)
        return [command]

    def confirm(self, command: Command) -> Command | None:
        """The command if it still holds; it is dropped without a word if not, as upstream."""
        problem = validation.consolidation_problem(self.context, self, command)
        if problem:
            self.note_rejected(command.candidates, validation.SHOWN[problem])
        return None if problem else command

    def _search(
        self, candidates: Sequence[Candidate]
    ) -> tuple[Command, Mapping[str, Score]] | None:
        """Halve the range of lengths; a longer beginning that can go hides what is shorter."""
        if len(candidates) < 2:
            return None
        low, high = 1, MOST if len(candidates) > MOST else len(candidates) - 1
        found: Command | None = None
        rejected: Command | None = None
        scores: Mapping[str, Score] = {}
        limit = SearchLimit.of(self.context.settings, self.consolidation_type)
        while low <= high:
            middle = (low + high) // 2
            if not limit.allows_simulation():
                # What was found until then counts.
                self.problem = "the time for the search is up"
                rejected = None
                break
            command = self._sensible(candidates[: middle + 1])
            approved = None if command is None else self.evaluator.approve(command)
            if command is not None and approved is None:
                rejected = command
                self.problem = self.evaluator.rejection(command)
            if command is None or approved is None:
                high = middle - 1
                continue
            found, scores = command, approved
            low = middle + 1
        if found is not None:
            return found, scores
        if rejected is not None:
            # NodePools that would have approved say so, though others did not.
            self.evaluator.publish_scores(rejected, self.evaluator.scores(rejected))
        return None

    def _note(self, candidates: Sequence[Candidate], command: Command | None) -> None:
        """Which nodes go together, and why others do not."""
        if command is not None:
            self.note_command(command)
        gone = 0 if command is None else len(command.candidates)
        left = list(candidates)[gone:]
        if len(candidates) < 2:
            text = "it is the only node that could go, and it takes two"
        elif command is not None:
            text = f"only the first {gone} nodes by savings can go together: {self.problem}"
        else:
            text = f"no two or more nodes can go together: {self.problem}"
        self.context.note(left, self.consolidation_type, findings.KEPT, text)

    def _sensible(self, candidates: Sequence[Candidate]) -> Command | None:
        """The command for these nodes, unless it would bring back one of them."""
        command = self.compute(candidates)
        if command is None or not command.replacements:
            return command
        claim = command.replacements[0]
        types, problem = price_filters.without_same_type(
            claim, candidates, self.context.provider.well_known
        )
        if problem or not types:
            self.problem = "one of the nodes would come back, or one as expensive"
            return None
        narrowed = dataclasses.replace(claim, instance_types=types)
        return msgspec.structs.replace(command, replacements=[narrowed])
