"""``kubestage api-resources``: the kind table as kubectl prints it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kubestage.cli import completion

if TYPE_CHECKING:
    from kubestage.objects import kinds

EPILOG: Final = """
[bold]Examples[/bold]

kubestage api-resources --cluster-scoped

kubestage api-resources -f my-crds/   [dim]# with the kinds that files define[/dim]
"""


def api_resources(
    files: Annotated[
        list[str] | None,
        typer.Option(
            "-f",
            "--filename",
            metavar="FILE|DIR|-",
            help="Add the kinds of CustomResourceDefinitions in these files.",
        ),
    ] = None,
    namespaced: Annotated[
        bool | None,
        typer.Option(
            "--namespaced/--cluster-scoped", help="Only kinds that live in a namespace, or not."
        ),
    ] = None,
    no_headers: Annotated[
        bool, typer.Option("--no-headers", help="Leave the heading out.")
    ] = False,
    output: Annotated[str, completion.output_option("table", "name")] = "table",
) -> None:
    """List the kinds that a stage knows: names, short names, API version, scope."""
    from kubestage.objects import kinds
    from kubestage.runs.inputs import loading

    completion.check_choice(output, ("table", "name"))
    table = loading.load_sound(files).table if files else kinds.KindTable()
    own = (row for row in table if row.stored_as is None)
    rows = [row for row in own if namespaced is None or row.namespaced == namespaced]
    rows.sort(key=lambda row: (row.group, row.plural, row.version))
    if output == "name":
        sys.stdout.write("".join(f"{row.resource}\n" for row in rows))
    else:
        sys.stdout.write(_table(rows, no_headers))


def _table(rows: list[kinds.Kind], no_headers: bool) -> str:
    from kubestage.objects.tables import text

    cells = [
        (
            row.plural,
            ",".join(row.short_names),
            row.api_version,
            str(row.namespaced).lower(),
            row.kind,
        )
        for row in rows
    ]
    if not no_headers:
        cells.insert(0, ("NAME", "SHORTNAMES", "APIVERSION", "NAMESPACED", "KIND"))
    return "".join(f"{line}\n" for line in text.align(cells))
