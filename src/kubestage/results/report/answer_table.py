"""A table of an answer: severities stand out, and what has a place on the page leads there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.report import life_tables
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Mapping

SEVERITIES: Final = ("critical", "warning", "info")
_NO_LINKS: Final[Mapping[str, str]] = {}


class AnswerTable(msgspec.Struct, frozen=True):
    """One table of an answer; `more` is how many rows are left out."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    more: int = 0


def html(table: AnswerTable, links: Mapping[str, str] = _NO_LINKS) -> Html:
    """The table; a cell whose text is one of `links` leads to that anchor."""
    numeric = [
        at
        for at in range(len(table.head))
        if table.rows and all(row[at][:1].isdigit() for row in table.rows)
    ]
    words = [at for at in range(len(table.head)) if at not in numeric]
    rows = [[_cell(each, links) for each in row] for row in table.rows]
    shown = life_tables.table([each.capitalize() for each in table.head], rows, words)
    more = Html("")
    if table.more:
        more = element("p", f"and {table.more:,} more, in rehearsal.json", class_="soft small")
    return element("div", shown, more, class_="whole")


def severity(name: str) -> Html:
    """A severity in its colour."""
    return element("span", name, class_=f"dot {name}")


def _cell(text: str, links: Mapping[str, str]) -> str:
    if text in SEVERITIES:
        return severity(text)
    if text in links:
        return element("a", text, href=f"#{links[text]}")
    return text
