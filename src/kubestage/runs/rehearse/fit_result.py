"""The answer to whether manifests would be placed now."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

import msgspec

from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs.rehearse import sections
from kubestage.runs.rehearse.findings import Finding, listed
from kubestage.runs.rehearse.result import Rehearsed
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.aliases import Json
    from kubestage.runs.fit import FitAdvice
    from kubestage.runs.rehearse.sections import Section

_PODS: Final = columns(pod=Kind.TEXT, node=Kind.TEXT, reason=Kind.TEXT)


class FittedPod(msgspec.Struct, frozen=True):
    """Where a new pod would go, or why nowhere."""

    pod: str
    node: str | None
    reason: str = ""


class FitResult(Rehearsed, frozen=True, kw_only=True):
    """Where new pods would go, and who would be preempted for them."""

    rehearsal: ClassVar[str] = "fit"
    VALUES: ClassVar[tuple[str, ...]] = ("missing", "preempted")

    pods: Sequence[FittedPod]
    preempted: Sequence[str] = ()
    missing: int = 0
    """How many pods have no node, or were not even created."""
    advice: Sequence[FitAdvice] = ()
    """What would make pods fit: of equal ones, of the first."""

    @property
    def fits(self) -> bool:
        """Whether every pod has a node."""
        return not self.missing

    def table(self) -> Table:
        """A row for each new pod."""
        rows: list[tuple[Any, ...]] = [(each.pod, each.node, each.reason) for each in self.pods]
        return Table(_PODS, rows)

    def details(self) -> Json:
        """Pods with their nodes, and those that had to go."""
        return {
            "fits": self.fits,
            "pods": msgspec.to_builtins(list(self.pods)),
            "missing": self.missing,
            "preempted": list(self.preempted),
            "advice": [each.to_dict() for each in self.advice],
        }

    def more_sections(self) -> list[Section]:
        """Where each pod would go; those without a node first."""
        ordered = sorted(self.pods, key=lambda each: each.node is not None)
        rows = [(each.pod, each.node or "<none>", each.reason) for each in ordered]
        # The pod is named once, for all lines about it.
        advice = [
            (each.key if number == 0 else "", line.strip())
            for each in self.advice
            for number, line in enumerate(each.lines())
        ]
        return [
            sections.section("Pods", ("POD", "NODE", "WHY NOT"), rows),
            sections.section("What would make it fit", ("POD", "WHAT"), advice),
        ]

    def values(self) -> dict[str, float]:
        """Numbers for conditions."""
        return {"missing": self.missing, "preempted": len(self.preempted)}


def sentence(subject: str, placed: int, missing: int, preempted: Sequence[str]) -> str:
    """Whether it fits, in one sentence."""
    cost = f", at the expense of {plural(len(preempted), 'pod')}" if preempted else ""
    if missing:
        total = placed + missing
        of = "its only pod" if total == 1 else f"{missing:,} of {total:,} pods"
        return f"{subject} does not fit: {of} would have no node{cost}."
    return f"{subject} fits: {plural(placed, 'pod')} would be placed now{cost}."


def findings_of(preempted: Sequence[str]) -> Iterator[Finding]:
    """What an operator has to know about it."""
    if preempted:
        yield Finding("warning", listed(preempted), "would be preempted")
