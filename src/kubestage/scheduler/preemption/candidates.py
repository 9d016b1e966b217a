"""The nodes on which preemption could help, and how many of them are tried."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.preemption import by_amounts, victims
from kubestage.scheduler.preemption.dry_runs import DryRun, DryRuns
from kubestage.scheduler.status import Code, error

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns, Ints
    from kubestage.scheduler.diagnosis import Diagnosis
    from kubestage.scheduler.preemption.preemptor import Preemptor

_MIN_BATCH: Final = 16


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate:
    """A node, and the pods that would have to leave it."""

    node_name: str
    victims: tuple[PodView, ...]
    pdb_violations: int


def potential_rows(diagnosis: Diagnosis) -> Ints:
    """The nodes that were rejected for something that removing pods may mend."""
    row_of, count = diagnosis.columns.row_of, len(diagnosis.columns)
    potential = np.full(count, diagnosis.absent.code is Code.UNSCHEDULABLE)
    for rows, status in diagnosis.groups:
        potential[rows] = status.code is Code.UNSCHEDULABLE
    for name, status in diagnosis.named.items():
        if name in row_of:
            potential[row_of[name]] = status.code is Code.UNSCHEDULABLE
    found: Ints = potential.nonzero()[0]
    return found


def wanted(nodes: int, percentage: int, absolute: int) -> int:
    """How many candidates are enough."""
    return min(max(nodes * percentage // 100, absolute), nodes)


def find(
    preemptor: Preemptor, columns: Columns, rows: Ints, enough: int
) -> tuple[list[Candidate], DryRuns]:
    """Dry-run rows in order until there are enough candidates, one of which breaks no budget.

    Returns the candidates, those that break no budget first, and every dry run that counted.
    """
    harmless: list[Candidate] = []
    violating: list[Candidate] = []
    runs = DryRuns(columns.names, rows)
    open_places = _told_at_once(preemptor, columns, rows, runs)
    batch = max(enough, _MIN_BATCH)
    for place, run in _tried(preemptor, columns, rows, open_places, batch):
        name = columns.names[rows[place]]
        outcome = _checked(run, name)
        runs.note(place, outcome)
        if not outcome.status.is_success:
            continue
        kind = violating if outcome.pdb_violations else harmless
        if len(kind) < enough:
            kind.append(Candidate(name, outcome.victims, outcome.pdb_violations))
        if harmless and len(harmless) + len(violating) >= enough:
            runs.end_at(place)
            break
    return harmless + violating, runs


def _told_at_once(preemptor: Preemptor, columns: Columns, rows: Ints, runs: DryRuns) -> Ints:
    """Note the outcomes that need no trial; returns the places of the rows that do."""
    places: Ints = columns.weaker_pods.are_on(preemptor.pod.priority)[rows].nonzero()[0]
    if not len(places):
        return places
    is_open = np.ones(len(places), np.bool_)
    for rejected, status in by_amounts.rejections(preemptor, columns, rows[places]):
        runs.note(places[rejected], DryRun(status))
        is_open[rejected] = False
    return places[is_open]


def _tried(
    preemptor: Preemptor, columns: Columns, rows: Ints, places: Ints, batch: int
) -> Iterator[tuple[int, DryRun]]:
    """The trials at some places in the order of rows, so many at a time."""
    for start in range(0, len(places), batch):
        some = places[start : start + batch]
        outcomes = victims.dry_runs(preemptor, columns, rows[some].tolist())
        yield from zip(some.tolist(), outcomes, strict=True)


def _checked(run: DryRun, name: str) -> DryRun:
    if run.status.is_success and not run.victims:
        return DryRun(error(f'expected at least one victim pod on node "{name}"'))
    return run
