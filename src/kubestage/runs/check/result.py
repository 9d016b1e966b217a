"""The answer of ``kubestage check``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.verdict.verdict import Verdict  # noqa: TC001 - msgspec reads it
from kubestage.runs.notebook import TableResult

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.verdict.verdict import Finding

_COLUMNS: Final = columns(
    severity=Kind.TEXT,
    rule=Kind.TEXT,
    object=Kind.TEXT,
    finding=Kind.TEXT,
    before=Kind.TEXT,
    after=Kind.TEXT,
    file=Kind.TEXT,
    line=Kind.INT,
    new=Kind.INT,
)


class CheckResult(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on a change; a notebook shows its findings."""

    verdict: Verdict

    @property
    def has_failed(self) -> bool:
        """Whether any rule was broken in a way that counts."""
        return self.verdict.has_failed

    @property
    def findings(self) -> list[Finding]:
        """All findings, those that count first."""
        return self.verdict.findings()

    @property
    def answer(self) -> str:
        """The verdict in one sentence."""
        return self.verdict.answer

    def headline(self) -> str:
        """The verdict in one sentence."""
        return self.answer

    def table(self) -> Table:
        """A row for each finding."""
        rows: list[tuple[Any, ...]] = [
            (
                each.severity,
                each.rule,
                each.subject,
                each.text,
                each.before,
                each.after,
                each.file,
                each.line,
                int(each.is_new),
            )
            for each in self.findings
        ]
        return Table(_COLUMNS, rows)

    def to_dict(self) -> Json:
        """The verdict as plain values; docs/check.md describes the fields."""
        verdict = self.verdict
        return {
            "answer": verdict.answer,
            "failed": verdict.has_failed,
            "sides": verdict.sides,
            "rules": [
                {
                    "name": each.name,
                    "about": each.about,
                    "state": each.state,
                    "skipped": each.skipped or None,
                    "findings": [msgspec.to_builtins(one) for one in each.findings],
                }
                for each in verdict.rules
            ],
            "figures": [msgspec.to_builtins(each) for each in verdict.figures],
            "histograms": [msgspec.to_builtins(each) for each in verdict.histograms],
            "notes": list(verdict.notes),
        }
