from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

import pytest

from kubestage.errors import InputError
from kubestage.sweep import results
from kubestage.sweep.engines.crashes import CRASHED
from kubestage.sweep.rows import MeasureInfo, Row, Table
from kubestage.sweep.store import FILE, RowStore

if TYPE_CHECKING:
    import pathlib

INFO = MeasureInfo("m", "less", "s")
ABOUT = {"axes": '["p"]'}


def _row(index: int, value: float = 1.5, error: str | None = None) -> Row:
    return Row(index, f"key{index}", {"p": f"v{index}"}, 7, {"m": value}, error, (INFO,))


def _table(*rows: Row) -> Table:
    plain = tuple(Row(*(getattr(row, name) for name in row.__struct_fields__[:-1])) for row in rows)
    return Table(("p",), plain, {"m": INFO})


def _complete(path: pathlib.Path, order: list[int]) -> bytes:
    store = RowStore(path)
    store.start(ABOUT)
    for index in order:
        store.add(_row(index))
    store.finish(_table(*(_row(index) for index in range(len(order)))), ABOUT)
    return path.read_bytes()


def test_the_order_in_which_rows_come_does_not_show(tmp_path: pathlib.Path) -> None:
    first = _complete(tmp_path / "a.sqlite", [0, 1, 2, 3])
    assert _complete(tmp_path / "b.sqlite", [3, 1, 0, 2]) == first


def test_a_complete_sweep_is_read_in_order(tmp_path: pathlib.Path) -> None:
    _complete(tmp_path / FILE, [2, 0, 1])
    table = results.open(tmp_path)
    assert [row.index for row in table.rows] == [0, 1, 2]
    assert table.axes == ("p",)
    assert table.measures == {"m": INFO}
    assert table.rows[1].measures == {"m": 1.5}
    assert results.is_complete(tmp_path)


def test_a_view_has_a_column_for_each_parameter_and_measure(tmp_path: pathlib.Path) -> None:
    _complete(tmp_path / FILE, [0, 1])
    connection = sqlite3.connect(tmp_path / FILE)
    found = connection.execute('SELECT "index", seed, p, m, error FROM results').fetchall()
    connection.close()
    assert found == [(0, 7, "v0", 1.5, None), (1, 7, "v1", 1.5, None)]


def test_an_interrupted_sweep_has_the_rows_so_far(tmp_path: pathlib.Path) -> None:
    store = RowStore(tmp_path / FILE)
    store.start(ABOUT)
    store.add(_row(2))
    store.add(_row(0, error="failed"))
    store.close()
    table = results.open(tmp_path)
    assert [(row.index, row.error) for row in table.rows] == [(0, "failed"), (2, None)]
    assert not results.is_complete(tmp_path)


def test_rows_of_another_design_stay_and_are_found(tmp_path: pathlib.Path) -> None:
    _complete(tmp_path / FILE, [0, 1, 2])
    store = RowStore(tmp_path / FILE)
    store.start(ABOUT)
    found = store.find("key2")
    assert found is not None
    assert found.measures == {"m": 1.5}
    assert store.find("other") is None
    store.add(_row(2))
    store.finish(_table(_row(2)), ABOUT)
    assert [row.key for row in results.open(tmp_path).rows] == ["key2"]
    again = RowStore(tmp_path / FILE)
    again.start(ABOUT)
    assert again.find("key0") is not None
    again.close()


def test_a_row_whose_worker_died_is_computed_again(tmp_path: pathlib.Path) -> None:
    store = RowStore(tmp_path / FILE)
    store.start(ABOUT)
    store.add(_row(0, error=f"{CRASHED} 3 times: SIGKILL"))
    store.add(_row(1, error="bad input"))
    assert store.find("key0") is None
    assert store.find("key1") is not None
    store.close()


def test_what_is_no_sweep_is_refused(tmp_path: pathlib.Path) -> None:
    with pytest.raises(InputError, match="there is no sweep"):
        results.open(tmp_path)
    (tmp_path / FILE).write_bytes(b"something else, and long enough to be looked at" * 100)
    with pytest.raises(InputError, match="is no sweep"):
        results.open(tmp_path)
    sqlite3.connect(tmp_path / "other.sqlite").close()
    with pytest.raises(InputError, match="is no sweep"):
        results.open(tmp_path / "other.sqlite")
