"""The search: a population of cases, from which the worst have most of the offspring.

A generation is scored as a whole before the next one is made, so that nothing depends on how many
processes there are or which of them is first.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.sweep.worst import load
from kubestage.sweep.worst.evaluation import PRESSURE
from kubestage.sweep.worst.mutations import registry

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits
    from kubestage.sweep.worst.scoring import Scorer

POPULATION: Final = 16
NEWEST: Final = 4
"""So many of them need a high score and be new, nothing else."""
TOURNAMENT: Final = 3
MOST_MUTATIONS: Final = 6
PATIENCE: Final = 8
"""After so many generations without a better case the search starts again."""
_STALE: Final = 25
"""After so many generations without a new case there is nothing left to try."""


class Generation(msgspec.Struct, frozen=True):
    """How far the search was after a generation."""

    runs: int
    best: float | None
    restarts: int


class _Scored(NamedTuple):
    score: float
    pressure: float
    load: float
    birth: int
    case: Case

    @property
    def rank(self) -> tuple[float, float, float, int]:
        """The highest score first; of equal ones the one under more pressure, then the newest.

        Where scores are the same far and wide, newer cases let the search move on.
        """
        return (-self.score, -self.pressure, -self.load, -self.birth)


class Evolution:
    """Searches until its budget is spent, or a score is enough; `best` is the worst case so far."""

    def __init__(self, start: Case, limits: Limits, scorer: Scorer, seed: int, budget: int) -> None:
        self.best: Case | None = None
        self.best_score: float | None = None
        self.start_score: float | None = None
        self.generations: list[Generation] = []
        self._start, self._limits, self._scorer = start, limits, scorer
        self._budget, self._restarts = budget, 0
        self._stream = random.Random(f"worst:{seed}")
        self._population: list[_Scored] = []
        self._births = 0

    def run(self, enough: float | None, on_generation: Callable[[], None]) -> None:
        """Search; `on_generation` is called after every generation."""
        without_progress = stale = 0
        peak: float | None = None
        batch = [self._start, *self._mutants_of_start(POPULATION - 1)]
        while True:
            runs = self._scorer.runs
            self._take(batch)
            on_generation()
            if self._is_over(enough):
                return
            stale = stale + 1 if self._scorer.runs == runs else 0
            if stale >= _STALE:
                return
            top = self._population[0].score if self._population else None
            is_better = top is not None and (peak is None or top > peak)
            peak, without_progress = (top, 0) if is_better else (peak, without_progress + 1)
            if without_progress < PATIENCE and self._population:
                batch = [self._child() for _ in range(POPULATION)]
                continue
            self._restarts += 1
            self._population, peak, without_progress = [], None, 0
            batch = self._mutants_of_start(POPULATION, MOST_MUTATIONS)

    def _take(self, batch: list[Case]) -> None:
        """Score a generation, as far as the budget goes, and keep the worst of all."""
        left = self._budget - self._scorer.runs
        chosen: list[Case] = []
        for case in batch:
            if len(self._scorer.new([*chosen, case])) <= left:
                chosen.append(case)
        for case, score in zip(chosen, self._scorer.scores(chosen), strict=True):
            if case is self._start:
                self.start_score = score
            if score is not None:
                pressure = self._scorer.row(case).measures.get(PRESSURE) or 0.0
                self._births += 1
                scored = _Scored(score, pressure, load.share(case), self._births, case)
                self._population.append(scored)
        self._population = _survivors(self._population)
        if self._population:
            top = self._population[0]
            if self.best_score is None or top.score > self.best_score:
                self.best, self.best_score = top.case, top.score
        found = Generation(self._scorer.runs, self.best_score, self._restarts)
        self.generations.append(found)

    def _is_over(self, enough: float | None) -> bool:
        if self._scorer.runs >= self._budget:
            return True
        return enough is not None and self.best_score is not None and self.best_score >= enough

    def _mutants_of_start(self, number: int, most: int = 3) -> list[Case]:
        return [
            registry.mutant(self._start, self._stream, self._limits, self._stream.randint(1, most))
            for _ in range(number)
        ]

    def _child(self) -> Case:
        """A mutant of the worst of a few that are drawn."""
        size = min(TOURNAMENT, len(self._population))
        parent = min(self._stream.sample(self._population, size), key=lambda each: each.rank)
        number = 1
        while number < MOST_MUTATIONS and self._stream.random() < 0.5:
            number += 1
        return registry.mutant(parent.case, self._stream, self._limits, number)


def _survivors(scored: list[_Scored]) -> list[_Scored]:
    """Those with the highest rank, and some that only are new: pressure may lead astray."""
    distinct = {each.case.key: each for each in scored}
    ranked = sorted(distinct.values(), key=lambda each: each.rank)
    first, others = ranked[: POPULATION - NEWEST], ranked[POPULATION - NEWEST :]
    newest = sorted(others, key=lambda each: (-each.score, -each.birth))[:NEWEST]
    return [*first, *newest]
