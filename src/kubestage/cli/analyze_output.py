"""What ``kubestage analyze`` writes: a table in a format, or charts."""

from __future__ import annotations

import pathlib
import sys
from typing import TYPE_CHECKING

from kubestage.cli import analyze_report, life_analyze, progress, screen, timings_report
from kubestage.errors import InputError
from kubestage.files import writing
from kubestage.results import analysis
from kubestage.results import charts as drawing
from kubestage.results.life.life import Life
from kubestage.results.timings import RecordedTimings
from kubestage.runs import analyze as analyzing
from kubestage.runs import interruption

if TYPE_CHECKING:
    from collections.abc import Mapping

    from altair.typing import ChartType

    from kubestage.runs.analyze import AnalyzedTable
    from kubestage.runs.analyze_options import AnalyzeOptions


def write(found: AnalyzedTable, run: str, output: str, to: str | None) -> None:
    """Write a table in a format to the terminal, or to a file."""
    if output == "parquet":
        assert to is not None
        life_analyze.check_format(found, output)
        analysis.write_parquet(found.data, to)
        return
    text = _text(found, output, run)
    if to is None:
        screen.write(text)
        sys.stdout.flush()
    else:
        writing.write(to, text)


def draw(found: AnalyzedTable, run: str, options: AnalyzeOptions, charts: str) -> None:
    """Draw every chart of a run into a directory."""
    directory = _directory(charts)
    is_timings = isinstance(found.source, RecordedTimings)
    drawn = {"timings": found.chart()} if is_timings else analyzing.all_charts(run, options)
    _save(drawn, directory)


def _text(found: AnalyzedTable, output: str, run: str) -> str:
    if isinstance(found.source, Life):
        return life_analyze.text(found, found.source, output)
    if output == "csv":
        return analysis.as_csv(found.data)
    if output == "json":
        if isinstance(found.source, analysis.Digest) and found.name == "summary":
            return analysis.summary_json(found.source)
        return analysis.as_json(found.data)
    wide = output == "wide"
    if isinstance(found.source, RecordedTimings):
        return timings_report.as_text(found.source, wide=wide)
    return analyze_report.as_text(found.source, found.data, found.name, run, wide=wide)


def _directory(charts: str) -> pathlib.Path:
    """The directory that charts go to."""
    directory = pathlib.Path(charts)
    if directory.exists() and not directory.is_dir():
        raise InputError("is a file", path="--charts", file=charts, fix="name a directory")
    return directory


def _save(drawn: Mapping[str, ChartType], directory: pathlib.Path) -> None:
    directory.mkdir(parents=True, exist_ok=True)
    done: list[str] = []
    observer = progress.OBSERVER
    with (
        observer.progress("drawing", len(drawn), noticeable=1) as advance,
        interruption.reporting(lambda: f"kept: {len(done)} of {len(drawn)} charts in {directory}"),
    ):
        for name, chart in drawn.items():
            with interruption.deferred(observer):
                for suffix in ("png", "html"):
                    drawing.save(chart, directory / f"{name}.{suffix}")
                done.append(name)
            advance(len(done))
    screen.note(f"Drew {len(drawn)} charts, PNG and HTML, into {directory}")
