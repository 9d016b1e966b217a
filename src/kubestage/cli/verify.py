"""``kubestage verify``: our decisions and controllers beside recorded ones of the real thing."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kubestage.cli import completion, failures

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage import replay
    from kubestage.replay import Result
    from kubestage.scheduler.replay.comparison import CaseReport

EPILOG: Final = """
[bold]Examples[/bold]

kubestage verify recordings/                [dim]# every .json and .json.gz below[/dim]

kubestage verify one-case.json.gz --differences 20

kubestage verify controllers.json.gz        [dim]# scenarios of the controllers[/dim]

kubestage verify recordings/ -o json        [dim]# for machines[/dim]

The exit code is 0 if everything is identical and 1 if something differs.
"""
_FORMATS: Final = ("table", "json")
# Fewer take no second.
_SLOW_CASES: Final = 40
_SLOW_SCENARIOS: Final = 15


def verify(
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|DIR",
            help="Recorded cases or scenarios, .json or .json.gz, or directories with all below.",
            show_default=False,
        ),
    ],
    differences: Annotated[
        int,
        typer.Option("--differences", metavar="N", min=0, help="How many differences to print."),
    ] = 1,
    output: Annotated[str, completion.output_option(*_FORMATS)] = "table",
) -> int:
    """Replay what kube-scheduler decided or kube-controller-manager did, and compare every field.

    A file holds one case of the scheduler, or a list of scenarios of the controllers.
    """
    from kubestage.cli import case_files, interruption

    completion.check_choice(output, _FORMATS)
    reports: list[tuple[str, CaseReport]] = []
    results: list[tuple[str, Result]] = []
    with interruption.telling(
        lambda: f"{len(reports) + len(results)} recordings were compared, and nothing is kept"
    ):
        cases, scenarios = _sorted_out(case_files.find(paths))
        _compare(cases, reports)
        results += _play(scenarios)
    if output == "json":
        from kubestage.cli import printing

        told = printing.as_json(_as_dict(reports, results, differences))
    else:
        told = _as_text(reports, results, differences)
    sys.stdout.write(told)
    same = not any(each.differences for _, each in reports) and all(
        each.is_same for _, each in results
    )
    return 0 if same else failures.NOT_AS_WANTED


def _sorted_out(
    paths: Sequence[str],
) -> tuple[list[str], list[tuple[str, replay.Scenario]]]:
    """Files with cases of the scheduler, and scenarios of the controllers from all others."""
    from kubestage.cli import verify_scenarios

    cases, scenarios = [], []
    for path in paths:
        found = verify_scenarios.read(path)
        scenarios += [(path, each) for each in found]
        if not found:
            cases.append(path)
    return cases, scenarios


def _as_text(
    reports: Sequence[tuple[str, CaseReport]],
    results: Sequence[tuple[str, Result]],
    differences: int,
) -> str:
    from kubestage.cli import verify_report, verify_scenarios

    parts = []
    if reports:
        parts.append(verify_report.as_text(reports, differences))
    if results:
        lines = verify_scenarios.as_text(results, differences, verify_report.shown)
        parts.append("".join(f"{line}\n" for line in lines))
    return "\n".join(parts)


def _as_dict(
    reports: Sequence[tuple[str, CaseReport]],
    results: Sequence[tuple[str, Result]],
    differences: int,
) -> dict[str, Any]:
    from kubestage.cli import verify_report, verify_scenarios

    told = verify_report.as_dict(reports, differences) if reports else {}
    if not results:
        return told
    played = verify_scenarios.as_dict(results, differences)
    if told:
        played["differentFields"] += told["differentFields"]
        played["differences"] = told["differences"] + played["differences"]
    return {**told, **played}


def _play(scenarios: Sequence[tuple[str, replay.Scenario]]) -> list[tuple[str, Result]]:
    from kubestage.cli import progress, verify_scenarios

    with progress.shown("playing", len(scenarios), at_least=_SLOW_SCENARIOS) as tell:
        return verify_scenarios.play(scenarios, tell)


def _compare(paths: Sequence[str], reports: list[tuple[str, CaseReport]]) -> None:
    from kubestage.cli import progress

    with progress.shown("replaying", len(paths), at_least=_SLOW_CASES) as tell:
        for number, path in enumerate(paths):
            reports.append((path, _compare_one(path)))
            tell(number + 1)


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
