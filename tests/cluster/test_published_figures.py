"""The stage's figures in the document are those of a run, and near the published ones."""

from __future__ import annotations

import json

import pytest
from tools import published_figures
from tools.published_figures import DOCUMENT, HEAD, RECORDED, ROWS, Row, Runs

MOST = 2.0
RUNS = Runs()
QUICK = [row for row in ROWS if not row.is_large]
LARGE = [row for row in ROWS if row.is_large]


def shown() -> dict[str, str]:
    """The lines of the table in the document, by title."""
    text = published_figures.in_document(DOCUMENT.read_text())
    assert text.startswith(HEAD)
    lines = text.removeprefix(HEAD).splitlines(keepends=True)
    return {line.split(" | ", maxsplit=1)[0].removeprefix("| "): line for line in lines}


def check(row: Row, figures: tuple[float, float]) -> None:
    assert shown()[row.title] == published_figures.line(row, figures)
    for published, staged in zip(row.published, figures, strict=True):
        if published is not None:
            assert published_figures.factor(published, staged) <= MOST


def test_every_row_is_in_the_document_in_order() -> None:
    assert list(shown()) == [row.title for row in ROWS]


@pytest.mark.parametrize("row", QUICK, ids=lambda row: row.title)
def test_a_quick_row_is_as_the_document_states(row: Row) -> None:
    check(row, RUNS.figures(row))


@pytest.mark.parametrize("row", LARGE, ids=lambda row: row.title)
def test_a_large_row_is_as_recorded(row: Row) -> None:
    low, high = json.loads(RECORDED.read_text())[row.title]
    check(row, (low, high))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.title)
def test_rows_share_all_values_but_those_of_flags(row: Row) -> None:
    for section in row.profile.keys() - {"extends"}:
        assert row.profile[section].keys() == {"client_qps", "client_burst"}


def test_a_factor_is_the_same_in_both_directions() -> None:
    assert published_figures.factor(2.0, 4.0) == published_figures.factor(4.0, 2.0) == 2.0
