"""Tables: how the API server prints each kind for people, and how kubectl lays that out.

The names of columns and the texts of cells; not the choice of objects, their order, or where the
text is printed. Objects arrive with their defaults, as they are
read from storage; times are nanoseconds of the virtual clock.

NOTE: printers are loaded for the first table of objects: others lay out tables of their own
(`text`), and need none of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import lazy
from kubestage.objects.tables.columns import Column, Row, Table

with lazy.imports():
    from kubestage.objects.tables import printers

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json

__all__ = ["Column", "Row", "Table", "columns", "row", "table"]


def columns(api_version: str, kind: str, definition: Json | None = None) -> tuple[Column, ...]:
    """The columns of a kind.

    `definition` is the version entry of the CustomResourceDefinition behind a custom kind.
    """
    return printers.printer(api_version, kind, definition).columns


def row(obj: Json, now_ns: int, definition: Json | None = None) -> Row:
    """One object's row, with the cells of wide columns included."""
    return printers.printer(obj["apiVersion"], obj["kind"], definition).row(obj, now_ns)


def table(
    objects: Iterable[Json],
    now_ns: int,
    *,
    api_version: str,
    kind: str,
    definition: Json | None = None,
) -> Table:
    """All objects of one kind, in their order; items of a list need not name their kind."""
    printer = printers.printer(api_version, kind, definition)
    return Table(printer.columns, [printer.row(obj, now_ns) for obj in objects])
