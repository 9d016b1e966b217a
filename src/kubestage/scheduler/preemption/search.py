"""Dry runs on nodes in order, each in the cheapest way that gives the right result.

Where amounts leave no room, no trial is needed. Where they do, they also decide which pods have to
go (`trials`), unless a plugin depends on these pods: then they are taken off and put back one by
one (`victims`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.scheduler.preemption import (
    by_amounts,
    pod_aware_plugins,
    requested_amounts,
    trials,
    victims,
)
from kubestage.scheduler.preemption.dry_runs import DryRun
from kubestage.scheduler.verdicts import NOBODY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.preemption.dry_runs import DryRuns
    from kubestage.scheduler.preemption.pod_aware_plugins import PodAwarePlugins
    from kubestage.scheduler.preemption.preemptor import Preemptor
    from kubestage.scheduler.preemption.requested_amounts import RequestedAmounts
    from kubestage.scheduler.preemption.trials import Trial
    from kubestage.scheduler.resource_table import Table
    from kubestage.scheduler.verdicts import Verdicts

    Found = Iterator[tuple[list[int], Sequence[Trial]]]


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
        self._trials = trials.trials_for(preemptor, columns)

    def run(self) -> Found:
        """Places in order, and what trials there came to.

        First as many rows are tried as it took last time, then all.
        """
        one, tried = self._preemptor, self._trials
        holding = self._columns.lower_priority_pods.are_on(one.pod.priority)
        places: Ints = holding[self._rows].nonzero()[0]
        first = max(self._at_once, tried.reach)
        tried.reach = self._at_once
        for some in (places[:first], places[first:]):
            if len(some):
                yield from self._tried(*self._open(some))
                tried.reach = len(places)

    def _open(self, places: Ints) -> tuple[Ints, Table]:
        """The places where the pod fits by amounts without pods of lower priority.

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
        requested = requested_amounts.requested_by(one, columns)
        known = (
            None
            if requested is None
            else pod_aware_plugins.active_in(one.profile, one.state, one.pod)
        )
        if requested is None or known is None:
            rows = self._rows[places].tolist()
            found = victims.dry_runs(one, columns, rows, self._at_once)
            for place, row, run in zip(places.tolist(), rows, found, strict=True):
                yield [place], [trials.trial_of(run, columns.names[row])]
            return
        for start in range(0, len(places), self._at_once):
            here = slice(start, start + self._at_once)
            yield from self._by_amounts(known, requested, places[here], free[:, here])

    def _by_amounts(
        self, known: PodAwarePlugins, requested: RequestedAmounts, places: Ints, free: Table
    ) -> Found:
        rows = self._rows[places]
        found = self._trials.tried(self._preemptor, requested, self._columns, rows, free)
        if known.are_absent:
            yield places.tolist(), found
            return
        verdicts = known.verdicts(self._columns, rows)
        for at, (place, trial) in enumerate(zip(places.tolist(), found, strict=True)):
            yield [place], [self._overseen(known, verdicts, rows, at) or trial]

    def _overseen(
        self, known: PodAwarePlugins, verdicts: Verdicts, rows: Ints, at: int
    ) -> Trial | None:
        """The trial by the plugins that depend on pods; None if they do not change it.

        `verdicts` are theirs on all rows, without nominated pods.
        """
        one, columns, row = self._preemptor, self._columns, int(rows[at])
        if known.are_moved(self._trials.kinds(one, columns, row)):
            (run,) = victims.dry_runs(one, columns, [row], 1)
            return trials.trial_of(run, columns.names[row])
        nominated = one.yields_to(columns.names[row])
        if nominated and known.are_moved(map(pod_aware_plugins.kind_of, nominated)):
            with_nominated = known.verdicts(columns, rows[at : at + 1], nominated)
            if not with_nominated.is_clear:
                verdicts, at = with_nominated, 0
        if verdicts.is_clear or verdicts.rejecter[at] == NOBODY:
            return None
        who, code = int(verdicts.rejecter[at]), int(verdicts.code[at])
        return DryRun(one.profile.status_of(one.state, one.pod, who, code)), None
