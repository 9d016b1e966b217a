"""Backtests: what autoscalers would have decided, had they seen the metrics of a CSV."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Annotated, Final

import msgspec

from kubestage import lazy
from kubestage.errors import InputError
from kubestage.runs.flags import Flag, Options
from kubestage.runs.notebook import TableResult
from kubestage.runs.observer import SILENT
from kubestage.wording import plural

with lazy.imports():
    from kubestage.backtesting import hpa, outcome, vpa
    from kubestage.controllers import settings as controller_settings
    from kubestage.runs import backtest_inputs
    from kubestage.runs.inputs import setting_option

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.backtesting.outcome import BacktestOutcome
    from kubestage.results.analysis.table import Table
    from kubestage.runs.observer import Observer

_CHARTS: Final = (".html", ".png", ".svg")


class BacktestOptions(Options, frozen=True, kw_only=True):
    """What is not in the CSV and the manifests."""

    metric: Annotated[
        str | None, Flag("Which metric total, value or pods are about.", metavar="NAME")
    ] = None
    replicas: Annotated[
        int | None,
        Flag(
            "How many replicas there are at the beginning.",
            metavar="N",
            minimum=0,
            maximum=10_000,
        ),
    ] = None
    requests: Annotated[
        tuple[str, ...],
        Flag(
            "What a pod requests, as in cpu=500m, if its workload is not given. Repeatable.",
            "--request",
            metavar="RESOURCE=AMOUNT",
        ),
    ] = ()
    startup: Annotated[
        str, Flag("How long a new replica takes to be ready.", metavar="DURATION")
    ] = "0s"
    settings: Annotated[
        tuple[str, ...],
        Flag(
            "A flag of an autoscaler, as in hpa.tolerance=0.05. Repeatable.",
            "--setting",
            metavar="NAME=VALUE",
            completion="settings",
        ),
    ] = ()


class BacktestResult(TableResult, msgspec.Struct, frozen=True):
    """What each autoscaler would have decided."""

    outcomes: tuple[BacktestOutcome, ...]

    def as_data(self) -> list[Json]:
        """All backtests as plain values."""
        return [msgspec.to_builtins(each) for each in self.outcomes]

    def headline(self) -> str:
        """How many autoscalers decided how much."""
        count = sum(len(each.decisions) for each in self.outcomes)
        return f"{plural(len(self.outcomes), 'autoscaler')}, {plural(count, 'decision')}"

    def table(self) -> Table:
        """A row for each decision."""
        from kubestage.results.analysis.table import Kind, Table, columns

        text = Kind.TEXT
        return Table(
            columns(
                autoscaler=text,
                seconds=Kind.FLOAT,
                metric=text,
                before=text,
                after=text,
                reason=text,
            ),
            [
                (each.name, one.seconds, one.metric, str(one.before), str(one.after), one.reason)
                for each in self.outcomes
                for one in each.decisions
            ],
        )

    def save_chart(self, path: str) -> None:
        """Draw all backtests into a file that ends in html, png or svg."""
        check_chart(path)
        from kubestage.results import charts

        # Raises InputError with what to install if there is nothing to draw with.
        save = charts.save
        from kubestage.results.charts import backtest as backtest_charts

        save(backtest_charts.side_by_side(self.as_data()), path)


def check_chart(path: str) -> None:
    """Refuse a file that no chart can be written to."""
    if pathlib.Path(path).suffix.lower() not in _CHARTS:
        fix = "name a file that ends in .html, .png or .svg"
        raise InputError("charts are not written as this", path="--chart", file=path, fix=fix)
    if not pathlib.Path(path).parent.is_dir():
        fix = "make the directory first"
        raise InputError("no such directory", path="--chart", file=path, fix=fix)


def settings_of(options: BacktestOptions) -> controller_settings.Settings:
    """The settings of autoscalers, checked."""
    values = setting_option.split(options.settings)
    return setting_option.apply(controller_settings.Settings(), values)


def backtest(
    metrics: str,
    manifests: Sequence[str],
    options: BacktestOptions | None = None,
    *,
    observer: Observer = SILENT,
) -> BacktestResult:
    """Backtest every autoscaler among the manifests with the metrics of a CSV file."""
    options = options or BacktestOptions()
    settings = settings_of(options)
    found = backtest_inputs.read(metrics, manifests, options, observer)
    outcomes = []
    for title, autoscaler, target in found.inputs:
        if autoscaler["kind"] == outcome.HPA:
            result = hpa.run(
                title,
                autoscaler,
                found.series,
                target,
                settings=settings.hpa,
                startup_ns=found.startup_ns,
            )
        else:
            result = vpa.run(title, autoscaler, found.series, target, settings=settings.vpa)
        outcomes.append(result)
    return BacktestResult(tuple(outcomes))
