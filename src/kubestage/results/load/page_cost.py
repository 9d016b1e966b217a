"""What nodes cost while a load ran, on its page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.results.packing import tables, wording
from kubestage.results.report import life_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.results.load.cost import LoadCost
    from kubestage.results.report.markup import Html

HEAD: Final = ("POOL", "NODES", "PER HOUR", "COST", "IDLE")


def sections(cost: LoadCost | None) -> Iterator[tuple[str, str, str, Html]]:
    """Anchor, title, a sentence and the table of pools; nothing without prices."""
    if cost is not None:
        head = [each.capitalize() for each in HEAD]
        yield "cost", "Cost", cost.sentence, life_tables.table(head, rows(cost), words=(0,))


def rows(cost: LoadCost) -> list[tuple[str, ...]]:
    """A row for each pool: its nodes and their cost per hour at the end, and the cost in all."""
    return [
        (
            each.pool or tables.NO_POOL,
            f"{each.nodes:,}",
            wording.money(each.cost_per_hour, cost.currency),
            wording.money(each.cost, cost.currency),
            wording.share(each.idle_share),
        )
        for each in cost.pools
    ]
