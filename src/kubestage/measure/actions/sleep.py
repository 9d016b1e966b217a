"""Sleep: a step that takes its time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.measure.measurement import Measurement
from kubestage.measure.outcome import NOTHING, Later
from kubestage.measure.params import Duration, Params

if TYPE_CHECKING:
    from kubestage.cluster.access import Timer
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Result


class SleepParams(Params, frozen=True, kw_only=True):
    """What Sleep is told."""

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
        return nap.later

    def dispose(self) -> None:
        """Sleep no longer."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()


class _Nap:
    """One sleep under way."""

    def __init__(self) -> None:
        self.later = Later()

    def end(self) -> None:
        self.later.resolve(NOTHING)
