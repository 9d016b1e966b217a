"""Columns, rows and tables as values, and the columns of every kind with their descriptions."""

from __future__ import annotations

import functools
import importlib.resources
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.cells import Cell

NAME_DESCRIPTION: Final = (
    "Name must be unique within a namespace. Is required when creating resources, although some "
    "resources may allow a client to request the generation of an appropriate name "
    "automatically. Name is primarily intended for creation idempotence and configuration "
    "definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names"
)
AGE_DESCRIPTION: Final = (
    "CreationTimestamp is a timestamp representing the server time when this object was created. "
    "It is not guaranteed to be set in happens-before order across separate operations. Clients "
    "may not set this value. It is represented in RFC3339 form and is in UTC.\n\n"
    "Populated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata"
)
_SHARED: Final = {"@name": NAME_DESCRIPTION, "@age": AGE_DESCRIPTION}


class Column(msgspec.Struct, frozen=True):
    """One column; those with a priority above 0 are shown in wide output only."""

    name: str
    type: str
    format: str = ""
    description: str = ""
    priority: int = 0


class Row(msgspec.Struct, frozen=True):
    """One object's row."""

    cells: list[Cell]
    """One for each column."""
    conditions: list[dict[str, str]]
    """What is true of the row as a whole."""
    object: Json


class Table(msgspec.Struct, frozen=True):
    """A list of objects, printed."""

    columns: tuple[Column, ...]
    rows: list[Row]


NAME: Final = Column("Name", "string", "name", NAME_DESCRIPTION)
# Kinds without a printer of their own show these two.
PLAIN: Final = (NAME, Column("Created At", "date", "", AGE_DESCRIPTION))


def _column(line: str) -> Column:
    name, value_type, value_format, priority, description = line.split("|", 4)
    description = _SHARED.get(description, description).replace("\\n", "\n")
    return Column(name, value_type, value_format, description, int(priority))


@functools.cache
def built_in() -> dict[tuple[str, str], tuple[Column, ...]]:
    """Columns of every kind that has a printer, by apiVersion and kind."""
    text = importlib.resources.files(__package__ or "").joinpath("columns.txt").read_text()
    lists: dict[tuple[str, str], list[Column]] = {}
    current: list[Column] = []
    for line in text.splitlines():
        if line.startswith(" "):
            current.append(_column(line[1:]))
        else:
            api_version, _, kind = line.partition(" ")
            current = lists.setdefault((api_version, kind), [])
    return {kind: tuple(columns) for kind, columns in lists.items()}
