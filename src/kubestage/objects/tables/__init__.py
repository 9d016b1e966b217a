"""Tables: how the API server prints each kind for people, and how kubectl lays that out.

Here belongs what a column is called and what stands in a cell. Here does not belong the choice
of objects, their order, or where the text goes. Objects arrive with their defaults, as they are
read from storage; times are nanoseconds of the virtual clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.objects.tables import pod, printers
from kubestage.objects.tables.columns import Column
from kubestage.objects.tables.row import Row, Table

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["Column", "Row", "Table", "columns", "row", "table"]


def columns(
    api_version: str, kind: str, definition: dict[str, Any] | None = None
) -> tuple[Column, ...]:
    """The columns of a kind.

    `definition` is the version entry of the CustomResourceDefinition behind a custom kind.
    """
    return printers.of(api_version, kind, definition).columns


def row(obj: dict[str, Any], now_ns: int, definition: dict[str, Any] | None = None) -> Row:
    """One object's row, with the cells of wide columns included."""
    return _row(printers.of(obj["apiVersion"], obj["kind"], definition), obj, now_ns)


def table(
    objects: Iterable[dict[str, Any]],
    now_ns: int,
    *,
    api_version: str,
    kind: str,
    definition: dict[str, Any] | None = None,
) -> Table:
    """All objects of one kind, in the order given; items of a list need not name their kind."""
    printer = printers.of(api_version, kind, definition)
    return Table(printer.columns, [_row(printer, obj, now_ns) for obj in objects])


def _row(printer: printers.Printer, obj: dict[str, Any], now_ns: int) -> Row:
    conditions = pod.conditions(obj) if printer.cells is pod.row else []
    return Row(printer.cells(obj, now_ns), conditions, obj)
