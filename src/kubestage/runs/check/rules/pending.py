"""No pod is newly pending."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from kubestage.runs.check.rules.rule import OneSidedRule, RuleSettings, Violation
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.runs.check.rules.rule import RuleContext
    from kubestage.runs.check.side import Side


class PendingSettings(RuleSettings, frozen=True, kw_only=True):
    """How many pods of a workload may wait."""

    most: int = 0


class PendingRule(OneSidedRule[PendingSettings]):
    """Workloads whose pods have no node, or are not even created."""

    name: ClassVar[str] = "pending"
    Settings = PendingSettings
    is_default = True

    @property
    def about(self) -> str:
        """What it requires."""
        if self.settings.most:
            return f"no workload has more than {plural(self.settings.most, 'pending pod')}"
        return "no pod is newly pending"

    def violations(
        self, side: Side, context: RuleContext, only: frozenset[str] | None = None
    ) -> Iterator[Violation]:
        """Workloads with pods that wait."""
        del context
        for name, each in side.workloads.items():
            if only is not None and name not in only:
                continue
            waiting = len(each.waiting)
            missing = 0
            if each.is_replicated and each.desired is not None:
                missing = max(each.desired - len(each.pods) - waiting, 0)
            number = waiting + missing
            if only is None and number <= self.settings.most:
                continue
            reason = each.waiting[0].reason if waiting else "no pod was created for it"
            total = max(each.desired or 0, len(each.pods) + number)
            text = f"{number:,} of {plural(total, 'pod')} {_have(number)} no node: {reason}"
            yield Violation(name, text, number, f"{number:,} pending")


def _have(number: int) -> str:
    return "has" if number == 1 else "have"
