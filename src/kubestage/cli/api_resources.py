"""``kubestage api-resources``: the kind table as kubectl prints it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Final

from kubestage.cli import option_objects, progress, screen
from kubestage.runs.flags import Flag

if TYPE_CHECKING:
    from kubestage.objects import kinds

EPILOG: Final = """
[bold]Examples[/bold]

kubestage api-resources --cluster-scoped

kubestage api-resources -f my-crds/   [dim]# with the kinds that files define[/dim]
"""


@option_objects.command
def api_resources(
    files: Annotated[
        tuple[str, ...],
        Flag(
            "Add the kinds of CustomResourceDefinitions in these files.",
            "-f",
            "--filename",
            metavar="FILE|DIR|-",
        ),
    ] = (),
    namespaced: Annotated[
        bool | None,
        Flag("Only kinds that live in a namespace, or not.", "--namespaced/--cluster-scoped"),
    ] = None,
    no_headers: Annotated[bool, Flag("Leave the heading out.")] = False,
    output: Annotated[str, option_objects.output_flag("table", "name")] = "table",
) -> None:
    """List the kinds that a stage knows: names, short names, API version, scope."""
    from kubestage.objects import kinds
    from kubestage.runs.inputs import manifests

    table = (
        manifests.load_sound(files, observer=progress.OBSERVER).table
        if files
        else kinds.KindTable()
    )
    known = (row for row in table if row.stored_as is None)
    rows = [row for row in known if namespaced is None or row.namespaced == namespaced]
    rows.sort(key=lambda row: (row.group, row.plural, row.version))
    if output == "name":
        screen.write("".join(f"{row.resource}\n" for row in rows))
    else:
        screen.write(_table(rows, no_headers))


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
