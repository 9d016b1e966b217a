"""Scenarios that have run, as tables for a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.cli import cost_line, pending_reasons
from kubestage.objects.tables import text
from kubestage.results import analysis

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

    from kubestage.aliases import Json
    from kubestage.results.analysis import Digest, Summary


_STEPS: Final = 20
_COLUMNS: Final = (
    "step",
    "nodes",
    "created",
    "scheduled",
    "pending",
    "preempted",
    "finished",
    "deleted",
    "attempts",
)
_RESOURCES: Final = ("cpu", "memory")
# How a Scenario ends that has not done what it should.
_BROKEN: Final = ("Failed", "Unknown")
# What happens in few runs has a column where it happens.
_RARE: Final = frozenset({"preempted", "finished", "deleted"})


def as_table(scenarios: Iterable[Json], saved: Mapping[str, Path], *, wide: bool) -> str:
    """What came of each Scenario, step by step, and why pods are pending."""
    texts = [
        "".join(f"{line}\n" for line in _lines(each, _hint(each, saved), wide=wide))
        for each in scenarios
    ]
    return "\n".join(texts) + saved_in(saved)


def saved_in(saved: Mapping[str, Path]) -> str:
    """Where runs are saved."""
    return "".join(f"Kept in {path}: open {path / 'report.html'}\n" for path in saved.values())


def _hint(scenario: Json, saved: Mapping[str, Path]) -> str:
    """The command that explains why a pod has no node."""
    path = saved.get(scenario["metadata"]["name"])
    return "--explain POD" if path is None else f"`kubestage explain {path} POD`"


def _lines(scenario: Json, hint: str, *, wide: bool) -> Iterable[str]:
    name, status = scenario["metadata"]["name"], scenario.get("status") or {}
    phase = status.get("phase") or "Pending"
    digest = analysis.digest(scenario) if "scenarioResult" in status else None
    summary = None if digest is None else analysis.summary(digest)
    yield f"{name}: {phase if summary is None else outcome(phase, summary)}"
    if status.get("message"):
        yield f"  {status['message']}"
    if digest is None or summary is None:
        return
    yield from pending_reasons.lines(digest, hint)
    if digest.steps:
        yield ""
        yield from _steps(digest, wide=wide)
    yield ""
    yield _sum(summary)
    cost = cost_line.of_run(summary.packing)
    if cost is not None:
        yield cost.sentence


def outcome(phase: str, summary: Summary) -> str:
    """How a Scenario ended: what is left to do comes first, for Succeeded says nothing of pods."""
    alive = summary.scheduled + summary.finished + summary.pending + summary.gated
    counts = {"pending": summary.pending, "gated": summary.gated}
    waiting = [(f"{number:,}", what) for what, number in counts.items() if number]
    if not waiting:
        return phase
    (first, what), *rest = waiting
    text = f"{first} of {alive:,} pods {what}" if alive > 1 else f"1 pod {what}"
    text += "".join(f", {number} {other}" for number, other in rest)
    return f"{phase}, {text}" if phase in _BROKEN else f"{text} (Scenario {phase})"


def _steps(digest: Digest, *, wide: bool) -> list[str]:
    rates = {
        (row["step"], row["resource"]): row["rate"]
        for row in analysis.table(digest, "allocation").records()
    }
    rows = list(analysis.table(digest, "steps").records())
    columns = [name for name in _COLUMNS if name not in _RARE or any(row[name] for row in rows)]
    shown = rows if wide else rows[-_STEPS:]
    cells = [tuple(each.upper() for each in (*columns, *_RESOURCES))]
    for row in shown:
        values = (_shown(row[name]) for name in columns)
        shares = (_percent(rates.get((row["step"], each))) for each in _RESOURCES)
        cells.append((*values, *shares))
    lines = [line.rstrip() for line in text.align(cells)]
    if len(shown) < len(rows):
        lines.append(f"({len(rows) - len(shown)} steps before these: -o wide shows all)")
    return lines


def _shown(value: int | None) -> str:
    return "-" if value is None else str(value)


def _percent(rate: float | None) -> str:
    return "-" if rate is None else f"{100 * rate:.1f}%"


def _sum(summary: Summary) -> str:
    counts = {
        "pending": summary.pending,
        "gated": summary.gated,
        "scheduled": summary.scheduled,
        "finished": summary.finished,
        "preempted": summary.preempted,
        "deleted": summary.deleted,
    }
    listed = ", ".join(f"{number} {what}" for what, number in counts.items() if number)
    pods = f"{summary.pods} pod{'' if summary.pods == 1 else 's'}"
    used = f"Nodes used: {summary.nodes_used} of {summary.nodes}."
    shares = ", ".join(
        f"{name} {_percent(summary.resources[name].rate)}"
        for name in _RESOURCES
        if name in summary.resources
    )
    allocated = f" Allocated: {shares}." if shares else ""
    return f"{pods}{f': {listed}' if listed else ''}. {used}{allocated}"
