"""A run of the scheduler as a person or a program reads it."""

from __future__ import annotations

import collections
from typing import TYPE_CHECKING, Any, Final

from kubestage.cli import cost_line
from kubestage.objects import timestamps
from kubestage.objects.tables import text
from kubestage.results.packing import contents
from kubestage.runs import placements, workloads

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.runs.placements import Placement, Summary
    from kubestage.runs.run_result import ManifestsResult
    from kubestage.runs.workloads import Workload

_GROUPS: Final = 10
_NAMED: Final = 3
_ROWS: Final = 20
_HEADINGS: Final = ("NAMESPACE", "POD", "STATUS", "NODE", "ATTEMPTS")
_WIDE_HEADINGS: Final = ("PROFILE", "PRIORITY", "EVALUATED", "FEASIBLE", "MESSAGE")
# What happens in few runs has a column where it happens.
_RARE: Final = (placements.GATED, placements.FAILED, placements.PREEMPTED)


def as_table(result: ManifestsResult, *, wide: bool, shows_all: bool = False) -> str:
    """What is wrong first; then the workloads, the pods and a sum.

    Of many pods only those are listed that need attention, unless all are requested.
    """
    pods = sorted(result.placements, key=lambda each: each.status == placements.SCHEDULED)
    attention = [each for each in pods if each.status != placements.SCHEDULED]
    is_short = len(pods) <= _ROWS
    listed = pods if wide or shows_all or is_short else attention[:_ROWS]
    parts = [
        _attention(attention, len(pods), wide=wide),
        _workloads(result.workloads, is_short=is_short, shows_all=wide or shows_all),
        _pods(listed, len(pods), len(attention), wide=wide),
        [_sum(result.summary), *_cost(result)],
    ]
    return "\n".join("".join(f"{line}\n" for line in part) for part in parts if part)


def _attention(pods: Sequence[Placement], total: int, *, wide: bool) -> list[str]:
    """Which pods need attention and why; those for which it is the same, together."""
    if not pods:
        return []
    counts = collections.Counter(each.status for each in pods)
    listed = ", ".join(
        f"{counts[each]:,} {each.lower()}" for each in placements.NEEDS_ATTENTION if counts[each]
    )
    head = f"Attention: {listed} of {_counted(total, 'pod')}"
    if wide:
        return [head]
    groups: dict[str, list[str]] = {}
    for each in pods:
        groups.setdefault(each.message, []).append(each.key)
    lines = [f"{head} (--explain POD tells more):"]
    for message, keys in list(groups.items())[:_GROUPS]:
        more = len(keys) - _NAMED
        names = ", ".join(keys[:_NAMED]) + (f" and {more} more" if more > 0 else "")
        lines += [f"  {names}", f"    {message}"]
    if len(groups) > _GROUPS:
        lines.append(f"  and {len(groups) - _GROUPS} more reasons: -o wide shows all")
    return lines


def _workloads(found: Sequence[Workload], *, is_short: bool, shows_all: bool) -> list[str]:
    """A line for each workload; pods without an owner need none if they are listed anyway."""
    if is_short and all(each.name == workloads.NO_OWNER for each in found):
        return []
    rare = [each for each in _RARE if any(one.counts.get(each) for one in found)]
    columns = (placements.SCHEDULED, placements.PENDING, *rare)
    headings = ("NAMESPACE", "WORKLOAD", "DESIRED", *(each.upper() for each in columns), "NODES")
    shown = found if shows_all else found[:_ROWS]
    rows = [
        (
            each.namespace,
            each.name,
            "-" if each.desired is None else str(each.desired),
            *(str(each.counts.get(status, 0)) for status in columns),
            str(each.nodes),
        )
        for each in shown
    ]
    lines = [line.rstrip() for line in text.align([headings, *rows])]
    if len(shown) < len(found):
        lines.append(f"and {_counted(len(found) - len(shown), 'more workload')}: --all lists them")
    return lines


def _pods(listed: Sequence[Placement], total: int, attention: int, *, wide: bool) -> list[str]:
    headings: tuple[str, ...] = (*_HEADINGS, *_WIDE_HEADINGS) if wide else _HEADINGS
    cells = [headings, *(_cells(each, wide) for each in listed)]
    lines = [line.rstrip() for line in text.align(cells)] if listed else []
    if attention > len(listed):
        more = _counted(attention - len(listed), "more pod")
        lines.append(f"and {more} that need attention: --all lists them")
    elif total > len(listed):
        lines.append(f"{_counted(total - attention, 'scheduled pod')}: --all lists them")
    return lines


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"


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


def _sum(summary: Summary) -> str:
    counts = {status: number for status, number in summary.counts.items() if number}
    total = sum(counts.values())
    listed = ", ".join(f"{number:,} {status.lower()}" for status, number in counts.items())
    pods = f"{_counted(total, 'pod')}: {listed}." if total else "Nothing to schedule."
    shares = ", ".join(f"{name} {share:g}%" for name, share in summary.allocated.items())
    before = f" Running before: {summary.running_before}." if summary.running_before else ""
    used = f"Nodes used: {summary.nodes_used} of {summary.nodes}."
    return f"{pods}{before} {used} Allocated: {shares}."


def _cost(result: ManifestsResult) -> list[str]:
    if not contents.prices_of(result.stage.store):
        return []
    cost = cost_line.of_cluster(result.packing().costs)
    return [] if cost is None else [cost.sentence]


def as_dict(result: ManifestsResult) -> dict[str, Any]:
    """The run as data; docs/cli.md describes it."""
    data: dict[str, Any] = {
        "seed": result.seed,
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
            for each in result.placements
        ],
        "workloads": [
            {
                "namespace": each.namespace,
                "name": None if each.name == workloads.NO_OWNER else each.name,
                "desired": each.desired,
                **{status.lower(): each.counts.get(status, 0) for status in result.summary.counts},
                "nodes": each.nodes,
            }
            for each in result.workloads
        ],
        "summary": {
            **{status.lower(): number for status, number in result.summary.counts.items()},
            "runningBefore": result.summary.running_before,
            "nodes": result.summary.nodes,
            "nodesUsed": result.summary.nodes_used,
            "allocatedPercent": result.summary.allocated,
        },
        "packing": result.packing().to_dict(),
    }
    if result.decisions is not None:
        data["decisions"] = [
            {
                "number": each.number,
                "time": timestamps.format_micro_time(result.start_ns + each.at_ns),
                "pod": each.pod,
                "profile": each.profile,
                "result": each.result,
                "node": each.node or None,
                "evaluatedNodes": each.evaluated,
                "feasibleNodes": each.feasible,
                "message": each.message,
            }
            for each in result.decisions
        ]
    if result.explanations is not None:
        data["explanations"] = list(result.explanations)
    return data
