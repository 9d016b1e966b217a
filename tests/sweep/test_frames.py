from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from pyarrow import parquet  # type: ignore[import-untyped]

from kubestage.errors import InputError
from kubestage.sweep import frames
from kubestage.sweep.rows import MeasureInfo, Row, Table

if TYPE_CHECKING:
    import pathlib

ROWS = (
    Row(0, "k0", {"n": 1, "mixed": "a", "pending": True}, 1, {"pending": 3, "cost": 1}),
    Row(1, "k1", {"n": 2, "mixed": 5, "pending": False}, 1, {"pending": 4, "cost": 2.5}),
    Row(2, "k2", {"n": 3, "mixed": None, "pending": None}, 2, {}, "bad"),
)
TABLE = Table(
    ("n", "mixed", "pending"),
    ROWS,
    {name: MeasureInfo(name) for name in ("pending", "cost", "never")},
)


def test_columns_have_one_type_each() -> None:
    assert frames.columns(TABLE) == {
        "index": [0, 1, 2],
        "seed": [1, 1, 2],
        "n": [1, 2, 3],
        "mixed": ["a", "5", None],
        # A parameter and a measure of one name.
        "parameter.pending": [True, False, None],
        "pending": [3, 4, None],
        "cost": [1.0, 2.5, None],
        "never": [None, None, None],
        "error": [None, None, "bad"],
        "key": ["k0", "k1", "k2"],
    }


def test_arrow_and_parquet(tmp_path: pathlib.Path) -> None:
    arrow = TABLE.to_arrow()
    types = {field.name: str(field.type) for field in arrow.schema}
    assert types["n"] == "int64"
    assert types["cost"] == types["never"] == "double"
    assert types["parameter.pending"] == "bool"
    assert types["error"] == "string"
    frames.write_parquet(TABLE, tmp_path / "a.parquet")
    frames.write_parquet(TABLE, tmp_path / "b.parquet")
    assert parquet.read_table(tmp_path / "a.parquet") == arrow
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


@pytest.mark.parametrize("name", ["pandas", "polars"])
def test_frames_of_other_libraries(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    class Library:
        @staticmethod
        def DataFrame(columns: dict[str, list[Any]], **_: object) -> list[str]:  # noqa: N802
            return list(columns)

    monkeypatch.setitem(__import__("sys").modules, name, Library)
    assert getattr(TABLE, f"to_{name}")() == list(frames.columns(TABLE))


@pytest.mark.parametrize("name", ["pandas", "polars", "pyarrow"])
def test_a_missing_library_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, name, None)
    with pytest.raises(InputError, match=f"{name} is not installed") as raised:
        getattr(TABLE, {"pyarrow": "to_arrow"}.get(name, f"to_{name}"))()
    assert "pip install" in (raised.value.fix or "")
