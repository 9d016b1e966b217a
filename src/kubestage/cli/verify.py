"""``kubestage verify``: our decisions beside recorded ones of the real scheduler."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import completion, failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.scheduler.replay.comparison import CaseReport

EPILOG: Final = """
[bold]Examples[/bold]

kubestage verify recordings/                [dim]# every .json and .json.gz below[/dim]

kubestage verify one-case.json.gz --differences 20

kubestage verify recordings/ -o json        [dim]# for machines[/dim]

The exit code is 0 if every decision is identical and 1 if one differs.
"""
_FORMATS: Final = ("table", "json")
# Fewer take no second.
_SLOW_CASES: Final = 40


def verify(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|DIR",
            help="Recorded cases, .json or .json.gz, or directories with all below them.",
            show_default=False,
        ),
    ],
    differences: Annotated[
        int,
        typer.Option("--differences", metavar="N", min=0, help="How many differences to print."),
    ] = 1,
    output: Annotated[str, completion.output_option(*_FORMATS)] = "table",
) -> int:
    """Replay recorded decisions of kube-scheduler and compare every field of them."""
    from kubestage.cli import case_files, verify_report

    completion.check_choice(output, _FORMATS)
    reports = _compare(case_files.find(paths))
    if output == "json":
        from kubestage.cli import printing

        text = printing.as_json(verify_report.as_dict(reports, differences))
    else:
        text = verify_report.as_text(reports, differences)
    sys.stdout.write(text)
    return failures.NOT_AS_WANTED if any(each.differences for _, each in reports) else 0


def _compare(paths: Sequence[str]) -> list[tuple[str, CaseReport]]:
    from kubestage.cli import progress

    reports = []
    with progress.shown("replaying", len(paths), at_least=_SLOW_CASES) as tell:
        for number, path in enumerate(paths):
            reports.append((path, _compare_one(path)))
            tell(number + 1)
    return reports


def _compare_one(path: str) -> CaseReport:
    from kubestage.cli import case_files
    from kubestage.errors import InputError
    from kubestage.scheduler.replay import comparison

    case = case_files.read(path)
    try:
        return comparison.compare(case)
    except InputError as error:
        error.file = error.file or path
        raise
