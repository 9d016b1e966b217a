"""What a run's nodes cost at its end, and whose cost it is; only where nodes have prices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.analysis import cost_tables, packed_steps
from kubestage.results.packing import packing, tables
from kubestage.results.report import life_cost
from kubestage.results.report.markup import Html, element, join

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.analysis import Digest
    from kubestage.results.packing.tables import PackingTable


def sections(run: Digest) -> Iterator[tuple[str, str, Html, Html]]:
    """Anchor, title, a sentence and the body; nothing without prices."""
    if not cost_tables.has_prices(run):
        return
    found = packing.of(packed_steps.at_end(run))
    if found.costs.cluster_cost is not None:
        lead = element("p", f"At the end: {tables.sentence(found)}", class_="soft small")
        yield "cost", "Cost", lead, join(map(_table, tables.all_tables(found)), "\n")


def _table(found: PackingTable) -> Html:
    return life_cost.table(found, "kubestage analyze RUN cost-shares has all")
