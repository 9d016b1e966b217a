"""``kubestage validate``: every error in every document, with its line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kubestage.cli import failures, option_objects, progress, screen
from kubestage.runs.shared_flags import AllowPrivileged, Plugins

if TYPE_CHECKING:
    from kubestage.errors import InputError
    from kubestage.runs.validation import ValidationResult

EPILOG: Final = """
[bold]Examples[/bold]

kubestage validate deployment.yaml

kubestage validate scenario.yaml        [dim]# a Scenario, with its objects and patches[/dim]

kubestage validate manifests/ -o json   [dim]# for machines[/dim]

kubestage validate scheduler.yaml       [dim]# a KubeSchedulerConfiguration[/dim]

kubestage validate load.yaml traffic.csv  [dim]# a load with its templates; a trace[/dim]

helm template my-chart | kubestage validate -

What a file is, its apiVersion and kind say, or else its content: manifests, Scenarios, scheduler
configurations, loads (with suites, modules, overrides), control-plane profiles, exports and
recordings of kube-scheduler-simulator, traces and recorded usage as CSV.

The exit code is 0 if all objects are valid and 2 if any is not.
"""


@option_objects.command
def validate(
    files: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|DIR|-",
            help="Files, directories with all below them, or - for stdin.",
            show_default=False,
        ),
    ],
    output: Annotated[str, option_objects.output_flag("text", "json")] = "text",
    plugin: Plugins = (),
    allow_privileged: AllowPrivileged = True,
) -> int:
    """Check manifests as the API server would, and every other file that a command reads."""
    from kubestage.runs import validation

    report = validation.validate(
        files, plugin, allow_privileged=allow_privileged, observer=progress.OBSERVER
    )
    text = _as_json(report) if output == "json" else _as_text(report)
    screen.write(text)
    return failures.BAD_INPUT if report.problems else 0


def _as_text(report: ValidationResult) -> str:
    lines = []
    for prefix, found in (("", report.problems), ("warning: ", report.warnings)):
        for problem in found:
            message, fix = failures.explain(problem)
            lines.append(f"{prefix}{message}")
            if fix:
                lines.append(f"  fix: {fix}")
    if lines:
        lines.append("")
    lines.append(
        f"{_count(report.objects, 'object')} in {_count(report.files, 'file')}: "
        f"{report.objects - report.invalid} valid, {report.invalid} invalid"
    )
    return "".join(f"{line}\n" for line in lines)


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _as_json(report: ValidationResult) -> str:
    whole: dict[str, Any] = {
        "files": report.files,
        "objects": report.objects,
        "valid": report.objects - report.invalid,
        "invalid": report.invalid,
        "problems": [_problem(problem) for problem in report.problems],
        "warnings": [_problem(problem) for problem in report.warnings],
    }
    return json.dumps(whole, indent=2, ensure_ascii=False) + "\n"


def _problem(problem: InputError) -> dict[str, Any]:
    return {
        "file": problem.file,
        "line": problem.line,
        "path": problem.path,
        "problem": problem.problem,
        "fix": problem.fix,
    }
