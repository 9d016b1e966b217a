"""What came of a check: rules with their findings, and figures side by side."""

from __future__ import annotations

from typing import Final, Literal

import msgspec

Severity = Literal["error", "warning", "note"]
SEVERITIES: Final[tuple[Severity, ...]] = ("error", "warning", "note")
"""The worst first; the words are those of SARIF."""

State = Literal["failed", "warning", "passed", "skipped"]


class Finding(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One object that breaks a rule."""

    rule: str
    subject: str
    """As in ``deployment/shop/web``."""
    text: str
    severity: Severity = "error"
    file: str | None = None
    """Where the object is written, if that is known."""
    line: int | None = None
    before: str | None = None
    """What was there before the change; None if that is not known."""
    after: str | None = None
    is_new: bool = True
    """Whether the change is to blame: what was as bad before is not new."""

    @property
    def place(self) -> str:
        """``deploy/web.yaml:12``; empty if it is not known."""
        return ":".join(str(part) for part in (self.file, self.line) if part is not None)


class CheckedRule(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """A rule, and what breaks it."""

    name: str
    about: str
    """What it requires, in one sentence without a full stop."""
    findings: list[Finding] = []
    skipped: str = ""
    """Why it could not be applied; empty if it was."""
    is_strict: bool = False
    """Whether everything counts: warnings, and what was as bad before."""

    @property
    def failures(self) -> list[Finding]:
        """The findings that count."""
        if self.is_strict:
            return [each for each in self.findings if each.severity != "note"]
        return [each for each in self.findings if each.is_new and each.severity == "error"]

    @property
    def state(self) -> State:
        """Whether it was broken in a way that counts; a warning if by warnings alone."""
        if self.skipped:
            return "skipped"
        if self.failures:
            return "failed"
        warns = any(each.is_new and each.severity == "warning" for each in self.findings)
        return "warning" if warns else "passed"


class Figure(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """One number of every side, the first of which is what the others are measured by."""

    name: str
    values: list[float | int | None]
    shown: list[str]
    """The values as people read them."""
    better: Literal["more", "less"] | None = None
    worse: list[bool] = []
    """Which sides are worse than the first."""
    shares: list[float | None] | None = None
    """The values as shares of a whole, if they are: a bar is drawn of each."""


class Histogram(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """How many of something are in each class, on every side."""

    title: str
    classes: list[str]
    counts: list[list[int]]
    """For each side, the count of each class."""


class Verdict(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """All that a check has to report."""

    title: str
    answer: str
    """In one sentence."""
    sides: list[str]
    """What the sides are called; the first is what the others are measured by."""
    rules: list[CheckedRule]
    figures: list[Figure] = []
    histograms: list[Histogram] = []
    notes: list[str] = []

    @property
    def has_failed(self) -> bool:
        """Whether any rule was broken in a way that counts."""
        return any(each.state == "failed" for each in self.rules)

    def findings(self) -> list[Finding]:
        """All findings: those that count first, then by severity."""
        counted = {id(each) for rule in self.rules for each in rule.failures}
        found = [each for rule in self.rules for each in rule.findings]
        return sorted(
            found,
            key=lambda each: (
                id(each) not in counted,
                not each.is_new,
                SEVERITIES.index(each.severity),
            ),
        )
