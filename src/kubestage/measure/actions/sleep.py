"""Sleep: a step that takes its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.measure.measurement import Measurement
from kubestage.measure.params import Duration, Params
from kubestage.measure.results import NOTHING, PendingResult

if TYPE_CHECKING:
    from kubestage.cluster.access import Timer
    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


class SleepParams(Params, frozen=True, kw_only=True):
    """The parameters of Sleep."""

    duration: Duration


class Sleep(Measurement[SleepParams]):
    """Does nothing for a while."""

    params_type = SleepParams

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._timers: list[Timer] = []

    def perform(self, params: SleepParams) -> Result:
        """Sleep, whatever the action."""
        nap = _Nap()
        self._timers.append(self.cluster.moments.at(self.now_ns + params.duration, nap.end))
        return nap.pending

    def dispose(self) -> None:
        """Stop sleeping."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()


class _Nap:
    """One sleep that has not ended."""

    def __init__(self) -> None:
        self.pending = PendingResult()

    def end(self) -> None:
        self.pending.resolve(NOTHING)
