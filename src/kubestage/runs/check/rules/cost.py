"""What nodes cost per hour."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from kubestage.results.packing import wording
from kubestage.runs.check.rules import amounts
from kubestage.runs.check.rules.rule import NotApplicable, Rule, RuleSettings, Violation

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.verdict.verdict import Finding
    from kubestage.runs.check.rules.amounts import Amount
    from kubestage.runs.check.rules.rule import RuleContext

_SUBJECT: Final = "cluster"
# Sums of prices.
_TOLERANCE: Final = 1e-9


class CostSettings(RuleSettings, frozen=True, kw_only=True):
    """How much nodes may cost."""

    most: float | None = None
    """Per hour, in the currency of the prices."""
    increase: float | int | str = 0
    """By how much more than before: an amount per hour, or a share as in ``5%``."""

    def problem(self) -> tuple[str, str] | None:
        """A key whose value cannot be used."""
        for name, value in (("most", self.most), ("increase", self.increase)):
            wrong = amounts.problem(value)
            if wrong is not None:
                return name, wrong
        return None


class CostRule(Rule[CostSettings]):
    """All nodes together, those that an autoscaler adds included."""

    name: ClassVar[str] = "cost"
    Settings = CostSettings

    @property
    def about(self) -> str:
        """What it requires."""
        most = (
            ""
            if self.settings.most is None
            else f"at most {wording.number(self.settings.most)}, and "
        )
        return f"nodes cost {most}{_no_more(self.settings.increase)} per hour than before"

    def check(self, context: RuleContext) -> Iterator[Finding]:
        """The cost of the head, compared with the limit and with the base."""
        costs = context.head.packing.costs
        if costs.cluster_cost is None:
            raise NotApplicable("no node has a price: name prices in [cluster]")
        now, before = costs.cluster_cost, None
        if context.base is not None:
            before = context.base.packing.costs.cluster_cost
        shown = None if before is None else wording.money(before, costs.currency)
        after = wording.money(now, costs.currency)
        if self.settings.most is not None and now > self.settings.most + _TOLERANCE:
            limit = wording.money(self.settings.most, costs.currency)
            violation = Violation(_SUBJECT, f"nodes cost more than {limit} per hour", now)
            is_new = before is None or before < now - _TOLERANCE
            yield self.finding(context.head, violation, before=shown, after=after, is_new=is_new)
        if before is None:
            return
        allowed = amounts.of(self.settings.increase, before)
        if now > before + allowed + _TOLERANCE:
            more = wording.money(now - before, costs.currency)
            text = f"nodes cost {more} per hour more"
            violation = Violation(_SUBJECT, text, now)
            yield self.finding(context.head, violation, before=shown, after=after)


def _no_more(increase: Amount) -> str:
    return f"{amounts.text(increase)} more at most" if increase else "no more"
