"""Timer: how long parts of a test take, from one of its steps to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.measure.measurement import Measurement, unknown_action
from kubestage.measure.outcome import NOTHING, Outcome, Summary
from kubestage.measure.params import Params
from kubestage.measure.perf_data import DataItem, PerfData
from kubestage.objects import durations

if TYPE_CHECKING:
    from kubestage.measure.measurement import Context
    from kubestage.measure.outcome import Result


class TimerParams(Params, frozen=True, kw_only=True):
    """What Timer is told; `label` names what is timed."""

    label: str | None = None


class Timer(Measurement[TimerParams]):
    """Times what lies between ``start`` and ``stop`` of a label, and tells of all labels."""

    params_type = TimerParams

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._began_ns: dict[str, int] = {}
        self._took_ns: dict[str, int] = {}

    def perform(self, params: TimerParams) -> Result:
        """Start or stop a label's time, or gather all of them."""
        if params.action == "gather":
            return self.gather(params)
        if params.action not in ("start", "stop"):
            raise unknown_action(params.action, "start", "stop", "gather")
        if params.label is None:
            raise InputError("label is missing", path="params.label")
        return self.start(params) if params.action == "start" else self._stop(params.label)

    def start(self, params: TimerParams) -> Result:
        """Begin to time a label, over again if it is timed already."""
        assert params.label is not None
        self._began_ns[params.label] = self.now_ns
        return NOTHING

    def gather(self, params: TimerParams) -> Result:
        """Tell of all labels that were stopped."""
        del params
        seconds = {label: took / durations.SECOND for label, took in self._took_ns.items()}
        content = PerfData("v1", (DataItem(seconds, "s", {"test": "phases"}),)).to_json()
        unix_ns = self.cluster.moments.unix_ns
        return Outcome(summaries=(Summary("Timer", content, unix_ns),))

    def _stop(self, label: str) -> Result:
        began_ns = self._began_ns.pop(label, None)
        if began_ns is None:
            return Outcome(errors=(f"uninitialized timer {label}",))
        self._took_ns[label] = self.now_ns - began_ns
        return NOTHING
