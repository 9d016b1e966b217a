"""Scores cases on the workers of a pool, each distinct case once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.sweep.engines import draining
from kubestage.sweep.rows import Task
from kubestage.sweep.worst.evaluation import SCORE

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.sweep.engines.engine import Pool
    from kubestage.sweep.rows import Row
    from kubestage.sweep.worst.case import Case


class Scorer:
    """Runs cases and remembers their rows; `runs` is how many were run."""

    def __init__(self, pool: Pool, seed: int, on_row: Callable[[Row], None]) -> None:
        self.runs = 0
        self.errors: dict[str, int] = {}
        """Why cases could not be scored, with how many there were."""
        self._pool, self._seed, self._on_row = pool, seed, on_row
        self._known: dict[str, Row] = {}

    def new(self, cases: Sequence[Case]) -> list[Case]:
        """Those cases that were not run yet, each once."""
        return list({each.key: each for each in cases if each.key not in self._known}.values())

    def scores(self, cases: Sequence[Case]) -> list[float | None]:
        """The score of each case; None of one that could not be run."""
        new = self.new(cases)
        tasks = [Task(self.runs + number, {}, self._seed, each) for number, each in enumerate(new)]
        for row in draining.rows(self._pool, tasks):
            self.runs += 1
            self._known[new[row.index - tasks[0].index].key] = row
            if row.error is not None:
                self.errors[row.error] = self.errors.get(row.error, 0) + 1
            self._on_row(row)
        return [self._known[each.key].measures.get(SCORE) for each in cases]

    def row(self, case: Case) -> Row:
        """The row of a case that was run."""
        return self._known[case.key]
