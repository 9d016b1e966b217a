"""A run of the scheduler as a person or a program reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import placements
from kubestage.objects import timestamps
from kubestage.objects.tables import text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.cli.placements import Placement, Summary
    from kubestage.cli.running import Outcome

_GROUPS: Final = 10
_NAMED: Final = 3
_HEADINGS: Final = ("NAMESPACE", "POD", "STATUS", "NODE", "ATTEMPTS")
_WIDE_HEADINGS: Final = ("PROFILE", "PRIORITY", "EVALUATED", "FEASIBLE", "MESSAGE")


def as_table(outcome: Outcome, *, wide: bool) -> str:
    """One line per pod, why some are pending, and a sum."""
    lines: list[str] = []
    if outcome.pods:
        headings: tuple[str, ...] = (*_HEADINGS, *_WIDE_HEADINGS) if wide else _HEADINGS
        cells = [headings, *(_cells(each, wide) for each in outcome.pods)]
        lines += [line.rstrip() for line in text.align(cells)]
        lines.append("")
    without = [each for each in outcome.pods if each.status != placements.SCHEDULED]
    if without and not wide:
        lines += [*_reasons(without), ""]
    lines.append(_sum(outcome.summary))
    return "".join(f"{line}\n" for line in lines)


def _cells(each: Placement, wide: bool) -> tuple[str, ...]:
    cells: tuple[str, ...] = (
        each.namespace,
        each.name,
        each.status,
        each.node or "<none>",
        str(each.attempts),
    )
    if wide:
        numbers = (str(each.priority), str(each.evaluated), str(each.feasible))
        cells += (each.profile, *numbers, each.message)
    return cells


def _reasons(pods: Sequence[Placement]) -> Iterable[str]:
    """Why pods have no node; those for which it is the same, together."""
    groups: dict[str, list[str]] = {}
    for each in pods:
        groups.setdefault(each.message, []).append(each.key)
    lines = ["Without a node (--explain POD tells more):"]
    for message, keys in list(groups.items())[:_GROUPS]:
        more = len(keys) - _NAMED
        names = ", ".join(keys[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        lines += [f"  {names}", f"    {message}"]
    if len(groups) > _GROUPS:
        lines.append(f"  and {len(groups) - _GROUPS} more reasons: -o wide shows all")
    return lines


def _sum(summary: Summary) -> str:
    counts = {status: number for status, number in summary.counts.items() if number}
    total = sum(counts.values())
    told = ", ".join(f"{number} {status.lower()}" for status, number in counts.items())
    pods = f"{total} pod{'' if total == 1 else 's'}: {told}." if total else "Nothing to schedule."
    shares = ", ".join(f"{name} {share:g}%" for name, share in summary.allocated.items())
    before = f" Running before: {summary.running_before}." if summary.running_before else ""
    used = f"Nodes used: {summary.nodes_used} of {summary.nodes}."
    return f"{pods}{before} {used} Allocated: {shares}."


def as_dict(outcome: Outcome) -> dict[str, Any]:
    """The run as data; docs/cli.md describes it."""
    told: dict[str, Any] = {
        "seed": outcome.seed,
        "pods": [
            {
                "namespace": each.namespace,
                "name": each.name,
                "status": each.status,
                "node": each.node or None,
                "profile": each.profile,
                "priority": each.priority,
                "attempts": each.attempts,
                "evaluatedNodes": each.evaluated,
                "feasibleNodes": each.feasible,
                "message": each.message,
            }
            for each in outcome.pods
        ],
        "summary": {
            **{status.lower(): number for status, number in outcome.summary.counts.items()},
            "runningBefore": outcome.summary.running_before,
            "nodes": outcome.summary.nodes,
            "nodesUsed": outcome.summary.nodes_used,
            "allocatedPercent": outcome.summary.allocated,
        },
    }
    if outcome.decisions is not None:
        told["decisions"] = [
            {
                "number": each.number,
                "time": timestamps.format_micro_time(outcome.start_ns + each.at_ns),
                "pod": each.pod,
                "profile": each.profile,
                "result": each.result,
                "node": each.node or None,
                "evaluatedNodes": each.evaluated,
                "feasibleNodes": each.feasible,
                "message": each.message,
            }
            for each in outcome.decisions
        ]
    if outcome.explanations is not None:
        told["explanations"] = list(outcome.explanations)
    return told
