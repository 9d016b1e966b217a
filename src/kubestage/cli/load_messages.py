"""What ``kubestage load`` prints on stderr besides progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.cli import failures, screen

if TYPE_CHECKING:
    from kubestage.clusterloader.reading.problems import InvalidConfig
    from kubestage.runs.load.results import LoadResults


def print_problems(error: InvalidConfig) -> int:
    """Print everything that is wrong with a configuration; the exit code."""
    for problem in error.problems:
        failures.print_error(*failures.explain(problem))
    return failures.BAD_INPUT


def missing(report_dir: str | None) -> str:
    """What is missing of a load that was ended at once."""
    if report_dir is None:
        return "nothing was kept, as there is no --report-dir"
    return f"not written: {report_dir}"


def print_interrupted(report_dir: str | None, results: LoadResults) -> None:
    """Print what there is of a load that was interrupted and has cleaned up."""
    kept = missing(None) if report_dir is None else f"kept: {report_dir}, up to there"
    ran, tests = len(results.completed), results.requested
    left = f"; {tests - ran} of {tests} tests did not begin" if ran < tests else ""
    screen.note(f"Interrupted: {kept}{left}.")
