"""Tables: how the API server prints each kind for people, and how kubectl lays that out.

Here belongs what a column is called and what stands in a cell. Here does not belong the choice
of objects, their order, or where the text goes. Objects arrive with their defaults, as they are
read from storage; times are nanoseconds of the virtual clock.

NOTE: the printers of all kinds are loaded for the first table of objects: others lay out tables of
their own (`text`), and need none of them.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from kubestage.objects.tables.columns import Column
from kubestage.objects.tables.row import Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects.tables.printers import Printer

__all__ = ["Column", "Row", "Table", "columns", "row", "table"]


def columns(
    api_version: str, kind: str, definition: dict[str, Any] | None = None
) -> tuple[Column, ...]:
    """The columns of a kind.

    `definition` is the version entry of the CustomResourceDefinition behind a custom kind.
    """
    return _printer(api_version, kind, definition).columns


def row(obj: dict[str, Any], now_ns: int, definition: dict[str, Any] | None = None) -> Row:
    """One object's row, with the cells of wide columns included."""
    return _printer(obj["apiVersion"], obj["kind"], definition).row(obj, now_ns)


def table(
    objects: Iterable[dict[str, Any]],
    now_ns: int,
    *,
    api_version: str,
    kind: str,
    definition: dict[str, Any] | None = None,
) -> Table:
    """All objects of one kind, in the order given; items of a list need not name their kind."""
    printer = _printer(api_version, kind, definition)
    return Table(printer.columns, [printer.row(obj, now_ns) for obj in objects])


def _printer(api_version: str, kind: str, definition: dict[str, Any] | None) -> Printer:
    printers = importlib.import_module("kubestage.objects.tables.printers")
    found: Printer = printers.of(api_version, kind, definition)
    return found
