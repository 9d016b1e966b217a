"""The user's measures of a scheduler (``--measure``) while a load runs on a stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.clusterloader.result import Measured
from kubestage.measure.perf_data import DataItem, PerfData
from kubestage.measure.results import MeasurementResult, Series, Summary
from kubestage.results.analysis.measured import figures

if TYPE_CHECKING:
    from kubestage.clusterloader.result import LoadResult, StepResult
    from kubestage.clusterloader.run import LoadRun
    from kubestage.results.analysis.measured import MeasureFigures
    from kubestage.scheduler.measuring import Measuring

METHOD: Final = "Measures"
"""What a report calls them, as it does a measurement."""
_VERSION: Final = "v1"


class TestMeasures:
    """The measures of one test: their values from its beginning until it cleans up."""

    def __init__(self, measuring: Measuring, run: LoadRun) -> None:
        self._measuring, self._run = measuring, run
        run.on_step = self._step_is_over

    def write(self) -> None:
        """Add what was measured to the result of the test."""
        result = self._run.result
        end_ns = result.began_ns + result.took_ns
        found = []
        for definition, values in self._measuring.series():
            own = [each for each in values if result.began_ns <= each.at_ns <= end_ns]
            if own:
                times, numbers = [each.at_ns for each in own], [float(each.value) for each in own]
                found.append(Series(definition.name, definition.unit or "", times, numbers))
        if found:
            unix_ns = result.began_unix_ns + result.took_ns
            summary = Summary(METHOD, _perf_data(found).to_json(), unix_ns)
            outcome = MeasurementResult(summaries=(summary,), series=tuple(found))
            result.measured.append(Measured(METHOD, METHOD, len(result.steps), outcome))

    def _step_is_over(self, step: StepResult) -> None:
        self._measuring.step_ended(step.number, step.began_ns + step.took_ns)


def of_result(result: LoadResult) -> dict[str, MeasureFigures]:
    """The last value, the mean and the greatest of each measure of a test."""
    found = {
        series.metric: figures(list(series.values), None, series.unit or None)
        for measured, series in result.series()
        if measured.method == METHOD
    }
    return {name: each for name, each in found.items() if each is not None}


def _perf_data(found: list[Series]) -> PerfData:
    items = []
    for series in found:
        known = figures(list(series.values), None, None)
        assert known is not None
        data = {"Final": float(known.final), "Mean": known.mean, "Max": float(known.max)}
        items.append(DataItem(data, series.unit, {"Measure": series.metric}))
    return PerfData(_VERSION, tuple(items))
