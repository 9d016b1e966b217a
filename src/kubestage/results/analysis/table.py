"""The one shape of all results: named, typed columns and rows of plain values."""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Any

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Kind(enum.Enum):
    """What the values of a column are; any of them may be missing (None)."""

    INT = "int"
    FLOAT = "float"
    TEXT = "text"


class Column(msgspec.Struct, frozen=True):
    """A column: its name, written as the fields of a Scenario are, and what is in it."""

    name: str
    kind: Kind


class Table(msgspec.Struct, frozen=True):
    """Rows under columns. CSV, JSON, Parquet, tables for people and charts are made of it."""

    columns: tuple[Column, ...]
    rows: list[tuple[Any, ...]]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(column.name for column in self.columns)

    def column(self, name: str) -> list[Any]:
        """All values of one column; KeyError if there is none of this name."""
        at = {each.name: place for place, each in enumerate(self.columns)}[name]
        return [row[at] for row in self.rows]

    def records(self) -> Iterator[dict[str, Any]]:
        """Each row as a dict."""
        names = self.names
        return (dict(zip(names, row, strict=True)) for row in self.rows)

    def where(self, keep: Callable[[dict[str, Any]], bool]) -> Table:
        """The rows for which `keep` is true."""
        names = self.names
        kept = [row for row in self.rows if keep(dict(zip(names, row, strict=True)))]
        return Table(self.columns, kept)


def columns(**kinds: Kind) -> tuple[Column, ...]:
    """Columns from names and kinds, in the order in which they are written."""
    return tuple(Column(name, kind) for name, kind in kinds.items())
