"""``kubestage check``: the verdict on a change, for a terminal and for CI."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

import kubestage
from kubestage import lazy
from kubestage.cli import check_report, failures, interruption, option_objects, progress, screen
from kubestage.runs.check.options import CheckOptions
from kubestage.runs.flags import Flag

with lazy.imports():
    from kubestage.files import writing
    from kubestage.results.verdict import github_annotations, junit, markdown, sarif
    from kubestage.runs import check as checks

if TYPE_CHECKING:
    from kubestage.runs.check import CheckResult

FORMATS: Final = ("table", "markdown", "json")
EPILOG: Final = """
[bold]Examples[/bold]

kubestage check                                   [dim]# as ./kubestage.toml says[/dim]

kubestage check --base origin/main                [dim]# this branch, against main[/dim]

kubestage check --base before/ --head after/ -f cluster/

kubestage check --base v1.2 --head v1.3 --path deploy/ --nodes 5

kubestage check --rule cost.increase=5% --rule requests=off --prices aws-us-east-1

kubestage check -o markdown --junit check.xml --sarif check.sarif

The base is applied to a copy of the cluster, then the head; each runs until nothing changes. Then
rules decide. What breaks a rule before and after is not counted, unless with --strict.

Rules: pending, survival, budgets (errors), spread, requests (warnings); cost, nodes, decisions if
they are named, and Python functions. docs/check.md describes them, and kubestage.toml.

In GitHub Actions findings are annotations, and the Markdown goes to the summary of the step.

Exit code: 0; 1 if the change makes something worse; 2 if something is wrong with the input.
"""
_SUMMARY: Final = "GITHUB_STEP_SUMMARY"
_ACTIONS: Final = "GITHUB_ACTIONS"


@option_objects.command
def check(
    options: CheckOptions,
    file: Annotated[
        str | None,
        typer.Argument(
            metavar="[FILE]",
            help="The configuration; kubestage.toml of this folder if none is named.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[str, option_objects.output_flag(*FORMATS, after="strict")] = "table",
    junit_file: Annotated[
        str | None, Flag("Write JUnit XML to this file.", "--junit", metavar="FILE")
    ] = None,
    sarif_file: Annotated[
        str | None, Flag("Write SARIF to this file.", "--sarif", metavar="FILE")
    ] = None,
    exit_zero: Annotated[bool, Flag("Exit code 0 even if something is worse.")] = False,
) -> int:
    """Check a change: does it make scheduling, survival or cost worse?"""
    with interruption.reporting(lambda: "nothing was written"):
        result = checks.check(file, options, observer=progress.OBSERVER)
    _write_files(result, junit_file, sarif_file)
    screen.write(_formatted(result, output))
    sys.stdout.flush()
    for note in result.verdict.notes if output == "table" else ():
        screen.note(f"Note: {note}")
    if not result.has_failed or exit_zero:
        return 0
    failures.print_error(result.answer)
    return failures.NEGATIVE_RESULT


def _formatted(result: CheckResult, output: str) -> str:
    if output == "json":
        return check_report.as_json(result)
    if output == "markdown":
        return markdown.render(result.verdict)
    return check_report.text(result.verdict)


def _write_files(result: CheckResult, junit_file: str | None, sarif_file: str | None) -> None:
    with interruption.deferred():
        if junit_file is not None:
            writing.write(junit_file, junit.render(result.verdict))
        if sarif_file is not None:
            writing.write(sarif_file, sarif.render(result.verdict, kubestage.__version__))
        summary = os.environ.get(_SUMMARY)
        if summary:
            with open(summary, "a", encoding="utf-8") as file:
                file.write(markdown.render(result.verdict))
    if os.environ.get(_ACTIONS) == "true":
        # Commands are read from both outputs; stdout may be redirected to a file.
        for line in github_annotations.render(result.verdict).splitlines():
            screen.note(line)
