"""``kubestage verify``: our decisions and controllers beside recorded ones of the real programs."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import failures, option_objects, printing, progress, screen
from kubestage.runs.flags import Flag

with lazy.imports():
    from kubestage.cli import verify_report
    from kubestage.runs import verify as verifying

EPILOG: Final = """
[bold]Examples[/bold]

kubestage verify recordings/                [dim]# every .json and .json.gz below[/dim]

kubestage verify one-case.json.gz --differences 20

kubestage verify controllers.json.gz        [dim]# scenarios of the controllers[/dim]

kubestage verify worlds/                    [dim]# worlds of cluster-autoscaler[/dim]

kubestage verify recordings/ -o json        [dim]# for machines[/dim]

The exit code is 0 if everything is identical and 1 if something differs.
"""


@option_objects.command
def verify(
    *,
    paths: Annotated[
        list[str],
        typer.Argument(
            metavar="FILE|DIR",
            help="Recorded cases, scenarios or worlds, .json or .json.gz, or directories of them.",
            show_default=False,
        ),
    ],
    differences: Annotated[int, Flag("How many differences to print.", metavar="N", minimum=0)] = 1,
    output: Annotated[
        str,
        Flag(
            "table or json.",
            "-o",
            metavar="FORMAT",
            choices=("table", "json"),
            noun="output format",
        ),
    ] = "table",
) -> int:
    """Replay what the real programs decided and did, and compare every field.

    A file holds one case of kube-scheduler, a list of scenarios of kube-controller-manager, or one
    world of cluster-autoscaler.
    """
    result = verifying.verify(paths, observer=progress.OBSERVER)
    if output == "json":
        screen.write(printing.as_json(result.as_data(differences)))
    else:
        screen.write(verify_report.as_text(result, differences))
    return 0 if result.is_identical else failures.NEGATIVE_RESULT
