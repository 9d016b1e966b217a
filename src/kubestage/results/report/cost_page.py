"""The report of ``kubestage cost``: the answer, charts, then all tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.results import charts
from kubestage.results.packing.node_shares import NodeShare  # noqa: TC001 - msgspec reads it
from kubestage.results.packing.packing import Packing  # noqa: TC001 - msgspec reads it
from kubestage.results.packing.tables import PackingTable  # noqa: TC001 - msgspec reads it
from kubestage.results.report import drawings, life_page, life_tables
from kubestage.results.report.markup import Html, element, join

if TYPE_CHECKING:
    from collections.abc import Iterator


class CostPage(msgspec.Struct, frozen=True, kw_only=True):
    """What the page shows."""

    cluster: str
    answer: str
    version: str
    packing: Packing
    nodes: list[NodeShare]
    tables: list[PackingTable]
    notes: list[str] = []


def render(page: CostPage) -> str:
    """The page as text, with charts if what draws them is installed."""
    sections = [*_charts(page)]
    for each in page.tables:
        identity = each.title.lower().replace(" ", "-")
        sections.append((identity, each.title, _table(each)))
    return life_page.page(f"Cost of {page.cluster}", page.version, _heading(page), sections)


def _table(found: PackingTable) -> Html:
    """A table whose columns of names are on the left, and numbers one below the other."""
    words = [
        at
        for at in range(len(found.head))
        if any(row[at][:1].isalpha() or row[at].startswith("(") for row in found.rows)
    ]
    return life_tables.table([each.capitalize() for each in found.head], found.rows, words)


def _charts(page: CostPage) -> Iterator[tuple[str, str, Html]]:
    if drawings.can_draw():
        drawn = drawings.drawn(charts.of_packing(page.packing, page.nodes))
        if drawn:
            yield "charts", "Charts", drawings.figures(drawn)


def _heading(page: CostPage) -> Html:
    facts = {"Cluster": page.cluster, "kubestage": page.version}
    parts = [
        element("p", "Cost and packing", class_="over"),
        element("div", element("h1", page.cluster), class_="titled"),
        element("p", page.answer, class_="lead"),
        *(element("p", f"Note: {note}", class_="soft small") for note in page.notes),
    ]
    entries = [
        element("div", element("dt", name), element("dd", value)) for name, value in facts.items()
    ]
    return join([*parts, element("dl", *entries, class_="facts")], "\n")
