"""``kubestage optimise``: the best setting of a command, as far as noise lets one see."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage import lazy
from kubestage.cli import failures, option_objects, progress, screen
from kubestage.errors import InputError
from kubestage.sweep.optimise.options import OptimiseOptions

with lazy.imports():
    from kubestage.sweep import axes, sweeping
    from kubestage.sweep.optimise import definition as definitions
    from kubestage.sweep.optimise import directory, documents, optimising

if TYPE_CHECKING:
    from kubestage.sweep.optimise.definition import OptimiseDefinition

FORMATS: Final = ("table", "json", "markdown", "csv")
# Flags of the command that is optimised are passed on to it.
CONTEXT: Final = {"ignore_unknown_options": True}
EPILOG: Final = """
[bold]Examples[/bold]

kubestage optimise run shop/ --for 30m --vary 'hpa/web:spec.maxReplicas=5..30'
    --minimise replicaHours --subject-to 'responseP99<800ms'

kubestage optimise run shop/ --for 1h --vary nodes=5..50 --vary config=a.yaml,b.yaml
    --minimise cost --minimise responseP95 --sampler nsga2 --trials 200 --out searches/1

kubestage optimise --resume --out searches/1       [dim]# after Ctrl-C[/dim]

kubestage sweep report searches/1                  [dim]# all settings that were tried[/dim]

COMMAND is run, load, rehearse, backtest or replay with its own arguments. Paths and values of
--vary are those of `kubestage sweep`; ranges and distributions are searched between their ends.

Settings are proposed in batches by a sampler of Optuna, which is in the extra optimise.
Each is run with three seeds, then with twice as many, until it is clearly not the best. The best
few are run again with seeds that the search did not use, and only these decide. A setting is the
best if it is better than every other one, seed by seed; else the answer names those that it
cannot be distinguished from. The same search gives the same result with any --jobs.

Exit code: 0; 1 if no setting meets all limits; 2 if something is wrong with the input; 130 after
Ctrl-C.
"""


@option_objects.command
def optimise(
    options: OptimiseOptions,
    words: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="COMMAND ARGS...",
            help="What is optimised: run, load, rehearse, backtest or replay, with its arguments.",
            show_default=False,
        ),
    ] = None,
    output: Annotated[str, option_objects.output_flag(*FORMATS)] = "table",
) -> int:
    """Search for the setting with the least cost, or the most of anything, within limits."""
    engine = sweeping.engine_of(options.engine, options.jobs, options.address)
    prepared = optimising.prepare(_definition(list(words or ()), options))
    result = optimising.run(
        prepared, engine, options.out, resume=options.resume, observer=progress.OBSERVER
    )
    screen.write_data(documents.formatted(result, output))
    sys.stdout.flush()
    if options.out is not None:
        screen.note(f"Kept in {options.out}: open {options.out}/{directory.REPORT}")
    if result.best is not None:
        return 0
    failures.print_error(result.headline())
    return failures.NEGATIVE_RESULT


def _definition(words: list[str], options: OptimiseOptions) -> OptimiseDefinition:
    if words:
        pairs = [axes.split(each) for each in options.vary]
        paths = [path for path, _ in pairs]
        for path in paths:
            if paths.count(path) > 1:
                fix = "list all values at once"
                raise InputError("is varied twice", path=f"--vary {path}", fix=fix)
        return definitions.of_options(words, dict(pairs), options)
    if not options.resume or options.out is None:
        fix = "name a command: see `kubestage optimise --help`"
        raise InputError("nothing to optimise is named", fix=fix)
    return directory.read(options.out)
