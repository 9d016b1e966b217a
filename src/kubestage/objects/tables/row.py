"""Rows and tables as values."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.tables.columns import Column


class Row(msgspec.Struct, frozen=True):
    """One object's cells, one for each column; `conditions` are about the row itself."""

    cells: list[Cell]
    conditions: list[dict[str, str]]
    object: dict[str, Any]


class Table(msgspec.Struct, frozen=True):
    """A list of objects, printed."""

    columns: tuple[Column, ...]
    rows: list[Row]
