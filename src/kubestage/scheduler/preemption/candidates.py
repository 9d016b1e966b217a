"""The nodes on which preemption could help, and how many of them are tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.preemption.candidate import Candidate
from kubestage.scheduler.preemption.dry_runs import DryRuns
from kubestage.scheduler.preemption.search import Search
from kubestage.scheduler.status import Code

if TYPE_CHECKING:
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.diagnosis import Diagnosis
    from kubestage.scheduler.preemption.preemptor import Preemptor

__all__ = ["Candidate", "candidate_count", "find", "potential_rows"]

_MIN_BATCH: Final = 16


def potential_rows(diagnosis: Diagnosis) -> Ints:
    """The nodes that were rejected for a reason that removing pods may resolve."""
    row_of, count = diagnosis.columns.row_of, len(diagnosis.columns)
    potential = np.full(count, diagnosis.absent.code is Code.UNSCHEDULABLE)
    for rows, status in diagnosis.groups:
        potential[rows] = status.code is Code.UNSCHEDULABLE
    for name, status in diagnosis.named.items():
        if name in row_of:
            potential[row_of[name]] = status.code is Code.UNSCHEDULABLE
    found: Ints = potential.nonzero()[0]
    return found


def candidate_count(nodes: int, percentage: int, absolute: int) -> int:
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
    for places, tried in Search(preemptor, columns, rows, max(enough, _MIN_BATCH), runs).run():
        for count, (_, candidate) in enumerate(tried, 1):
            if candidate is None:
                continue
            kind = violating if candidate.pdb_violations else harmless
            if len(kind) < enough:
                kind.append(candidate)
            if harmless and len(harmless) + len(violating) >= enough:
                runs.note_each(places[:count], [run for run, _ in tried[:count]])
                runs.end_at(places[count - 1])
                return harmless + violating, runs
        runs.note_each(places, [run for run, _ in tried])
    return harmless + violating, runs
