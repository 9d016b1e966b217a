"""The page about queueing theory tells of all that is in the table."""

from __future__ import annotations

import pathlib

from tests.traffic.queueing import table, wrong

PAGE = pathlib.Path(__file__).parents[3] / "docs" / "traffic-proof.md"


def cells(name: str) -> list[list[str]]:
    """A table of the page, line by line, without its head."""
    part = PAGE.read_text().partition(f"<!-- {name} -->")[2].partition(f"<!-- end of {name} -->")[0]
    lines = [line for line in part.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines[2:]]


def test_the_page_has_every_figure_of_every_queue() -> None:
    expected = [
        [name if at == 0 else "", claim.name, f"{claim.expected:.6g}"]
        for name, row in table.ROWS.items()
        for at, claim in enumerate(row.claims)
    ]
    assert [line[:3] for line in cells("table")] == expected


def test_on_the_page_theory_is_inside_and_for_what_is_wrong_outside() -> None:
    assert {line[5] for line in cells("table")} == {"inside"}
    assert [line[0] for line in cells("wrong")] == list(wrong.WRONG)
    assert {line[5] for line in cells("wrong")} == {"outside"}
