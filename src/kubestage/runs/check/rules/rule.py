"""What a rule is, and when a finding is new."""

from __future__ import annotations

import abc
import fnmatch
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import msgspec

from kubestage.errors import KubestageError
from kubestage.results.verdict.verdict import Finding, Severity

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.runs.check.side import Side
    from kubestage.runs.observer import Observer


class RuleSettings(
    msgspec.Struct, frozen=True, kw_only=True, rename="kebab", forbid_unknown_fields=True
):
    """What every rule can be set to."""

    severity: Severity = "error"
    except_: list[str] = msgspec.field(name="except", default_factory=list)
    """Objects that it does not apply to, as in ``deployment/kube-system/*``."""

    def problem(self) -> tuple[str, str] | None:
        """A key whose value cannot be used, and what is wrong with it."""
        return None


S = TypeVar("S", bound=RuleSettings)


class NotApplicable(KubestageError):
    """A rule does not apply to this cluster, and why."""


class RuleContext(NamedTuple):
    """What a rule looks at; there is no base if nothing was there before."""

    base: Side | None
    head: Side
    jobs: int | None
    observer: Observer


class Violation(NamedTuple):
    """Something on one side that breaks a rule; a larger amount is worse."""

    subject: str
    text: str
    amount: float
    shown: str = ""
    """The amount as people read it."""
    path: str | None = None
    """The field of the object that it is about."""
    topic: str = ""
    """Distinguishes violations of one rule by one object."""

    @property
    def key(self) -> tuple[str, str]:
        """What makes it the same violation on both sides."""
        return self.subject, self.topic


class Rule(abc.ABC, Generic[S]):
    """One rule with its settings."""

    name: ClassVar[str]
    Settings: ClassVar[type[RuleSettings]]
    is_default: ClassVar[bool] = False
    """Whether it applies unless it is switched off."""

    def __init__(self, settings: S) -> None:
        self.settings = settings

    @property
    def title(self) -> str:
        """What reports call it."""
        return self.name

    @property
    @abc.abstractmethod
    def about(self) -> str:
        """What it requires, in one sentence without a full stop."""

    @abc.abstractmethod
    def check(self, context: RuleContext) -> Iterable[Finding]:
        """What breaks the rule; `NotApplicable` if it cannot be applied."""

    def applies_to(self, subject: str) -> bool:
        """Whether an object is not excepted."""
        return not any(fnmatch.fnmatchcase(subject, each) for each in self.settings.except_)

    def finding(self, side: Side, violation: Violation, **more: Any) -> Finding:
        """A violation as a finding, with the place of its object."""
        place = side.place(violation.subject, violation.path)
        return Finding(
            rule=self.title,
            severity=self.settings.severity,
            subject=violation.subject,
            text=violation.text,
            file=place.file,
            line=place.line,
            **more,
        )


class OneSidedRule(Rule[S]):
    """A rule about one state of a cluster: what is as bad before the change is not new."""

    @abc.abstractmethod
    def violations(
        self, side: Side, context: RuleContext, only: frozenset[str] | None = None
    ) -> Iterable[Violation]:
        """What breaks the rule on a side.

        With `only`, how these objects fare, whether they break it or not: for a comparison.
        """

    def check(self, context: RuleContext) -> Iterator[Finding]:
        """The violations of the head, and whether each is worse than on the base."""
        found = [
            each for each in self.violations(context.head, context) if self.applies_to(each.subject)
        ]
        if not found:
            return
        before: dict[tuple[str, str], Violation] = {}
        if context.base is not None:
            # Only what breaks the rule now matters: the base of a good change is not looked at.
            only = frozenset(each.subject for each in found)
            before = {each.key: each for each in self.violations(context.base, context, only)}
        for each in found:
            known = before.get(each.key)
            shown = None if known is None else known.shown or None
            yield self.finding(
                context.head,
                each,
                is_new=known is None or each.amount > known.amount,
                before=shown,
                after=each.shown or None,
            )
