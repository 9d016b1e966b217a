"""How many nodes are used."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from kubestage.runs.check.rules import amounts
from kubestage.runs.check.rules.rule import Rule, RuleSettings, Violation
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.verdict.verdict import Finding
    from kubestage.runs.check.rules.rule import RuleContext

_SUBJECT: Final = "cluster"


class NodesSettings(RuleSettings, frozen=True, kw_only=True):
    """How many nodes may be used."""

    most: int | None = None
    increase: float | int | str = 0
    """How many more than before: a number, or a share as in ``5%``."""

    def problem(self) -> tuple[str, str] | None:
        """A key whose value cannot be used."""
        wrong = amounts.problem(self.increase)
        return None if wrong is None else ("increase", wrong)


class NodesRule(Rule[NodesSettings]):
    """Nodes that run more than pods of DaemonSets."""

    name: ClassVar[str] = "nodes"
    Settings = NodesSettings

    @property
    def about(self) -> str:
        """What it requires."""
        more = "no more nodes than before are used"
        if self.settings.increase:
            more = f"at most {amounts.text(self.settings.increase)} more nodes than before are used"
        most = "" if self.settings.most is None else f", and no more than {self.settings.most}"
        return f"{more}{most}"

    def check(self, context: RuleContext) -> Iterator[Finding]:
        """The nodes that the head uses, compared with the limit and with the base."""
        now = len(context.head.used_nodes)
        before = None if context.base is None else len(context.base.used_nodes)
        shown = None if before is None else plural(before, "node")
        after = plural(now, "node")
        most = self.settings.most
        if most is not None and now > most:
            violation = Violation(_SUBJECT, f"more than {plural(most, 'node')} are used", now)
            is_new = before is None or before < now
            yield self.finding(context.head, violation, before=shown, after=after, is_new=is_new)
        if before is not None and now > before + amounts.of(self.settings.increase, before):
            violation = Violation(_SUBJECT, f"{plural(now - before, 'more node')} in use", now)
            yield self.finding(context.head, violation, before=shown, after=after)
