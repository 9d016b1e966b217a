"""Analysing a run: its tables and its charts."""

from __future__ import annotations

import dataclasses
import os
from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import InputError
from kubestage.results import analysis, charts, run_directory, timings
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.results.charts import libraries
from kubestage.results.life import comparison as life_comparison
from kubestage.results.life import tables as life_tables
from kubestage.results.life.life import Life
from kubestage.results.timings import RecordedTimings
from kubestage.runs.analyze_options import EACH, AnalyzeOptions
from kubestage.runs.choices import check_choice
from kubestage.runs.inputs import file_kinds
from kubestage.runs.notebook import TableResult

if TYPE_CHECKING:
    from altair.typing import ChartType

    from kubestage.aliases import Json
    from kubestage.results.analysis import Digest

__all__ = [
    "AnalyzeOptions", "AnalyzedTable", "all_charts", "analyze", "life_tables_listed",
    "scenario_tables_listed",
]  # fmt: skip

_LIFE_SUMMARY: Final = columns(measure=Kind.TEXT, subject=Kind.TEXT, value=Kind.FLOAT)


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class AnalyzedTable(TableResult):
    """A table of a run.

    >>> from kubestage import analyze
    >>> analyze("runs/1", "pending").to_pandas()  # doctest: +SKIP
    """

    name: str
    """The name of the table."""

    data: Table

    source: Digest | Life | RecordedTimings
    """What it was computed from: a Scenario's run, a living run, or recorded durations."""

    def table(self) -> Table:
        """The columns and rows."""
        return self.data

    def headline(self) -> str:
        """The title of the table."""
        if isinstance(self.source, analysis.Digest):
            return analysis.TABLES[self.name].title
        return self.name.capitalize()

    def chart(self) -> ChartType:
        """The chart of the table; InputError if it has none."""
        if isinstance(self.source, RecordedTimings):
            return charts.timings(self.source)
        if isinstance(self.source, Life):
            return self._life_chart(self.source)
        chart = analysis.TABLES[self.name].chart
        if chart is None or not chart.is_recorded(self.source):
            raise InputError(f'there is no chart of the table "{self.name}"')
        return chart.draw(self.source)

    def _life_chart(self, life: Life) -> ChartType:
        """The charts of the table, those of several workloads below each other."""
        declared = life_tables.TABLES.get(self.name)
        start = "" if declared is None else declared.chart
        drawn = charts.of_life(life)
        found = [chart for name, chart in drawn.items() if start and name.startswith(start)]
        if not found:
            raise InputError(f'there is no chart of the table "{self.name}"')
        libraries.require()
        import altair as alt

        below: ChartType = found[0] if len(found) == 1 else alt.vconcat(*map(_plain, found))
        return below


def _plain(chart: ChartType) -> Any:
    """A chart without its configuration, which only the whole may have."""
    import altair as alt

    part: Any = chart.copy()
    part.config = alt.Undefined
    return part


def scenario_tables_listed() -> dict[str, str]:
    """The tables of a Scenario's run, one line about each."""
    listed = {each.name: each.about for each in analysis.TABLES.values()}
    return {**listed, "timings": timings.ABOUT}


def life_tables_listed() -> dict[str, str]:
    """The tables of a living run, one line about each."""
    listed = {name: each.about for name, each in life_tables.TABLES.items()}
    return {"summary": life_tables.SUMMARY, **listed, "timings": timings.ABOUT}


def analyze(
    run: str | os.PathLike[str] | Json | Digest,
    table: str = "summary",
    options: AnalyzeOptions | None = None,
) -> AnalyzedTable:
    """A table of a run.

    `run` is a directory that a run was kept in, a file with a Scenario and its status, or the
    Scenario itself.
    """
    options = options or AnalyzeOptions()
    if not isinstance(run, str | os.PathLike):
        return _of_digest(_until(run, options.step), table, options)
    path = str(run)
    file_kinds.expect_run(path)
    if table == "timings":
        _refuse(options, "durations are of the whole run", "leave it out")
        recorded = timings.read(path)
        return AnalyzedTable(name=table, data=timings.table(recorded), source=recorded)
    if run_directory.is_life(path):
        fix = "leave it out: a living run has tables over time"
        _refuse(options, "is for Scenarios, which have steps", fix)
        return _of_life(path, table)
    _check_keys(table, options)
    try:
        check_choice(table, tuple(scenario_tables_listed()), "WHAT")
    except InputError:
        # What cannot be read has no tables at all.
        _digest(path, options.step)
        raise
    return _of_digest(_digest(path, options.step), table, options)


def all_charts(
    run: str | os.PathLike[str], options: AnalyzeOptions | None = None
) -> dict[str, ChartType]:
    """Every chart of a run that was kept, by name."""
    options = options or AnalyzeOptions()
    path = str(run)
    if run_directory.is_life(path):
        drawn = charts.of_life(run_directory.open_life(path)[0])
    else:
        drawn = charts.all(_digest(path, options.step))
    recorded = timings.beside(path)
    return drawn if recorded is None else {**drawn, "timings": charts.timings(recorded)}


def _refuse(options: AnalyzeOptions, problem: str, fix: str) -> None:
    for option, value in (("--step", options.step), ("--by", options.by)):
        if value is not None:
            raise InputError(problem, path=option, fix=fix)


def _check_keys(table: str, options: AnalyzeOptions) -> None:
    if options.by is not None and table != "attempts":
        raise InputError(
            "only attempts can be counted",
            path="--by",
            fix="write: kubestage analyze RUN attempts --by ...",
        )


def _digest(path: str, step: int | None) -> Digest:
    """The run as it was at the end of a step, or at its own."""
    with run_directory.open_run(path) as opened:
        try:
            return _until(opened.scenario, step)
        except InputError as error:
            error.file = error.file or opened.name
            raise


def _until(run: Json | Digest, step: int | None) -> Digest:
    if step is None:
        return analysis.digest(run)
    if isinstance(run, analysis.Digest):
        raise InputError("a digest is of the whole run", path="step", fix="pass the Scenario")
    return analysis.digest(analysis.until(run, step))


def _of_digest(digest: Digest, name: str, options: AnalyzeOptions) -> AnalyzedTable:
    _check_keys(name, options)
    if options.by is not None:
        keys = [key.strip() for key in options.by.split(",")]
        is_log = keys == [EACH]
        data = analysis.attempt_log(digest) if is_log else analysis.attempts(digest, keys)
    else:
        data = analysis.table(digest, name)
    if options.step is not None and analysis.TABLES[name].is_by_step:
        data = data.where(lambda row: row["step"] == options.step)
    return AnalyzedTable(name=name, data=data, source=digest)


def _of_life(path: str, name: str) -> AnalyzedTable:
    check_choice(name, tuple(life_tables_listed()), "WHAT")
    life, _ = run_directory.open_life(path)
    if name == "summary":
        measures = life_comparison.measures([life.summary])
        rows: list[tuple[Any, ...]] = [
            (each.name, each.resource, *each.values) for each in measures
        ]
        return AnalyzedTable(name=name, data=Table(_LIFE_SUMMARY, rows), source=life)
    data = life.tables.get(name)
    if data is None and name in life_tables.NEWS and "health" in life.summary:
        # That there is nothing to tell is an answer.
        data = Table(life_tables.TABLES[name].columns, [])
    if data is None:
        raise InputError(
            f"nothing was recorded of {name}",
            file=path,
            fix=f"there are {', '.join(('summary', *life.tables))}",
        )
    return AnalyzedTable(name=name, data=data, source=life)
