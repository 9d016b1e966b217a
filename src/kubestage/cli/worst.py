"""``kubestage worst``: the scenario in which a configuration does worst."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import failures, interruption, option_objects, printing, progress, screen
from kubestage.sweep.worst.options import WorstOptions

with lazy.imports():
    from kubestage.sweep import worst as searches
    from kubestage.sweep.worst import writing

FORMATS: Final = ("table", "markdown", "json", "yaml")
EPILOG: Final = """
[bold]Examples[/bold]

kubestage worst cluster.yaml --config mine.yaml --against default \\
  --maximise pending --out worst            [dim]# where do I lose?[/dim]

kubestage worst scenario.yaml --config mine.yaml --maximise fragmentation.cpu

kubestage worst scenario.yaml --breaks budget --mutate arrivals,priorities

kubestage worst shop/ --for 1h --breaks oscillation:changes=3,within=10m

kubestage worst cluster.yaml --minimise allocation.cpu --bound sizes.cpu.max=4 \\
  --bound arrivals.pods.max=12 --budget 1000 -j 4

The input is mutated within bounds: when pods arrive and how many, what they request, in which
order, which nodes fail, priorities. The worst mutant is then made as small as possible, explained,
and written as a Scenario, or for --for as manifests, that `kubestage run` runs. The same seed finds
it again, with any number of processes.

[bold]Measures[/bold] are those of `kubestage compare`. [bold]Invariants[/bold] are budget, fits,
oscillation and starvation. docs/worst.md defines all of it.

Exit code: 0 if it was found, 1 if not, 2 if something is wrong with the input, 130 after Ctrl-C:
what is written then is the worst case so far.
"""

_Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE...",
        help="A Scenario, or manifests: files and directories.",
        show_default=False,
    ),
]


@option_objects.command
def worst(
    files: _Files,
    options: WorstOptions,
    output: Annotated[str, option_objects.output_flag(*FORMATS)] = "table",
) -> int:
    """Search for the scenario in which a configuration does worst, and make it small."""
    with interruption.reporting(lambda: "nothing was found yet, or written"):
        found = searches.search(files, options, observer=progress.OBSERVER)
    screen.write(_formatted(found, output))
    if options.out is not None:
        screen.note(f"Written: {options.out}/{writing.WORST}, and how to run it: README.md")
    if found.is_interrupted:
        screen.note("Interrupted: this is the worst case so far.")
        return failures.INTERRUPTED
    return 0 if found.is_found else failures.NEGATIVE_RESULT


def _formatted(found: searches.WorstCase, output: str) -> str:
    if output == "json":
        return printing.as_json(found.to_dict())
    if output == "yaml":
        return printing.as_yaml(found.to_dict())
    if output == "markdown":
        return writing.markdown(found)
    return "".join(f"{line}\n" for line in (*found.explanation, "", *writing.course(found)))
