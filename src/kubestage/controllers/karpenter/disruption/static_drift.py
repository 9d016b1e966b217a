"""Nodes of static NodePools that have drifted are replaced one by one, whatever runs there."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.karpenter import static_pools
from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.decisions import findings
from kubestage.controllers.karpenter.disruption.command import Command
from kubestage.controllers.karpenter.disruption.drift import DRIFTED, OfDrift
from kubestage.controllers.karpenter.scheduling import templates
from kubestage.controllers.karpenter.scheduling.results import NewNodeClaim, Results

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.controllers.karpenter.disruption.candidates import Candidate


class StaticDrift(OfDrift):
    """One command for each node, as many as budget and limit allow."""

    def should_disrupt(self, candidate: Candidate) -> bool:
        """Whether a node has drifted, and its NodePool has a fixed number of them."""
        return candidate.is_static and status.is_true(candidate.node_claim, DRIFTED)

    def propose(self, budgets: dict[str, int], candidates: Sequence[Candidate]) -> list[Command]:
        """The commands of all NodePools that are not too large at the moment."""
        by_pool: dict[str, list[Candidate]] = {}
        for each in candidates:
            by_pool.setdefault(each.pool_name, []).append(each)
        return [
            self._command(each)
            for name in sorted(by_pool)
            for each in by_pool[name][: self._most(by_pool[name], budgets.get(name, 0))]
        ]

    def _most(self, candidates: Sequence[Candidate], allowed: int) -> int:
        """How many nodes of a NodePool are replaced now."""
        node_pool = candidates[0].node_pool
        cluster = self._context.cluster
        active = static_pools.counts(cluster, candidates[0].pool_name).active
        if allowed == 0 or active > (static_pools.replicas(node_pool) or 0):
            return 0
        return static_pools.within_limit(cluster, node_pool, min(allowed, len(candidates)))

    def _command(self, candidate: Candidate) -> Command:
        claim = static_claim(candidate.node_pool)
        results = Results([claim])
        command = Command(self.reason, self.consolidation_type, [candidate], [claim], results)
        text = command.text_for(candidate)
        self._context.note([candidate], findings.DRIFT, command.decision, text)
        return command


def static_claim(node_pool: Json) -> NewNodeClaim:
    """A new node of a static NodePool: which type it has is left to the provider."""
    return NewNodeClaim(node_pool, templates.requirements_of(node_pool), [], [], {}, False)
