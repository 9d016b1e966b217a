"""``kubestage clock``: the virtual time of a server, and how it passes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import completion, screen
from kubestage.errors import InputError

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.remote.stage_clock import StageClock


EPILOG: Final = """
[bold]Examples[/bold]

kubestage clock                       [dim]# the time there, and how it passes[/dim]

kubestage clock advance 10m           [dim]# let ten minutes pass at once[/dim]

kubestage clock advance --until 2027-01-01T08:00:00Z

kubestage clock advance --to event    [dim]# up to the next change of an object[/dim]

kubestage clock advance --to decision [dim]# up to the next attempt of the scheduler[/dim]

kubestage clock pace realtime         [dim]# as on the wall[/dim]

kubestage clock pace speed 60         [dim]# an hour passes in a minute[/dim]

kubestage clock pace still            [dim]# only when it is advanced[/dim]

kubestage clock pace jump             [dim]# from event to event: the default[/dim]

The server is that of --server or --kubeconfig. Else it is that of KUBECONFIG, if `kubestage serve`
wrote that file, that of .kubestage in this directory, or the cluster that kubectl would use.
"""
_PACES: Final = ("jump", "still", "realtime", "speed")
_GOALS: Final = ("event", "decision")
_FORMATS: Final = ("text", "json")

Server = Annotated[
    str | None,
    typer.Option(
        "--server",
        metavar="URL",
        help="The address of the server, as `kubestage serve` prints it.",
        show_default=False,
    ),
]
Kubeconfig = Annotated[
    str | None,
    typer.Option(
        "--kubeconfig",
        metavar="FILE",
        help="The kubeconfig that leads to the server.",
        show_default=False,
    ),
]
Output = Annotated[str, completion.output_option(*_FORMATS)]

application = typer.Typer(
    name="clock",
    help="Show, advance or set the virtual time of a server.",
    epilog=EPILOG,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
    invoke_without_command=True,
)


@application.callback()
def clock(
    context: typer.Context,
    server: Server = None,
    kubeconfig: Kubeconfig = None,
    output: Output = "text",
) -> int:
    """Show, advance or set the virtual time of a server."""
    if context.invoked_subcommand is not None:
        context.obj = (server, kubeconfig, output)
        return 0
    return show(context, server, kubeconfig, output)


@application.command()
def show(
    context: typer.Context,
    server: Server = None,
    kubeconfig: Kubeconfig = None,
    output: Output = "text",
) -> int:
    """Show what time it is, and how it passes."""
    stage_clock, output = _selected(context, server, kubeconfig, output)
    return _print(stage_clock.show(), output)


@application.command()
def advance(
    context: typer.Context,
    duration: Annotated[
        str | None,
        typer.Argument(metavar="[DURATION]", help="How much, as in 90s, 10m, 1h30m or 7d."),
    ] = None,
    until: Annotated[
        str | None,
        typer.Option(
            "--until",
            metavar="TIME",
            help="Up to a moment, as in 2027-01-01T08:00:00Z.",
            show_default=False,
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="|".join(_GOALS),
            help="Up to the next change of an object (event), or the scheduler's next attempt "
            "(decision); at most 24h.",
            autocompletion=completion.one_of(*_GOALS),
            show_default=False,
        ),
    ] = None,
    server: Server = None,
    kubeconfig: Kubeconfig = None,
    output: Output = "text",
) -> int:
    """Let time pass, as fast as that goes; ends when that time has come."""
    if sum(each is not None for each in (duration, until, to)) != 1:
        fix = (
            "write it as in: advance 10m, advance --until 2027-01-01T08:00:00Z, advance --to event"
        )
        raise InputError("give one of a duration and --until, or --to", fix=fix)
    if to is not None:
        completion.check_choice(to, _GOALS, "--to")
    how_much = None if duration is None else _duration(duration)
    stage_clock, output = _selected(context, server, kubeconfig, output)
    return _print(stage_clock.advance(how_much, until, to), output)


@application.command()
def pace(
    context: typer.Context,
    name: Annotated[
        str,
        typer.Argument(
            metavar="|".join(_PACES),
            help="How time is to pass.",
            autocompletion=completion.one_of(*_PACES),
        ),
    ],
    number: Annotated[
        float | None,
        typer.Argument(metavar="[N]", help="With speed: how many times as fast as on the wall."),
    ] = None,
    server: Server = None,
    kubeconfig: Kubeconfig = None,
    output: Output = "text",
) -> int:
    """Let time pass in another way."""
    completion.check_choice(name, _PACES, "pace")
    stage_clock, output = _selected(context, server, kubeconfig, output)
    return _print(stage_clock.set_pace(name, number), output)


def _selected(
    context: typer.Context, server: str | None, config: str | None, output: str
) -> tuple[StageClock, str]:
    """The clock of the server, and the output format; options may stand before the verb."""
    from kubestage.remote.stage_clock import StageClock
    from kubestage.runs import clock_server

    before = context.obj if isinstance(context.obj, tuple) else (None, None, "text")
    output = output if output != "text" else before[2]
    completion.check_choice(output, _FORMATS)
    return StageClock(clock_server.find(server or before[0], config or before[1])), output


def _duration(text: str) -> str:
    """A duration as the API reads it, which has no days."""
    from kubestage.golang import durations
    from kubestage.runs import living

    try:
        return durations.go_string(living.parse_duration(text))
    except InputError as error:
        raise InputError(f'"{text}" is no duration above 0', fix=error.fix) from None


def _print(state: Json, output: str) -> int:
    from kubestage.cli import clock_report, printing

    text = printing.as_json(state) if output == "json" else clock_report.as_text(state)
    screen.write(text)
    return 0
