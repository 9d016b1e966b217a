"""The answer of a rehearsal: sentences, tables, and all that was recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.notebook import TableResult
from kubestage.runs.rehearse import findings as findings_of
from kubestage.runs.rehearse import sections

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.results.history.history_file import HistoryBytes
    from kubestage.results.life.life import Life
    from kubestage.runs.rehearse.effects import Effects
    from kubestage.runs.rehearse.findings import Finding, Severity
    from kubestage.runs.rehearse.sections import Section

_WORKLOADS: Final = columns(
    workload=Kind.TEXT,
    desired=Kind.INT,
    readyLowest=Kind.INT,
    readyLowestAtSeconds=Kind.FLOAT,
    belowDesiredSeconds=Kind.FLOAT,
    readyAtEnd=Kind.INT,
)


class Rehearsed(TableResult, msgspec.Struct, frozen=True, kw_only=True):
    """What came of a rehearsal; a notebook shows its workloads."""

    rehearsal: ClassVar[str] = ""
    """Which one it was."""
    VALUES: ClassVar[tuple[str, ...]] = ()
    """The names of `values`."""

    cluster: str
    """Where the cluster came from."""
    subject: str
    """What it was about: nodes, a pool, workloads."""
    answer: str
    """The answer in one sentence."""
    seconds: float
    """How long the action took, from its start; what it left behind is in `effects`."""
    effects: Effects
    findings: Sequence[Finding] = ()
    """What an operator has to know, the worst first."""
    notes: Sequence[str] = ()
    life: Life
    """All that was recorded, from the start of the action."""
    history: HistoryBytes | None = None
    """Every change, if the rehearsal is kept: for ``kubestage open``."""
    condition: str | None = None
    """The condition of `RehearsalOptions.fail_if`."""
    has_failed: bool = False
    """Whether that condition holds."""

    @property
    def severity(self) -> Severity:
        """That of the worst finding; ``info`` if there is none."""
        return self.findings[0].severity if self.findings else "info"

    def headline(self) -> str:
        """The answer in one sentence."""
        return self.answer

    def lines(self) -> list[str]:
        """The answer, and a line for each finding."""
        return [
            self.answer,
            *(f"{each.severity}: {each.subject} {each.text}" for each in self.findings),
        ]

    def table(self) -> Table:
        """A row for each workload."""
        rows: list[tuple[Any, ...]] = [
            (
                each.workload,
                each.desired,
                each.ready_lowest,
                each.ready_lowest_at_seconds,
                each.below_desired_seconds,
                each.ready_at_end,
            )
            for each in self.effects.workloads
        ]
        return Table(_WORKLOADS, rows)

    def details(self) -> Json:
        """What only this kind of rehearsal has, as plain values."""
        return {}

    def values(self) -> dict[str, float]:
        """What only this kind of rehearsal has for conditions, by name."""
        return {}

    def sections(self) -> list[Section]:
        """All tables of the answer that have rows."""
        found = [sections.findings(self.findings), *self.more_sections()]
        found += [sections.workloads(self.effects), sections.costs(self.life.summary)]
        return [each for each in found if each.rows]

    def more_sections(self) -> list[Section]:
        """The tables that only this kind of rehearsal has."""
        return []

    def to_dict(self) -> Json:
        """The answer as plain values; docs/rehearse.md describes the fields."""
        found = {
            "rehearsal": self.rehearsal,
            "cluster": self.cluster,
            "subject": self.subject,
            "answer": self.answer,
            "severity": self.severity,
            "seconds": self.seconds,
            "findings": [msgspec.to_builtins(each) for each in self.findings],
            **self.details(),
            **msgspec.to_builtins(self.effects),
            "cost": sections.cost_values(self.life.summary),
            "notes": list(self.notes),
            "condition": self.condition,
            "failed": self.has_failed,
        }
        plain: Json = msgspec.json.decode(msgspec.json.encode(found))
        return plain


def sorted_findings(effects: Effects, more: Sequence[Finding]) -> list[Finding]:
    """Those of effects and others, the worst first."""
    return findings_of.by_severity([*more, *findings_of.of_effects(effects)])
