"""``kubestage trace``: show the movements that a run has kept in a file."""

from __future__ import annotations

import functools
import pathlib
import sys
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from kubestage.cli import option_objects, progress, screen, trace_table
from kubestage.errors import InputError
from kubestage.runs import recorded_files
from kubestage.runs.flags import Flag

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from kubestage.results.trace import TraceRow

HELP: Final = "Show the movements that a run has kept with --trace-out."
EPILOG: Final = """
[bold]Examples[/bold]

kubestage run shop/ --for 30m --trace-out run.sqlite

kubestage trace show run.sqlite --kind hpa_tick --to 5m

kubestage trace show run.sqlite --stock ReplicasActive --from 10m --to 12m

kubestage trace show run.sqlite --entity default/web-1 -o json

kubestage trace show run.sqlite --ignored          [dim]# what did not happen, and why[/dim]
"""
_NAMED: Final = 12
_START: Final = ("0", "0s")

application = typer.Typer(name="trace", help=HELP, rich_markup_mode="rich", no_args_is_help=True)

_File = Annotated[
    str, typer.Argument(metavar="FILE", help="What --trace-out has written.", show_default=False)
]


@application.command(epilog=EPILOG)
@option_objects.command
def show(
    file: _File,
    run: Annotated[int | None, Flag("By default the newest.", "--run", metavar="NUMBER")] = None,
    kind: trace_table.Kind = None,
    entity: trace_table.Entity = None,
    stock: trace_table.Stock = None,
    begin: Annotated[
        str | None, Flag("Since the start, as in 5m.", "--from", metavar="TIME")
    ] = None,
    end: Annotated[str | None, Flag("Up to this time, as in 10m.", "--to", metavar="TIME")] = None,
    ignored: Annotated[
        bool, Flag("The movements that did not happen, and why.", "--ignored")
    ] = False,
    internal: Annotated[
        bool,
        Flag("Internal timers too, if --trace-internal kept them.", "--internal"),
    ] = False,
    output: Annotated[str, option_objects.output_flag("table", "json")] = "table",
) -> None:
    """Print the movements of a kept run, one by one."""
    from kubestage.results import trace

    _check(file)
    names = {"kind": kind, "entity": entity, "stock": stock}
    read = functools.partial(
        trace.read_trace,
        file,
        run=run,
        **names,
        since_ns=_time(begin, "--from"),
        until_ns=_time(end, "--to"),
        ignored=ignored,
        internal=internal,
    )
    with recorded_files.error_context(file):
        if output == "json":
            count = _print_json(read)
        else:
            columns = trace.IGNORED_COLUMNS if ignored else trace.COLUMNS
            count = trace_table.print_trace(columns, read)
    if not count:
        sys.stdout.flush()
        progress.OBSERVER.note(f"no movement matches{_known(file, run, names)}")


@application.command()
def runs(file: _File) -> None:
    """List the runs that a file holds."""
    from kubestage.results import trace

    _check(file)
    with recorded_files.error_context(file):
        rows = [
            (str(each.id), each.name, each.seed, f"{each.completed:,}", f"{each.ignored:,}")
            for each in trace.read_runs(file)
        ]
        trace_table.print_table(("run", "name", "seed", "completed", "ignored"), lambda: rows)


def _check(file: str) -> None:
    if not pathlib.Path(file).is_file():
        fix = "kubestage run ... --for 10m --trace-out FILE writes one"
        raise InputError("no such file", file=file, fix=fix)


def _time(text: str | None, option: str) -> int | None:
    from kubestage.runs import living

    if text is None:
        return None
    return 0 if text in _START else living.parse_duration(text, option)


def _print_json(read: Callable[[], Iterable[TraceRow]]) -> int:
    """A list of objects, written one after the other."""
    import msgspec

    count = 0
    screen.write("[")
    for count, row in enumerate(read(), 1):
        data = msgspec.json.encode(_as_dict(row)).decode()
        screen.write(f"{',' if count > 1 else ''}\n{data}")
    screen.write("\n]\n" if count else "]\n")
    return count


def _as_dict(row: TraceRow) -> dict[str, Any]:
    data: dict[str, Any] = {
        "occursAt": row.occurs_at,
        "kind": row.kind,
        "entity": row.entity,
        "from": row.from_stock,
        "to": row.to_stock,
        "notes": row.notes,
    }
    if row.reason is not None:
        data |= {"reason": row.reason, "noticedAt": row.noticed_at}
    return data


def _known(file: str, run: int | None, names: dict[str, str | None]) -> str:
    """The names that the file has, if the requested one is not in it."""
    from kubestage.results import trace

    for column, name in names.items():
        known = trace.read_names(file, column, run) if name is not None else [name]
        if name not in known:
            shown = ", ".join(str(each) for each in known[:_NAMED])
            more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
            return f': there is no {column} "{name}"; the run has {shown}{more}'
    return ""
