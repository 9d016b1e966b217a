"""``kubestage replay``: a recording under its own settings, or under others."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import option_objects, progress, screen
from kubestage.runs.replay_options import ReplayOptions

with lazy.imports():
    from kubestage.cli import replay_report, run_output

EPILOG: Final = """
[bold]Examples[/bold]

kubestage replay cluster/                            [dim]# an import with a recording[/dim]

kubestage replay audit.log --out runs/same           [dim]# or any source with time[/dim]

kubestage replay cluster/ --config packing.yaml --out runs/packed

kubestage replay cluster/ --without hpa/web --from 2026-03-01T08:00:00Z --to 2026-03-01T12:00:00Z

What people did is done again at the recorded times; what followed from it is computed:
docs/intent.md has the rules. Under the recorded settings, the agreement says how far the stage can
be trusted with other ones.

Exit code: 0; 2 if something is wrong with the input.
"""


@option_objects.command
def replay(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="Folders of `kubestage import`, audit logs, traces: sources with time.",
            show_default=False,
        ),
    ],
    options: ReplayOptions,
    output: Annotated[str, option_objects.output_flag("table", "json")] = "table",
) -> int:
    """Replay a recording, and compare what follows with what was recorded."""
    from kubestage.runs import replaying

    result = replaying.replay(sources, options, observer=progress.OBSERVER)
    if output == "json":
        screen.write(replay_report.document(result))
    else:
        screen.write(replay_report.text(result))
        shown = run_output.Shown("table", shows_all=False)
        run_output.write(result.run, shown, [], is_streamed=False)
    return 0
