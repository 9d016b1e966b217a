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


class Options(msgspec.Struct, frozen=True):
    """What a person asked to see."""

    wide: bool = False
    with_namespace: bool = False
    with_kind: bool = False
    show_labels: bool = False
    no_headers: bool = False
    label_columns: tuple[str, ...] = ()


def render(
    found: Iterable[tuple[kinds.Kind, list[dict[str, Any]]]], options: Options, now_ns: int
) -> str:
    """The tables of kinds that have objects, parted by blank lines if they have headings."""
    written = [_table(kind, objects, options, now_ns) for kind, objects in found if objects]
    return ("" if options.no_headers else "\n").join(written)


def _table(kind: kinds.Kind, objects: list[dict[str, Any]], options: Options, now_ns: int) -> str:
    table = tables.table(
        objects,
        now_ns,
        api_version=kind.api_version,
        kind=kind.kind,
        definition=kind.definition,
    )
    columns, rows = list(table.columns), list(table.rows)
    # The prefix of a label's key says little and is long.
    added = [key.rpartition("/")[2] for key in options.label_columns]
    added += ["Labels"] if options.show_labels else []
    columns += [tables.Column(heading, "string", "", "", 0) for heading in added]
    shown = [_row(row, options) for row in rows]
    return text.render(
        columns,
        shown,
        wide=options.wide,
        with_namespace=options.with_namespace and kind.namespaced,
        no_headers=options.no_headers,
    )


def _row(row: tables.Row, options: Options) -> tables.Row:
    cells = list(row.cells)
    if options.with_kind:
        cells[0] = printing.qualified_name(row.object)
    has = row.object["metadata"].get("labels") or {}
    cells += [has.get(key, "") for key in options.label_columns]
    if options.show_labels:
        cells.append(labels.format_labels(has))
    return msgspec.structs.replace(row, cells=cells)
