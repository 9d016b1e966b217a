"""Results show themselves in a notebook."""

from __future__ import annotations

import sys

import msgspec
import pytest

from kubestage.errors import InputError
from kubestage.results.analysis.table import Kind, Table, columns
from kubestage.runs import notebook
from kubestage.runs.notebook import NotebookResult, TableResult


class _Counted(TableResult, msgspec.Struct, frozen=True):
    count: int

    def table(self) -> Table:
        rows = [(number, f"<{number}>", None) for number in range(self.count)]
        return Table(columns(number=Kind.INT, name=Kind.TEXT, share=Kind.FLOAT), rows)

    def headline(self) -> str:
        return f"{self.count} & more"


def test_a_result_is_shown_as_a_table() -> None:
    result = _Counted(2)
    assert isinstance(result, NotebookResult)
    shown = result._repr_html_()
    assert "<p>2 &amp; more</p>" in shown
    assert "<tr><th>number</th><th>name</th><th>share</th></tr>" in shown
    assert "<tr><td>1</td><td>&lt;1&gt;</td><td></td></tr>" in shown


def test_a_long_table_is_cut_and_says_so() -> None:
    shown = _Counted(250)._repr_html_()
    assert shown.count("<tr>") == 101
    assert "<p>100 of 250 rows</p>" in shown


def test_without_pandas_the_error_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(InputError) as caught:
        _Counted(1).to_pandas()
    assert caught.value.fix == "pip install 'kubestage[notebook]'"


def test_numbers_are_short() -> None:
    table = Table(columns(share=Kind.FLOAT), [(0.5,)])
    assert "<td>0.5</td>" in notebook.to_html(table)
