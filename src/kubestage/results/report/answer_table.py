"""A table of an answer: severities stand out, and what has a place on the page leads there."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.results.report import life_tables
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SEVERITIES: Final = ("critical", "warning", "info")
_AMOUNT: Final = re.compile(r"-|\d\S*")
_NO_LINKS: Final[Mapping[str, str]] = {}


class AnswerTable(msgspec.Struct, frozen=True):
    """One table of an answer; `more` is how many rows are left out."""

    title: str
    head: tuple[str, ...]
    rows: list[tuple[str, ...]]
    more: int = 0


def html(table: AnswerTable, links: Mapping[str, str] = _NO_LINKS) -> Html:
    """The table; a cell whose text is one of `links` leads to that anchor."""
    words = [
        at for at in range(len(table.head)) if not _is_numeric([row[at] for row in table.rows])
    ]
    rows = [[_cell(each, links) for each in row] for row in table.rows]
    shown = life_tables.table([each.capitalize() for each in table.head], rows, words)
    more = Html("")
    if table.more:
        more = element("p", f"and {table.more:,} more, in rehearsal.json", class_="soft small")
    return element("div", shown, more, class_="whole")


def severity(name: str) -> Html:
    """A severity in its colour."""
    return element("span", name, class_=f"dot {name}")


def _is_numeric(cells: Sequence[str]) -> bool:
    """Whether a column has amounts, as in ``12``, ``14m17s`` or ``-``, and no sentences."""
    return all(_AMOUNT.fullmatch(each) for each in cells) and any(map(str.isdigit, "".join(cells)))


def _cell(text: str, links: Mapping[str, str]) -> str:
    if text in SEVERITIES:
        return severity(text)
    if text in links:
        return element("a", text, href=f"#{links[text]}")
    return text
