"""Disruption budgets let drains go on.

Nodes are drained on copies of the cluster, each by itself, by the rules of ``kubectl drain``.
"""

from __future__ import annotations

import functools
import math
from typing import TYPE_CHECKING, ClassVar, Final

from kubestage.errors import InputError
from kubestage.objects import labels
from kubestage.results.life import wording
from kubestage.results.verdict.verdict import Severity  # noqa: TC001 - msgspec reads it
from kubestage.runs.check.rules.rule import NotApplicable, OneSidedRule, RuleSettings, Violation
from kubestage.runs.rehearse import draining, forks, spans, stage_copies
from kubestage.runs.rehearse.cluster import Cluster
from kubestage.runs.rehearse.drain_rules import DrainRules
from kubestage.runs.rehearse.draining import DrainPlan
from kubestage.runs.rehearse.node_drain import DrainSettings
from kubestage.runs.rehearse.stage_copies import StageCopies
from kubestage.units import SECOND_NS
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.runs.check.rules.rule import RuleContext
    from kubestage.runs.check.side import Side
    from kubestage.runs.rehearse.drain_result import BlockedPod
    from kubestage.stage import Stage

_BUDGET: Final = ("policy/v1", "PodDisruptionBudget")
_RULES: Final = DrainRules(force=True, ignore_daemonsets=True, delete_emptydir_data=True)


class BudgetsSettings(RuleSettings, frozen=True, kw_only=True):
    """For how long a budget may block a drain."""

    severity: Severity = "error"
    longest: str = "5m"
    drains: int = 20
    """At most so many nodes are drained, those with the most pods of each budget first."""

    def problem(self) -> tuple[str, str] | None:
        """A key whose value cannot be used."""
        try:
            spans.parse(self.longest, "longest")
        except InputError as error:
            return "longest", error.problem
        return ("drains", "is below one") if self.drains < 1 else None


class BudgetsRule(OneSidedRule[BudgetsSettings]):
    """Budgets that refuse evictions for too long, or for good."""

    name: ClassVar[str] = "budgets"
    Settings = BudgetsSettings
    is_default = True

    @property
    def about(self) -> str:
        """What it requires."""
        return f"no disruption budget blocks a drain for longer than {self.settings.longest}"

    def violations(
        self, side: Side, context: RuleContext, only: frozenset[str] | None = None
    ) -> Iterator[Violation]:
        """The budgets that blocked for too long, with the longest time."""
        nodes = _nodes(side, self.settings.drains, only)
        if not nodes:
            if side is context.head and not side.stage.store.read(_BUDGET):
                raise NotApplicable("there is no disruption budget")
            return
        limit = spans.parse(self.settings.longest, "longest") / SECOND_NS
        worst: dict[str, list[BlockedPod]] = {}
        for blocked in _drained(side, nodes, context):
            for each in blocked:
                worst.setdefault(each.budget, []).append(each)
        for budget, pods in worst.items():
            longest = max(pods, key=_seconds)
            if not budget or (only is None and _seconds(longest) <= limit):
                continue
            how_long = "for good" if longest.is_for_good else f"for {wording.span(longest.seconds)}"
            names = [each.pod for each in pods if each.node == longest.node]
            what = f"blocks the drain of node {longest.node} {how_long}"
            text = f"{what}: {few(names)} ({longest.reason})"
            yield Violation(f"poddisruptionbudget/{budget}", text, _seconds(longest), how_long)


def _seconds(blocked: BlockedPod) -> float:
    return math.inf if blocked.is_for_good else blocked.seconds


def _nodes(side: Side, most: int, only: frozenset[str] | None) -> list[str]:
    """Nodes with pods of budgets: of each budget that with the most pods, then the next ones."""
    orders = []
    for key, budget in side.stage.store.read(_BUDGET).items():
        if only is not None and f"poddisruptionbudget/{key}" not in only:
            continue
        namespace = key.partition("/")[0]
        selector = labels.from_label_selector((budget.get("spec") or {}).get("selector"))
        counts: dict[str, int] = {}
        for pod in side.pods:
            metadata = pod["metadata"]
            node = pod["spec"].get("nodeName")
            if (
                node
                and metadata["namespace"] == namespace
                and selector.matches(metadata.get("labels") or {})
            ):
                counts[node] = counts.get(node, 0) + 1
        orders.append(sorted(counts, key=lambda node: (-counts[node], node)))
    found: dict[str, None] = {}
    for turn in range(max(map(len, orders), default=0)):
        for order in orders:
            if turn < len(order) and len(found) < most:
                found.setdefault(order[turn])
    return list(found)


def _drained(
    side: Side, nodes: Sequence[str], context: RuleContext
) -> Iterator[Sequence[BlockedPod]]:
    """The pods that were in the way of each drain, which takes place on a copy."""
    stage = side.stage
    works = [functools.partial(_drain, stage, node) for node in nodes]
    jobs = context.jobs or forks.possible()
    may_fork = forks.is_supported() if context.jobs else not stage_copies.is_small(stage)
    found: dict[int, Sequence[BlockedPod]] = {}
    with context.observer.progress("rehearsing drains", len(nodes), noticeable=2) as advance:
        if jobs > 1 and may_fork:
            found = forks.results(works, jobs, lambda done, at: advance(done, f"drain {nodes[at]}"))
        copies: StageCopies | None = None
        for at, node in enumerate(nodes):
            if at not in found:
                advance(at, f"drain {node}")
                copies = copies or StageCopies(stage)
                found[at] = _drain(copies.one_more(), node)
            yield found[at]


def _drain(stage: Stage, node: str) -> Sequence[BlockedPod]:
    plan = DrainPlan(nodes=[node], subject=f"node {node}", settings=DrainSettings(rules=_RULES))
    return draining.rehearse(Cluster(stage, ""), plan).blocked
