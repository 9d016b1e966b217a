"""Finds out how a kind is printed."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import TYPE_CHECKING

import msgspec

from kubestage.objects import kinds, schema, timestamps
from kubestage.objects.kinds import loader
from kubestage.objects.tables import cells, custom
from kubestage.objects.tables.cells import Cell, Object
from kubestage.objects.tables.columns import PLAIN, Row, built_in

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.tables.columns import Column

Print = Callable[[Object, int], list[Cell]]


class Printer(msgspec.Struct, frozen=True):
    """How one kind becomes a table."""

    columns: tuple[Column, ...]
    cells: Print
    conditions: Callable[[Object], list[dict[str, str]]] | None = None

    def row(self, obj: Object, now_ns: int) -> Row:
        """One object's row."""
        conditions = [] if self.conditions is None else self.conditions(obj)
        return Row(self.cells(obj, now_ns), conditions, obj)


def _name_and_creation(obj: Object, _now_ns: int) -> list[Cell]:
    created_ns = cells.instant(cells.part(obj, "metadata").get("creationTimestamp"))
    return [cells.name(obj), timestamps.format_time(created_ns)]


def _scale(obj: Object, now_ns: int) -> list[Cell]:
    return [
        cells.name(obj),
        cells.number(obj, "spec", "replicas"),
        cells.number(obj, "status", "replicas"),
        cells.age(obj, now_ns),
    ]


_SCALE = ("autoscaling/v1", "Scale")


@functools.cache
def _built_in(api_version: str, kind: str) -> Printer | None:
    if (api_version, kind) == _SCALE:
        return Printer(built_in()[_SCALE], _scale)
    behavior = loader.behavior(api_version, kind)
    if behavior.cells is not None:
        return Printer(built_in()[api_version, kind], behavior.cells, behavior.row_conditions)
    if kinds.built_in(api_version, kind) is None or behavior.stored_as_sent:
        return None
    # A view of another kind has no printer of its own.
    is_view = behavior.to_served is not None
    is_declared = schema.kind_struct(api_version, kind) is not None
    return Printer(PLAIN, _name_and_creation) if is_declared and not is_view else None


def served(api_version: str, kind: str, version: Json | None = None) -> Printer:
    """The printer that the API server uses for a kind."""
    if loader.behavior(api_version, kind).served_plain:
        return Printer(PLAIN, _name_and_creation)
    return printer(api_version, kind, version)


def printer(api_version: str, kind: str, version: Json | None = None) -> Printer:
    """The printer of a kind; `version` is the entry of its CustomResourceDefinition, if any."""
    known = _built_in(api_version, kind)
    if known is not None:
        return known
    defined = custom.OWN.get((api_version, kind)) if version is None else None
    defined = custom.definitions(version) if defined is None else defined
    return Printer(custom.columns(defined), functools.partial(custom.row, defined))
