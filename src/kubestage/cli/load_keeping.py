"""Keeps what loads came to in a report directory."""

from __future__ import annotations

import contextlib
import os
import shlex
from typing import TYPE_CHECKING

import typer

import kubestage
from kubestage.cli import interruption, load_stage
from kubestage.results.load.about import About

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager

    from kubestage.cli.load_choices import Choices
    from kubestage.cli.load_grounds import Where
    from kubestage.cli.load_running import Ran
    from kubestage.results.load.report_directory import ReportDirectory


def claimed(report_dir: str | None) -> AbstractContextManager[ReportDirectory | None]:
    """The directory, refused before anything is run if it cannot be written."""
    if report_dir is None:
        return contextlib.nullcontext()
    from kubestage.results.load.report_directory import ReportDirectory

    return ReportDirectory(report_dir)


def write(directory: ReportDirectory, ran: Sequence[Ran], about: About) -> None:
    """Write everything."""
    from kubestage.load import dumping

    configs = [dumping.dump(each.loaded.config) for each in ran]
    with interruption.deferred():
        directory.write([each.result for each in ran], configs, about)


def missing(report_dir: str | None) -> str:
    """What is left of a load that was ended at once."""
    if report_dir is None:
        return "nothing was kept, as there is no --report-dir"
    return f"not written: {report_dir}"


def tell_interrupted(report_dir: str | None, ran: int, tests: int) -> None:
    """Say what is left of a load that was interrupted and has cleaned up."""
    kept = missing(None) if report_dir is None else f"kept: {report_dir}, up to there"
    left = f"; {tests - ran} of {tests} tests did not begin" if ran < tests else ""
    typer.echo(f"Interrupted: {kept}{left}.", err=True)


def about(choices: Choices, where: Where, words: Sequence[str]) -> About:
    """What a report says of the run; `words` are the command line."""
    return About(
        version=kubestage.__version__,
        seed=choices.seed,
        nodes=where.nodes,
        cluster=where.cluster,
        profile="" if choices.is_real else load_stage.profile_of(choices).name,
        command=command(choices, words),
    )


def command(choices: Choices, words: Sequence[str]) -> str:
    """What to type for the same: the variables that count, and the command line without where
    the report goes, so that two reports of one run are the same.
    """
    variables = [
        f"{name}={shlex.quote(value)}"
        for name, value in sorted(choices.environment.items())
        if name.startswith("CL2_")
    ]
    return " ".join([*variables, "kubestage", *map(shlex.quote, _kept(words))])


def _kept(words: Sequence[str]) -> list[str]:
    kept: list[str] = []
    is_value = False
    for word in words:
        if not is_value and not word.startswith("--report-dir="):
            is_value = word == "--report-dir"
            if not is_value:
                kept.append(word)
        else:
            is_value = False
    return [os.fspath(each) for each in kept]
