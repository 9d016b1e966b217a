"""Tables become CSV, JSON and Parquet without loss."""

from __future__ import annotations

import csv
import io
import json
import sys
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import InputError
from kubestage.results import analysis
from tests.results.analysis.stories import Story, rivalry

if TYPE_CHECKING:
    import pathlib

TABLES = [*(each.compute for each in analysis.TABLES.values()), analysis.attempt_log]


@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_json_has_an_object_per_row(make: Any) -> None:
    table = make(rivalry().status())
    assert json.loads(analysis.as_json(table)) == list(table.records())


@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
def test_csv_has_a_line_per_row_and_nothing_for_none(make: Any) -> None:
    table = make(rivalry().status())
    read = list(csv.reader(io.StringIO(analysis.as_csv(table))))
    assert read[0] == list(table.names)
    assert read[1:] == [["" if cell is None else str(cell) for cell in row] for row in table.rows]


@pytest.mark.parametrize("make", TABLES, ids=lambda make: make.__name__)
@pytest.mark.parametrize("story", [rivalry(), Story(detail=False).step(1)], ids=["some", "none"])
def test_parquet_keeps_values_and_types(make: Any, story: Story, tmp_path: pathlib.Path) -> None:
    from pyarrow import parquet  # type: ignore[import-untyped]  # it has no types

    table = make(story.status())
    path = tmp_path / "table.parquet"
    analysis.write_parquet(table, path)
    read = parquet.read_table(path)
    assert read.to_pylist() == list(table.records())
    kinds = {"int": "int64", "float": "double", "text": "string"}
    assert [str(field.type) for field in read.schema] == [
        kinds[column.kind.value] for column in table.columns
    ]


def test_without_pyarrow_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(InputError) as refused:
        analysis.write_parquet(
            analysis.table(rivalry().status(), "pods"), tmp_path / "pods.parquet"
        )
    assert refused.value.fix == "pip install 'kubestage[parquet]'"


def test_an_amount_beyond_int64_is_refused_for_parquet_alone(tmp_path: pathlib.Path) -> None:
    story = Story().step(1).node("a", memory="8Ei").node("b", memory="8Ei")
    table = analysis.table(story.status(), "allocation")
    assert table.column("allocatable")[1] > 2**63
    assert json.loads(analysis.as_json(table))[1]["allocatable"] > 2**63
    with pytest.raises(InputError, match="too large"):
        analysis.write_parquet(table, tmp_path / "a.parquet")


def test_the_summary_as_json_is_an_object() -> None:
    told = json.loads(analysis.summary_json(rivalry().scenario()))
    assert (told["scheduled"], told["nodesUsed"]) == (3, 2)
    assert told["resources"]["cpu"]["strandedRate"] == 1.0


def test_a_column_is_found_by_its_name() -> None:
    table = analysis.table(rivalry().status(), "pods")
    assert table.column("status").count("Scheduled") == 3
    with pytest.raises(KeyError, match="colour"):
        table.column("colour")
