"""Whether a command still holds after a while: its nodes, the budgets, where the pods would go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.controllers.karpenter.disruption import budgets as budget_rules
from kubestage.controllers.karpenter.disruption import simulation
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.controllers.karpenter.disruption.candidates import Candidate
    from kubestage.controllers.karpenter.disruption.command import Command
    from kubestage.controllers.karpenter.disruption.context import Context
    from kubestage.controllers.karpenter.disruption.methods import Method

DELAY_NS: Final = 15 * SECOND_NS
"""How long after a command was computed it is validated."""

BUDGET: Final = "budget"
CHURN: Final = "churn"
SCHEDULING: Final = "scheduling"
SHOWN: Final = {
    BUDGET: "budgets do not allow it any more, or a node was promised to a pod",
    CHURN: "a node is no candidate any more",
    SCHEDULING: "its pods would go elsewhere than before",
}
"""The kinds of problems, in words."""


def budgets(context: Context, reason: str) -> dict[str, int]:
    """How many nodes of each NodePool may be disrupted now."""
    return budget_rules.remaining(
        context.nodes, context.node_pools, reason, context.now_ns, context.publish
    )


def within_budgets(
    candidates: Iterable[Candidate], allowed: dict[str, int]
) -> tuple[list[Candidate], bool]:
    """The first candidates that budgets allow, and whether any had to be left out."""
    kept = []
    constrained = False
    for each in candidates:
        if allowed.get(each.pool_name, 0) == 0:
            constrained = True
            continue
        kept.append(each)
        allowed[each.pool_name] -= 1
    return kept, constrained


def current_candidates(
    context: Context, method: Method, proposed: Sequence[Candidate]
) -> list[Candidate]:
    """The candidates of a command that are still ones, as they are now, in the nodes' order."""
    names = {each.name for each in proposed}
    return [
        each
        for each in context.snapshot.candidates(context.publish, is_eventual=False)
        if method.should_disrupt(each) and each.name in names
    ]


def consolidation_problem(context: Context, method: Method, command: Command) -> str:
    """Which kind of problem a command has run into; empty if it still holds."""
    problem, current = _candidates_problem(context, method, command.candidates)
    if problem:
        return problem
    if not _is_same_result(context, command, current):
        return SCHEDULING
    return _candidates_problem(context, method, current)[0]


def _candidates_problem(
    context: Context, method: Method, proposed: Sequence[Candidate]
) -> tuple[str, list[Candidate]]:
    current = current_candidates(context, method, proposed)
    if len(current) != len(proposed):
        return CHURN, []
    allowed = budgets(context, method.reason)
    for each in current:
        if each.node.nominated(context.now_ns) or allowed.get(each.pool_name, 0) == 0:
            return BUDGET, []
        allowed[each.pool_name] -= 1
    return "", current


def _is_same_result(context: Context, command: Command, current: Sequence[Candidate]) -> bool:
    """Whether the pods would still go to as many new nodes, which may have the same types."""
    found = simulation.simulate(context, current, consolidating=True)
    if found is None or not found.all_non_pending_pods_scheduled:
        return False
    claims = found.new_node_claims
    if len(claims) != len(command.replacements):
        return False
    return all(
        {each.name for each in replacement.instance_types}
        <= {each.name for each in claim.instance_types}
        for replacement, claim in zip(command.replacements, claims, strict=True)
    )
