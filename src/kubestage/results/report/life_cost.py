"""Cost and packing in the report of a living run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import prices
from kubestage.results.life import cost_summary
from kubestage.results.packing import tables, wording
from kubestage.results.packing.packing import Packing
from kubestage.results.report import life_tables
from kubestage.results.report.markup import Html, element, join

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.life import Life
    from kubestage.results.packing.tables import PackingTable

_MOST: Final = 30


def section(life: Life) -> Html:
    """What was spent by namespace and workload, then the packing at the end."""
    summary = life.summary
    parts = [*_spent(summary)]
    if summary.get("packing") is not None:
        packing = msgspec.convert(summary["packing"], Packing)
        if packing.node_count:
            parts.append(element("p", f"At the end: {tables.sentence(packing)}", class_="soft"))
            parts += [table(each) for each in tables.all_tables(packing)]
    return join(parts, "\n")


def table(found: PackingTable, rest: str = "life.json has all") -> Html:
    """A table under its title; long ones are cut, and `rest` says where all rows are."""
    shown = life_tables.table(
        [each.capitalize() for each in found.head], found.rows[:_MOST], words=(0,)
    )
    more = Html("")
    if len(found.rows) > _MOST:
        text = f"and {len(found.rows) - _MOST:,} more: {rest}"
        more = element("p", text, class_="soft small")
    return Html(element("h3", found.title, class_="over") + shown + more)


def _spent(summary: Json) -> list[Html]:
    costs, total = summary.get("costs"), summary.get("cost")
    if not costs or not total:
        return []
    currency = summary.get("currency") or prices.DEFAULT_CURRENCY
    rows = [
        (name, wording.money(costs[field], currency), wording.share(costs[field] / total))
        for name, field in (("idle", "idle"), ("DaemonSets", "daemons"))
    ]
    rows += [
        (each["name"], wording.money(each["cost"], currency), wording.share(each["cost"] / total))
        for each in costs["workloads"]
    ]
    spent = wording.money(total, currency)
    text = f"Nodes cost {spent} in all. A pod costs its share of its node; the rest is idle."
    decided = cost_summary.decided(summary)
    if decided is not None:
        shown_price = wording.money(decided, currency)
        text += f" At the prices that Karpenter decided with, by NodeOverlays: {shown_price}."
    lead = element("p", text, class_="soft")
    head = ("WORKLOAD", "COST", "OF ALL")
    found = [lead, table(tables.PackingTable("Cost of the run", head, rows))]
    bought = [
        (f"{name} ({by})", wording.money(cost, currency), wording.share(share))
        for by, name, cost, share in cost_summary.bought(summary)
    ]
    if bought:
        head = ("BOUGHT", "COST", "OF ALL")
        found.append(table(tables.PackingTable("What was bought", head, bought)))
    return found
