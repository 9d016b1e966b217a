"""Dry runs on nodes in order, each in the cheapest way that tells the truth.

Where amounts leave no room, no trial is needed. Where they do, they also tell who has to go
(`trials`), unless somebody has a say who looks at pods, and these pods are the ones that would
have to go: then those are taken off and put back one by one (`victims`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.scheduler.preemption import asked, by_amounts, onlookers, trials, victims
from kubestage.scheduler.preemption.dry_runs import DryRun
from kubestage.scheduler.verdicts import NOBODY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.scheduler.columns import Columns, Ints, Mask
    from kubestage.scheduler.preemption.asked import Asked
    from kubestage.scheduler.preemption.dry_runs import DryRuns
    from kubestage.scheduler.preemption.onlookers import Onlookers
    from kubestage.scheduler.preemption.preemptor import Preemptor
    from kubestage.scheduler.preemption.trials import Outcome
    from kubestage.scheduler.resource_table import Table
    from kubestage.scheduler.verdicts import Verdicts

    Found = Iterator[tuple[list[int], Sequence[Outcome]]]


class Search:
    """One preemption's way through some rows, `at_once` of them at a time.

    What needs no trial is noted in `runs`, by the places of rows in their order.
    """

    def __init__(
        self, preemptor: Preemptor, columns: Columns, rows: Ints, at_once: int, runs: DryRuns
    ) -> None:
        self._preemptor = preemptor
        self._columns = columns
        self._rows = rows
        self._at_once = at_once
        self._runs = runs
        self._kept = trials.of(preemptor, columns)

    def run(self) -> Found:
        """Places in order, and what trials there came to.

        First as many rows are looked at as it took last time, then all.
        """
        one, kept = self._preemptor, self._kept
        holding = self._columns.weaker_pods.are_on(one.pod.priority)
        places: Ints = holding[self._rows].nonzero()[0]
        first = max(self._at_once, kept.reach)
        kept.reach = self._at_once
        for some in (places[:first], places[first:]):
            if len(some):
                yield from self._tried(*self._open(some))
                kept.reach = len(places)

    def _open(self, places: Ints) -> tuple[Ints, Table]:
        """The places where the pod fits without weaker pods, as far as amounts tell.

        Also what is free there then; what keeps it from the others is noted.
        """
        rows = self._rows[places]
        free = by_amounts.cleared(self._preemptor, self._columns, rows)
        is_open: Mask | None = None
        for rejected, status in by_amounts.rejections(self._preemptor, self._columns, rows, free):
            self._runs.note(places[rejected], DryRun(status))
            if is_open is None:
                is_open = np.ones(len(places), np.bool_)
            is_open[rejected] = False
        return (places, free) if is_open is None else (places[is_open], free[:, is_open])

    def _tried(self, places: Ints, free: Table) -> Found:
        if not len(places):
            return
        one, columns = self._preemptor, self._columns
        wanted = asked.of(one, columns)
        known = None if wanted is None else onlookers.of(one.profile, one.state, one.pod)
        if wanted is None or known is None:
            rows = self._rows[places].tolist()
            outcomes = victims.dry_runs(one, columns, rows, self._at_once)
            for place, row, run in zip(places.tolist(), rows, outcomes, strict=True):
                yield [place], [trials.judged(run, columns.names[row])]
            return
        for start in range(0, len(places), self._at_once):
            here = slice(start, start + self._at_once)
            yield from self._by_amounts(known, wanted, places[here], free[:, here])

    def _by_amounts(self, known: Onlookers, wanted: Asked, places: Ints, free: Table) -> Found:
        rows = self._rows[places]
        outcomes = self._kept.tried(self._preemptor, wanted, self._columns, rows, free)
        if known.are_absent:
            yield places.tolist(), outcomes
            return
        verdicts = known.verdicts(self._columns, rows)
        for at, (place, outcome) in enumerate(zip(places.tolist(), outcomes, strict=True)):
            yield [place], [self._overseen(known, verdicts, rows, at) or outcome]

    def _overseen(
        self, known: Onlookers, verdicts: Verdicts, rows: Ints, at: int
    ) -> Outcome | None:
        """What those who look at pods make of a dry run; None if they leave it as it is.

        `verdicts` are theirs on all rows, whoever is promised a place there.
        """
        one, columns, row = self._preemptor, self._columns, int(rows[at])
        if known.are_moved(self._kept.kinds(one, columns, row)):
            (run,) = victims.dry_runs(one, columns, [row], 1)
            return trials.judged(run, columns.names[row])
        promised = one.yields_to(columns.names[row])
        if promised and known.are_moved(map(onlookers.kind_of, promised)):
            beside = known.verdicts(columns, rows[at : at + 1], promised)
            if not beside.is_clear:
                verdicts, at = beside, 0
        if verdicts.is_clear or verdicts.rejecter[at] == NOBODY:
            return None
        who, code = int(verdicts.rejecter[at]), int(verdicts.code[at])
        return DryRun(one.profile.status_of(one.state, one.pod, who, code)), None
