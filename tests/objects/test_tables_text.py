"""Tables as text: the same characters that kubectl would print."""

from __future__ import annotations

from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.objects.tables import Column, Row, text

COLUMNS = (
    Column("Name", "string", "name"),
    Column("Ready", "string"),
    Column("Node", "string", priority=1),
    Column("Age", "string"),
)


def _row(*cells: Any, namespace: str = "") -> Row:
    return Row(list(cells), [], {"metadata": {"namespace": namespace}})


ROWS = [_row("web", "1/1", "n1", "5m", namespace="default"), _row("database-0", "0/1", "", "1d")]


def test_wide_columns_are_hidden_unless_asked_for() -> None:
    assert text.render(COLUMNS, ROWS) == (
        "NAME         READY   AGE\n"
        "web          1/1     5m\n"
        "database-0   0/1     1d\n"
    )  # fmt: skip
    assert text.render(COLUMNS, ROWS, wide=True) == (
        "NAME         READY   NODE   AGE\n"
        "web          1/1     n1     5m\n"
        "database-0   0/1            1d\n"
    )


def test_the_namespace_comes_first_and_headers_can_be_left_out() -> None:
    assert text.render(COLUMNS, ROWS, with_namespace=True) == (
        "NAMESPACE   NAME         READY   AGE\n"
        "default     web          1/1     5m\n"
        "            database-0   0/1     1d\n"
    )
    assert text.render(COLUMNS, ROWS[:1], no_headers=True) == "web   1/1   5m\n"


def test_names_carry_their_kind_when_several_kinds_are_printed() -> None:
    printed = text.render(COLUMNS, ROWS[:1], kind="deployment.apps")
    assert printed.splitlines()[1] == "deployment.apps/web   1/1     5m"


def test_no_rows_print_nothing() -> None:
    assert text.render(COLUMNS, []) == ""


def test_an_empty_last_cell_leaves_the_padding_before_it() -> None:
    assert text.render(COLUMNS[:2], [_row("a", None)]) == "NAME   READY\na      \n"


def test_a_cell_is_one_line_without_escape_sequences() -> None:
    printed = text.render(COLUMNS[:1], [_row("a\x1b[31m\nb"), _row(True), _row(5), _row(1.5)])
    assert printed == "NAME\na^[[31m...\ntrue\n5\n1.5\n"


def test_a_column_is_as_wide_as_its_run_of_lines_needs() -> None:
    lines = [["aaaaaaaa", "b"], ["c"], ["d", "e"]]
    assert text.align(lines) == ["aaaaaaaa   b", "c", "d     e"]


CELLS = st.text("ab ", max_size=12)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.lists(CELLS, min_size=3, max_size=3), min_size=1, max_size=8))
def test_cells_of_one_column_start_below_each_other(rows: list[list[str]]) -> None:
    printed = text.render(COLUMNS, [_row(a, b, "", c) for a, b, c in rows]).splitlines()
    first = max(6, 3 + max(4, *(len(row[0]) for row in rows)))
    second = first + max(6, 3 + max(5, *(len(row[1]) for row in rows)))
    for line, row in zip(printed, [["NAME", "READY", "AGE"], *rows], strict=True):
        assert line[:first] == row[0].ljust(first)
        assert line[first:second] == row[1].ljust(second - first)
        assert line[second:] == row[2]
