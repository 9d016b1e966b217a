"""Several steps, each started when the one before has its result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import ApiError, InputError
from kubestage.measure.results import MeasurementResult, PendingResult

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.measure.results import Result


class InTurn:
    """Runs steps one after another; `done` makes one result of all."""

    def __init__(
        self,
        steps: Sequence[Callable[[], Result]],
        done: Callable[[list[MeasurementResult]], MeasurementResult],
    ) -> None:
        self.pending = PendingResult()
        self._steps = list(steps)
        self._done = done
        self._results: list[MeasurementResult] = []
        self._go_on()

    def _go_on(self) -> None:
        if len(self._results) == len(self._steps):
            self.pending.resolve(self._done(self._results))
            return
        try:
            result = self._steps[len(self._results)]()
        except (InputError, ApiError) as problem:
            result = MeasurementResult(errors=(str(problem),))
        if isinstance(result, MeasurementResult):
            self._on_result(result)
        else:
            result.then(self._on_result)

    def _on_result(self, result: MeasurementResult) -> None:
        self._results.append(result)
        self._go_on()
