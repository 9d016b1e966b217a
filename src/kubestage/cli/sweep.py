"""``kubestage sweep``: one command with many parameters and seeds, and what comes of it."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kubestage import lazy
from kubestage.cli import failures, help_page, option_objects, progress, screen, sweep_report
from kubestage.errors import InputError
from kubestage.sweep.sweep_options import SweepOptions

with lazy.imports():
    from kubestage.cli import sweep_table
    from kubestage.sweep import axes, sweep_file, sweeping

if TYPE_CHECKING:
    from kubestage.sweep.sweep_file import SweepDefinition

HELP: Final = "Run a command with many parameters and seeds, on all cores or on Ray."
FORMATS: Final = ("table", "json", "markdown", "csv", "yaml")
_FILE: Final = "file"
_HOW: Final = """
[bold]Paths[/bold] of parameters

  KIND/NAME:FIELD       of objects: deploy/web:spec.replicas, pod/*:FIELD;
                        deploy/web:NAMESPACE:FIELD; containers[main], [0] in lists
  config=a.yaml,b.yaml  scheduler configurations
  config:FIELD          a field of it: config:profiles[0].percentageOfNodesToScore
  setting.NAME          of a controller or autoscaler, as --setting has it
  OPTION                of the command: nodes, node, for, launch-delay ...
  params.CL2_NAME       of a load; also paths as find-limit has them

[bold]Values[/bold]

  a,b,c    40..80/5    1..100*2    100m..500m/100m    '1.30' (a text)
  uniform(1,5)    normal(10,2)    lognormal(10,2)    exp(3)    choice(a,b): with --samples

Every combination is run with every seed. A run that fails is a row with its error. The same sweep
gives the same bytes with one process, with many, and on Ray. Ctrl-C leaves a sweep that --resume
completes. docs/sweep.md is the guide.

Exit code: 0; 1 if a run failed; 2 if something is wrong with the input; 130 after Ctrl-C.
"""
_RUN: Final = f"""
[bold]Examples[/bold]

kubestage sweep run shop/ --for 30m --vary 'hpa/web:spec.maxReplicas=5..20/5' --seeds 1..20

kubestage sweep run web.yaml --vary nodes=10,20,50 --vary config=default.yaml,packed.yaml

kubestage sweep run shop/ --for 1h --vary 'deploy/web:spec.replicas=uniform(2,20)' --samples 200
    --design lhs --out sweeps/1

kubestage sweep --resume --out sweeps/1
{_HOW}"""
_LOAD: Final = f"""
[bold]Examples[/bold]

kubestage sweep load config.yaml --nodes 100 --vary tuningSets.Uniform.qps=5..50/5 --seeds 5

kubestage sweep load config.yaml --vary params.CL2_PODS_PER_NODE=10,30,110 --vary nodes=100,500
{_HOW}"""
_REHEARSE: Final = f"""
[bold]Examples[/bold]

kubestage sweep rehearse drain all -f cluster/ --vary parallel=1..5 --seeds 20

kubestage sweep rehearse outage zone/b -f cluster/ --vary 'deploy/web:spec.replicas=3..9/3'
{_HOW}"""
_BACKTEST: Final = f"""
[bold]Examples[/bold]

kubestage sweep backtest cpu.csv hpa.yaml --request cpu=500m --vary setting.hpa.tolerance=0.05,0.1
{_HOW}"""
_REPLAY: Final = f"""
[bold]Examples[/bold]

kubestage sweep replay cluster/ --vary config=default.yaml,packed.yaml --seeds 1..20

kubestage sweep replay cluster/ --vary scale=deployment/web=5,deployment/web=20 --vary without=n1,n2

kubestage sweep replay audit.log --vary 'launch-delay=2s,10s,60s' --measures sameNodeShare,pending
{_HOW}"""
_GROUP: Final = """
[bold]Examples[/bold]

kubestage sweep run shop/ --for 30m --vary nodes=10,20,50 --seeds 1..20 --out sweeps/1

kubestage sweep experiment.yaml --out sweeps/2     [dim]# a Sweep file[/dim]

kubestage sweep --resume --out sweeps/1            [dim]# after Ctrl-C[/dim]

`kubestage sweep run --help` lists paths, values and options. docs/sweep.md is the guide.
"""
# Flags of the command that is swept are passed on to it.
_PASSING: Final = {"ignore_unknown_options": True}


class SweepGroup(help_page.Group):
    """Reads the first word as a command if it is one, else as a Sweep file or an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put the command for files before words that name none."""
        is_help = not args or args[0] in ("-h", "--help")
        named = is_help or args[0] in self.commands
        return super().parse_args(ctx, args if named else [_FILE, *args])


application = help_page.Application(
    name="sweep", help=HELP, cls=SweepGroup, epilog=_GROUP, no_args_is_help=True
)
Words = Annotated[
    list[str],
    typer.Argument(
        metavar="ARGS...",
        help="The command's own arguments and options: see its --help.",
        show_default=False,
    ),
]
Output = Annotated[str, option_objects.output_flag(*FORMATS)]


@application.command("run", epilog=_RUN, context_settings=_PASSING)
@option_objects.command
def run(words: Words, options: SweepOptions, output: Output = "table") -> int:
    """Sweep `kubestage run`: Scenarios, manifests, or a living cluster."""
    return _sweep(_defined("run", words, options), options, output)


@application.command("load", epilog=_LOAD, context_settings=_PASSING)
@option_objects.command
def load(words: Words, options: SweepOptions, output: Output = "table") -> int:
    """Sweep `kubestage load`: a configuration of ClusterLoader2 on a stage."""
    return _sweep(_defined("load", words, options), options, output)


@application.command("rehearse", epilog=_REHEARSE, context_settings=_PASSING)
@option_objects.command
def rehearse(words: Words, options: SweepOptions, output: Output = "table") -> int:
    """Sweep `kubestage rehearse`: drains, upgrades, outages, growth."""
    return _sweep(_defined("rehearse", words, options), options, output)


@application.command("backtest", epilog=_BACKTEST, context_settings=_PASSING)
@option_objects.command
def backtest(words: Words, options: SweepOptions, output: Output = "table") -> int:
    """Sweep `kubestage backtest`: autoscalers on recorded usage."""
    return _sweep(_defined("backtest", words, options), options, output)


@application.command("replay", epilog=_REPLAY, context_settings=_PASSING)
@option_objects.command
def replay(words: Words, options: SweepOptions, output: Output = "table") -> int:
    """Sweep `kubestage replay`: a recording under other settings."""
    return _sweep(_defined("replay", words, options), options, output)


@application.command(_FILE, epilog=_GROUP, hidden=True)
@option_objects.command
def file(
    options: SweepOptions,
    path: Annotated[
        str | None, typer.Argument(metavar="FILE", help="A Sweep file.", show_default=False)
    ] = None,
    output: Output = "table",
) -> int:
    """Run the sweep of a file, or complete the one of --out."""
    return _sweep(_read(path, options), options, output)


def _defined(command: str, words: list[str], options: SweepOptions) -> SweepDefinition:
    pairs = [axes.split(each) for each in options.vary]
    paths = [path for path, _ in pairs]
    for path in paths:
        if paths.count(path) > 1:
            raise InputError(
                "is varied twice", path=f"--vary {path}", fix="list all values at once"
            )
    return sweep_file.SweepDefinition(
        command=[command, *words],
        vary=dict(pairs),
        seeds=options.seeds,
        design=options.design,
        samples=options.samples,
        sampling_seed=options.sampling_seed,
        until=list(options.until),
        max_seeds=options.max_seeds,
    )


def _read(path: str | None, options: SweepOptions) -> SweepDefinition:
    """The sweep of a file, or of the directory that is resumed."""
    for name in ("vary", "seeds", "design", "samples", "sampling_seed", "until"):
        if getattr(options, name):
            fix = "write it into the file"
            raise InputError("is for commands", path=f"--{name.replace('_', '-')}", fix=fix)
    if path is None:
        if not options.resume or options.out is None:
            fix = "name a command or a Sweep file: see `kubestage sweep --help`"
            raise InputError("nothing to sweep is named", fix=fix)
        path = str(pathlib.Path(options.out) / sweep_file.NAME)
    return sweep_file.read(path)


def _sweep(definition: SweepDefinition, options: SweepOptions, output: str) -> int:
    engine = sweeping.engine_of(options.engine, options.jobs, options.address)
    prepared = sweeping.prepare(definition)
    table = sweeping.run(
        prepared, engine, options.out, resume=options.resume, observer=progress.OBSERVER
    )
    screen.write_data(sweep_table.formatted(table, output, options.measures))
    if options.out is not None:
        rows = f"{len(table.rows):,} rows"
        screen.note(f"Kept in {options.out}: {rows}; compare: kubestage sweep report {options.out}")
    if not table.errors:
        return 0
    first = table.errors[0]
    failures.print_error(f"{len(table.errors):,} of {len(table.rows):,} runs failed: {first.error}")
    return failures.NEGATIVE_RESULT


sweep_report.register(application)
