"""The tables of an answer, the same on a terminal, in Markdown and on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.life import wording
from kubestage.results.packing import wording as money

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.runs.rehearse.drain_result import BlockedPod, DrainedNode
    from kubestage.runs.rehearse.effects import Effects
    from kubestage.runs.rehearse.findings import Finding

MOST_ROWS: Final = 20


class Section(msgspec.Struct, frozen=True):
    """One table with its title."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    more: int = 0
    """How many rows are left out; ``-o json`` has all."""


def section(title: str, head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Section:
    """A table of no more rows than people read."""
    return Section(title, head, list(rows[:MOST_ROWS]), max(len(rows) - MOST_ROWS, 0))


def findings(found: Sequence[Finding]) -> Section:
    """What an operator has to know."""
    rows = [(each.severity, each.subject, each.text) for each in found]
    return section("Findings", ("SEVERITY", "SUBJECT", "FINDING"), rows)


def workloads(effects: Effects) -> Section:
    """The workloads that lost replicas, those that were below desired the longest first."""
    below = [each for each in effects.workloads if each.lost_seconds]
    below.sort(key=lambda each: -each.below_desired_seconds)
    rows = [
        (
            each.workload,
            str(each.desired),
            str(each.ready_lowest),
            "-"
            if each.ready_lowest_at_seconds is None
            else wording.span(each.ready_lowest_at_seconds),
            wording.span(each.below_desired_seconds),
            str(each.ready_at_end),
        )
        for each in below
    ]
    head = ("WORKLOAD", "DESIRED", "LOWEST", "AT", "BELOW DESIRED", "AT END")
    return section("Ready replicas", head, rows)


def cost_values(summary: Json) -> Json | None:
    """What nodes cost per hour and in all; None without prices."""
    costs = summary.get("costs")
    if costs is None:
        return None
    rates = {name: costs[name] for name in ("perHourAtStart", "perHourHighest", "perHourAtEnd")}
    return {"currency": summary["currency"], **rates, "total": summary["cost"]}


def costs(summary: Json) -> Section:
    """What nodes cost before, at most and after; no rows if that does not change."""
    found = cost_values(summary)
    names = {"before": "perHourAtStart", "at most": "perHourHighest", "after": "perHourAtEnd"}
    rows: list[tuple[str, ...]] = []
    if found is not None and len({found[field] for field in names.values()}) > 1:
        rows = [
            (name, money.money(found[field], found["currency"])) for name, field in names.items()
        ]
    return section("Cost of all nodes", ("WHEN", "PER HOUR"), rows)


def nodes(found: Sequence[DrainedNode]) -> Section:
    """How the drain of each node went; those that failed first."""
    ordered = sorted(found, key=lambda each: each.is_drained)
    rows = [
        (
            each.node,
            "yes" if each.is_drained else "no",
            wording.span(each.from_seconds),
            wording.span(each.seconds),
            str(each.evicted),
        )
        for each in ordered
    ]
    return section("Nodes", ("NODE", "DRAINED", "FROM", "TOOK", "EVICTED"), rows)


def blocked(found: Sequence[BlockedPod]) -> Section:
    """Which budgets refused to evict which pods."""
    rows = [
        (
            each.budget,
            each.pod,
            each.node,
            wording.span(each.from_seconds),
            wording.span(each.seconds),
            str(each.refusals),
            "never" if each.is_for_good else "yes",
        )
        for each in found
    ]
    head = ("BUDGET", "POD", "NODE", "FROM", "FOR", "REFUSALS", "EVICTED")
    return section("Refused by budgets", head, rows)
