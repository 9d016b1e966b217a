"""Several things, each begun when the one before has come to its outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import ApiError, InputError
from kubestage.measure.outcome import Later, Outcome

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.measure.outcome import Result


class InTurn:
    """Takes steps one after another; `done` makes one outcome of all of theirs."""

    def __init__(
        self,
        steps: Sequence[Callable[[], Result]],
        done: Callable[[list[Outcome]], Outcome],
    ) -> None:
        self.later = Later()
        self._steps = list(steps)
        self._done = done
        self._outcomes: list[Outcome] = []
        self._go_on()

    def _go_on(self) -> None:
        if len(self._outcomes) == len(self._steps):
            self.later.resolve(self._done(self._outcomes))
            return
        try:
            result = self._steps[len(self._outcomes)]()
        except (InputError, ApiError) as problem:
            result = Outcome(errors=(str(problem),))
        if isinstance(result, Outcome):
            self._told(result)
        else:
            result.then(self._told)

    def _told(self, outcome: Outcome) -> None:
        self._outcomes.append(outcome)
        self._go_on()
