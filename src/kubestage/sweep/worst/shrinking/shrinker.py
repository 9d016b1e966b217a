"""The loop of shrinking: simplifications are tried until none of them is possible any more."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from kubestage.sweep.worst.shrinking import (
    capacity,
    events,
    fields,
    merging,
    replicas,
    sizes,
    times,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from kubestage.sweep.worst.case import Case
    from kubestage.sweep.worst.limits import Limits
    from kubestage.sweep.worst.scoring import Scorer

    Pass = Callable[[Case], Iterator[Case]]

_BATCH: Final = 8
"""So many candidates are scored at once; the first that is possible is taken."""
_PASSES: Final[tuple[Pass, ...]] = (
    events.candidates,
    replicas.candidates,
    times.candidates,
    fields.candidates,
    sizes.candidates,
    merging.candidates,
)


class Shrinker:
    """Makes a case smaller; `case` is the smallest so far."""

    def __init__(
        self,
        case: Case,
        limits: Limits,
        scorer: Scorer,
        is_shown: Callable[[float], bool],
        budget: int,
    ) -> None:
        self.case = case
        self.is_smallest = False
        """Whether nothing could be left out any more, before the budget was spent."""
        self._scorer, self._is_shown = scorer, is_shown
        self._first, self._last = scorer.runs, scorer.runs + budget
        self._limits = limits
        self._keeps_room = capacity.has_room(case)

    def run(self, on_batch: Callable[[], None]) -> None:
        """Shrink until no pass helps, or the budget is spent."""
        while not self._is_spent:
            before = self.case.key
            for each in _PASSES:
                while self._step(each, on_batch):
                    pass
            if self.case.key == before and not self._is_spent:
                self.is_smallest = True
                return

    @property
    def runs(self) -> int:
        """How many cases were run."""
        return self._scorer.runs - self._first

    @property
    def _is_spent(self) -> bool:
        return self._scorer.runs >= self._last

    def _step(self, one: Pass, on_batch: Callable[[], None]) -> bool:
        """Take the first candidate of a pass that still shows it; whether there was one."""
        candidates = (each for each in one(self.case) if self._is_candidate(each))
        while not self._is_spent:
            left = self._last - self._scorer.runs
            batch = list(itertools.islice(candidates, min(_BATCH, left)))
            if not batch:
                return False
            scores = self._scorer.scores(batch)
            on_batch()
            for case, score in zip(batch, scores, strict=True):
                if score is not None and self._is_shown(score):
                    self.case = case
                    return True
        return False

    def _is_candidate(self, case: Case) -> bool:
        """Whether a case is worth a run: another one, with no pod that is too large."""
        if case.key == self.case.key or not capacity.is_within(case, self.case, self._limits):
            return False
        return not self._keeps_room or capacity.has_room(case)
