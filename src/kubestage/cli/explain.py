"""``kubestage explain``: why a pod of a run is where it is, and not elsewhere."""

from __future__ import annotations

import shutil
import sys
from typing import Annotated, Final

import msgspec
import typer

from kubestage.cli import failures, option_objects, progress, screen
from kubestage.runs import recorded_files
from kubestage.runs.explain_options import ExplainOptions
from kubestage.runs.flags import Flag

FORMATS: Final = ("table", "json")
EPILOG: Final = """
[bold]Examples[/bold]

kubestage run scenario.yaml --out runs/first

kubestage explain runs/first shop/web-1               [dim]# every attempt at it[/dim]

kubestage explain runs/first web-1 --attempt 2        [dim]# one of them[/dim]

kubestage explain runs/first web-1 --node worker-3    [dim]# why not there?[/dim]

kubestage explain runs/first web-1 -o json            [dim]# all verdicts and scores[/dim]

What was not recorded is computed anew: the run is repeated and compared with what is known of it.

Exit code: 0; 1 if the repetition is another run, as with a plugin that was changed since; 2 if
the run or the pod cannot be found.
"""


@option_objects.command
def explain(
    run: Annotated[
        str,
        typer.Argument(
            metavar="RUN",
            help="What `kubestage run --out` has written, or a Scenario with its status in a file.",
            show_default=False,
        ),
    ],
    pod: Annotated[
        str,
        typer.Argument(
            metavar="POD",
            help="NAMESPACE/NAME, or the name if it is the only one.",
            show_default=False,
        ),
    ],
    options: ExplainOptions,
    output: Annotated[
        str,
        Flag("table or json.", "-o", metavar="FORMAT", choices=FORMATS, noun="output format"),
    ] = "table",
) -> int:
    """Tell why a pod of a run went where it went, who rejected which node, and all scores."""
    from kubestage.cli import explain_text
    from kubestage.runs import explain as explaining

    options = msgspec.structs.replace(options, every_attempt=output == "json")
    with recorded_files.error_context(run):
        explained = explaining.explain(run, pod, options, progress.OBSERVER)
        if output == "json":
            text = msgspec.json.format(msgspec.json.encode(explained.to_dict()), indent=2).decode()
            screen.write(f"{text}\n")
        else:
            width = shutil.get_terminal_size().columns
            for line in explain_text.lines(
                explained, explain_text.ExplainLayout(width, options.top, options.node)
            ):
                screen.write(f"{line}\n")
    sys.stdout.flush()
    for note in explained.notes:
        screen.note(f"Note: {note}")
    if explained.differs is None:
        return 0
    failures.print_error(
        f"the run cannot be repeated as it was: {explained.differs}",
        "what is shown is what was recorded; run it again to explain the run as it is now",
    )
    return failures.NEGATIVE_RESULT
