"""Rows and tables as values."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell
    from kubestage.objects.tables.columns import Column


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """One object's cells, one for each column; `conditions` are about the row itself."""

    cells: list[Cell]
    conditions: list[dict[str, str]]
    object: dict[str, Any]


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A list of objects, printed."""

    columns: tuple[Column, ...]
    rows: list[Row]
