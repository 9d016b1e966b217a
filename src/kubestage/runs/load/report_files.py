"""The report directory of a load: claimed before it starts, written when it is over."""

from __future__ import annotations

import contextlib
import os
import shlex
from typing import TYPE_CHECKING

import kubestage
from kubestage import lazy
from kubestage.clusterloader import dumping
from kubestage.results.load.about import About
from kubestage.runs.load import stage_setup

with lazy.imports():
    from kubestage.results.load import report_directory

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from kubestage.clusterloader.config import Config
    from kubestage.clusterloader.result import LoadResult
    from kubestage.results.history.spooled_history import SpooledHistory
    from kubestage.results.load.cost import LoadCost
    from kubestage.results.load.report_directory import ReportDirectory
    from kubestage.runs.load.options import LoadOptions
    from kubestage.runs.load.targets import TargetInfo


def claim(report_dir: str | None) -> AbstractContextManager[ReportDirectory | None]:
    """The directory, refused before anything is run if it cannot be written."""
    if report_dir is None:
        return contextlib.nullcontext()
    return report_directory.ReportDirectory(report_dir)


def write(
    directory: ReportDirectory,
    results: Sequence[LoadResult],
    configs: Sequence[Config],
    about: About,
    history: SpooledHistory | None = None,
) -> None:
    """Write all files of the report."""
    directory.write(results, [dumping.dump(each) for each in configs], about, history)


def about(
    options: LoadOptions, target: TargetInfo, command: str, cost: LoadCost | None = None
) -> About:
    """What a report states about the run as a whole; `command` is what to type to repeat it."""
    return About(
        version=kubestage.__version__,
        seed=options.seed,
        nodes=target.nodes,
        cluster=target.cluster,
        profile="" if options.is_real else stage_setup.profile(options).name,
        command=command,
        cost=cost,
    )


def command(options: LoadOptions, arguments: Sequence[str]) -> str:
    """What to type to repeat a run: the variables that count, and the command line without the
    directory of the report, so that two reports of one run are the same.
    """
    variables = [
        f"{name}={shlex.quote(value)}"
        for name, value in sorted(options.environment.items())
        if name.startswith("CL2_")
    ]
    return " ".join([*variables, "kubestage", *map(shlex.quote, _without_directory(arguments))])


def _without_directory(arguments: Sequence[str]) -> list[str]:
    found: list[str] = []
    is_value = False
    for argument in arguments:
        if not is_value and not argument.startswith("--report-dir="):
            is_value = argument == "--report-dir"
            if not is_value:
                found.append(argument)
        else:
            is_value = False
    return [os.fspath(each) for each in found]
