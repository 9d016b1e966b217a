"""Timer: how long parts of a test take, from one of its steps to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.errors import InputError
from kubestage.golang import durations
from kubestage.measure.measurement import Measurement, unknown_action
from kubestage.measure.params import Params
from kubestage.measure.perf_data import DataItem, PerfData
from kubestage.measure.results import NOTHING, MeasurementResult, Summary

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.measure.measurement import Context
    from kubestage.measure.results import Result


class TimerParams(Params, frozen=True, kw_only=True):
    """The parameters of Timer; `label` names what is timed."""

    label: str | None = None

    @property
    def subject(self) -> str:
        """The label."""
        return self.label or ""

    def problems(self) -> Iterator[InputError]:
        """What starts or stops has a label."""
        if self.action in ("start", "stop") and self.label is None:
            yield InputError("label is missing", path="params.label")


class Timer(Measurement[TimerParams]):
    """Times what lies between ``start`` and ``stop`` of a label, and reports all labels."""

    params_type = TimerParams
    actions = ("start", "stop", "gather")
    needs_start = True
    is_restarted = True
    ends = ("stop",)

    def __init__(self, context: Context) -> None:
        super().__init__(context)
        self._started_ns: dict[str, int] = {}
        self._took_ns: dict[str, int] = {}

    def perform(self, params: TimerParams) -> Result:
        """Start or stop a label's time, or gather all of them."""
        if params.action == "gather":
            return self.gather(params)
        if params.action not in ("start", "stop"):
            raise unknown_action(params.action, "start", "stop", "gather")
        params.check()
        assert params.label is not None
        return self.start(params) if params.action == "start" else self._stop(params.label)

    def start(self, params: TimerParams) -> Result:
        """Start the timer of a label, again if it runs already."""
        assert params.label is not None
        self._started_ns[params.label] = self.now_ns
        return NOTHING

    def gather(self, params: TimerParams) -> Result:
        """Report all labels that were stopped."""
        del params
        seconds = {label: took / durations.SECOND for label, took in self._took_ns.items()}
        content = PerfData("v1", (DataItem(seconds, "s", {"test": "phases"}),)).to_json()
        unix_ns = self.cluster.moments.unix_ns
        return MeasurementResult(summaries=(Summary("Timer", content, unix_ns),))

    def _stop(self, label: str) -> Result:
        began_ns = self._started_ns.pop(label, None)
        if began_ns is None:
            return MeasurementResult(errors=(f"uninitialized timer {label}",))
        self._took_ns[label] = self.now_ns - began_ns
        return NOTHING
