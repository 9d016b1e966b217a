"""Objects as tables: one after the other, each of one kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from kubestage.cli import printing
from kubestage.objects import labels, tables
from kubestage.objects.tables import text

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.objects import kinds


class Layout(msgspec.Struct, frozen=True):
    """Which columns and headings tables have."""

    wide: bool = False
    with_namespace: bool = False
    with_kind: bool = False
    show_labels: bool = False
    no_headers: bool = False
    label_columns: tuple[str, ...] = ()


def render(
    found: Iterable[tuple[kinds.Kind, list[dict[str, Any]]]], layout: Layout, now_ns: int
) -> str:
    """The tables of kinds that have objects, parted by blank lines if they have headings."""
    written = [_table(kind, objects, layout, now_ns) for kind, objects in found if objects]
    return ("" if layout.no_headers else "\n").join(written)


def _table(kind: kinds.Kind, objects: list[dict[str, Any]], layout: Layout, now_ns: int) -> str:
    table = tables.table(
        objects,
        now_ns,
        api_version=kind.api_version,
        kind=kind.kind,
        definition=kind.definition,
    )
    columns, rows = list(table.columns), list(table.rows)
    # The prefix of a label's key says little and is long.
    added = [key.rpartition("/")[2] for key in layout.label_columns]
    added += ["Labels"] if layout.show_labels else []
    columns += [tables.Column(heading, "string", "", "", 0) for heading in added]
    shown = [_row(row, layout) for row in rows]
    return text.render(
        columns,
        shown,
        wide=layout.wide,
        with_namespace=layout.with_namespace and kind.namespaced,
        no_headers=layout.no_headers,
    )


def _row(row: tables.Row, layout: Layout) -> tables.Row:
    cells = list(row.cells)
    if layout.with_kind:
        cells[0] = printing.qualified_name(row.object)
    has = row.object["metadata"].get("labels") or {}
    cells += [has.get(key, "") for key in layout.label_columns]
    if layout.show_labels:
        cells.append(labels.format_labels(has))
    return msgspec.structs.replace(row, cells=cells)
