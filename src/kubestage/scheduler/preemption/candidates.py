"""The nodes on which preemption could help, and how many of them are tried."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.preemption import victims
from kubestage.scheduler.preemption.victims import DryRun
from kubestage.scheduler.status import Code, error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.diagnosis import Diagnosis
    from kubestage.scheduler.preemption.victims import Preemptor

_MIN_BATCH: Final = 16


@dataclasses.dataclass(frozen=True, slots=True)
class Candidate:
    """A node, and the pods that would have to leave it."""

    node_name: str
    victims: tuple[PodView, ...]
    pdb_violations: int


def potential_rows(diagnosis: Diagnosis) -> list[int]:
    """The nodes that were rejected for something that removing pods may mend."""
    row_of, count = diagnosis.columns.row_of, len(diagnosis.columns)
    potential = np.full(count, diagnosis.absent.code is Code.UNSCHEDULABLE)
    for rows, status in diagnosis.groups:
        potential[rows] = status.code is Code.UNSCHEDULABLE
    for name, status in diagnosis.named.items():
        if name in row_of:
            potential[row_of[name]] = status.code is Code.UNSCHEDULABLE
    found: list[int] = np.flatnonzero(potential).tolist()
    return found


def wanted(nodes: int, percentage: int, absolute: int) -> int:
    """How many candidates are enough."""
    return min(max(nodes * percentage // 100, absolute), nodes)


def find(
    preemptor: Preemptor, columns: Columns, rows: Sequence[int], enough: int
) -> tuple[list[Candidate], dict[str, DryRun]]:
    """Dry-run rows in order until there are enough candidates, one of which breaks no budget.

    Returns the candidates, those that break no budget first, and every dry run that counted.
    """
    harmless: list[Candidate] = []
    violating: list[Candidate] = []
    runs: dict[str, DryRun] = {}
    batch = max(enough, _MIN_BATCH)
    for start in range(0, len(rows), batch):
        some = rows[start : start + batch]
        for row, outcome in zip(some, victims.dry_runs(preemptor, columns, some), strict=True):
            name = columns.names[row]
            run = runs[name] = _checked(outcome, name)
            if not run.status.is_success:
                continue
            kind = violating if run.pdb_violations else harmless
            if len(kind) < enough:
                kind.append(Candidate(name, run.victims, run.pdb_violations))
            if harmless and len(harmless) + len(violating) >= enough:
                return harmless + violating, runs
    return harmless + violating, runs


def _checked(run: DryRun, name: str) -> DryRun:
    if run.status.is_success and not run.victims:
        return DryRun(error(f'expected at least one victim pod on node "{name}"'))
    return run
