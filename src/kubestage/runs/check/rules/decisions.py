"""Pods are where they were."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, ClassVar

from kubestage.runs.check.rules.rule import NotApplicable, Rule, RuleSettings, Violation
from kubestage.wording import few, plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.verdict.verdict import Finding
    from kubestage.runs.check.rules.rule import RuleContext


class DecisionsSettings(RuleSettings, frozen=True, kw_only=True):
    """How many pods may be elsewhere."""

    moved: int = 0


class DecisionsRule(Rule[DecisionsSettings]):
    """Workloads of both sides whose pods are on other nodes; pods of one workload are alike."""

    name: ClassVar[str] = "decisions"
    Settings = DecisionsSettings

    @property
    def about(self) -> str:
        """What it requires."""
        if not self.settings.moved:
            return "no pod is on another node than before"
        return f"at most {plural(self.settings.moved, 'pod')} are on other nodes than before"

    def check(self, context: RuleContext) -> Iterator[Finding]:
        """Workloads with pods elsewhere, if they are too many in all."""
        if context.base is None:
            raise NotApplicable("there is nothing before the change")
        found = []
        total = 0
        for name, now in context.head.workloads.items():
            before = context.base.workloads.get(name)
            if before is None or not self.applies_to(name):
                continue
            old, new = collections.Counter(before.nodes), collections.Counter(now.nodes)
            moved = min(old.total(), new.total()) - (old & new).total()
            if moved:
                total += moved
                found.append(
                    (name, moved, sorted((old - new).elements()), sorted((new - old).elements()))
                )
        if total <= self.settings.moved:
            return
        for name, moved, old_nodes, new_nodes in found:
            text = f"{plural(moved, 'pod')} on {'another node' if moved == 1 else 'other nodes'}"
            violation = Violation(name, text, moved)
            yield self.finding(context.head, violation, before=few(old_nodes), after=few(new_nodes))
