"""Every recorded column and row: the same as the API server prints."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from kubestage.objects import defaulting, tables, timestamps
from tests.golden import vectors


def _conditions(row: dict[str, Any]) -> list[Any]:
    found: list[Any] = row.get("conditions", [])
    return found


def test_recorded_columns_are_the_same_word_for_word() -> None:
    entries = [entry for entry in vectors.load("tables", "columns") if "out" in entry]
    assert entries
    for entry in entries:
        given = entry["in"]
        columns = tables.columns(given["apiVersion"], given["kind"])
        recorded = entry["out"]["columnDefinitions"]
        assert [msgspec.structs.asdict(column) for column in columns] == recorded, entry["id"]


def test_kinds_without_a_printer_show_name_and_creation() -> None:
    for entry in vectors.load("tables", "columns"):
        if "error" in entry:
            given = entry["in"]
            columns = tables.columns(given["apiVersion"], given["kind"])
            assert [column.name for column in columns] == ["Name", "Created At"], entry["id"]


def test_recorded_rows_are_the_same() -> None:
    entries = vectors.load("tables", "row")
    assert entries
    for entry in entries:
        now_ns = timestamps.parse_time(entry["in"]["now"])
        row = tables.row(defaulting.default(entry["in"]["object"]), now_ns)
        assert row.cells == entry["out"]["cells"], entry["id"]
        assert list(map(type, row.cells)) == list(map(type, entry["out"]["cells"])), entry["id"]
        assert row.conditions == _conditions(entry["out"]), entry["id"]


@pytest.mark.parametrize("kind", ["Pod", "Node", "Event", "Deployment"])
def test_recorded_lists_are_the_same(kind: str) -> None:
    for entry in vectors.load("tables", "list"):
        given = entry["in"]["object"]
        if given["kind"] != f"{kind}List":
            continue
        head = {"apiVersion": given["apiVersion"], "kind": kind}
        table = tables.table(
            [defaulting.default({**head, **item}) for item in given["items"]],
            timestamps.parse_time(entry["in"]["now"]),
            api_version=given["apiVersion"],
            kind=kind,
        )
        recorded = entry["out"]["rows"]
        assert [row.cells for row in table.rows] == [row["cells"] for row in recorded]
        assert [row.conditions for row in table.rows] == list(map(_conditions, recorded))
