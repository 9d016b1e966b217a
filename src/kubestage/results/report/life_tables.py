"""The tables of the report of a living run: traffic, workloads, nodes, and what was decided."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.objects import prices
from kubestage.results.life import wording
from kubestage.results.packing import wording as money
from kubestage.results.report.markup import Html, element

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.aliases import Json
    from kubestage.results.life.life import Life


_MOST: Final = 1000
_NO_GROUP: Final = "no group"


def sections(life: Life) -> list[tuple[str, str, Html]]:
    """Anchor, title and table of each part; empty where there is nothing to show."""
    summary = life.summary
    return [
        ("traffic", "Traffic", _traffic(summary["traffic"])),
        ("workloads", "Workloads", _workloads(summary["workloads"])),
        ("autoscalers", "Autoscalers", _autoscalers(summary["autoscalers"])),
        ("node-groups", "Node groups", _node_groups(summary)),
        ("decisions", "Decisions", _decisions(life.rows("decisions"))),
    ]


def _traffic(rows: Sequence[Json]) -> Html:
    head = ("Traffic", "Requests", "Failed", "Why", "Mean", "p50", "p95", "p99", "Longest")
    fields = ("mean", "p50", "p95", "p99", "max")
    return table(
        head,
        (
            (
                each["traffic"],
                f"{each['requests']:,}",
                f"{each['failed']:,} ({wording.share(each['failed'], each['requests'])})",
                wording.reasons(each["failedByReason"]) or "–",
                *(wording.milliseconds(each["responseMs"][name]) for name in fields),
            )
            for each in rows
        ),
        words=(0, 3),
    )


def _workloads(rows: Sequence[Json]) -> Html:
    head = ("Workload", "Replica-hours", "Fewest", "Most", "At the end")
    fields = ("replicasLowest", "replicasHighest", "replicasAtEnd")
    return table(
        head,
        (
            (
                each["workload"],
                wording.hours(each["replicaHours"]),
                *(wording.count(each[name]) for name in fields),
            )
            for each in rows
        ),
        words=(0,),
    )


def _autoscalers(rows: Sequence[Json]) -> Html:
    head = ("Autoscaler", "Rescales", "Up", "Down", "Evictions", "Resizes")
    fields = ("rescales", "rescalesUp", "rescalesDown", "evictions", "resizes")
    return table(
        head,
        (
            (each["autoscaler"], *(wording.count(each.get(name)) for name in fields))
            for each in rows
        ),
        words=(0,),
    )


def _node_groups(summary: Json) -> Html:
    rows, currency = summary["nodeGroups"], summary.get("currency") or prices.DEFAULT_CURRENCY
    head = ("Group", "Node-hours", "Cost", "Added", "Removed", "Fewest", "Most", "At the end")
    fields = ("nodesAdded", "nodesRemoved", "nodesLowest", "nodesHighest", "nodesAtEnd")
    return table(
        head,
        (
            (
                each["group"] or _NO_GROUP,
                wording.hours(each["nodeHours"]),
                money.money(each["cost"], currency),
                *(wording.count(each[name]) for name in fields),
            )
            for each in rows
        ),
        words=(0,),
    )


def _decisions(rows: Sequence[Json]) -> Html:
    head = ("Time", "Decision", "By", "Of", "Before", "After", "Why")
    shown = table(
        head,
        (
            (
                wording.moment(each["atSeconds"]),
                each["decision"],
                each["by"],
                each["subject"],
                wording.count(each["before"]),
                wording.count(each["after"]),
                each["reason"],
            )
            for each in rows[:_MOST]
        ),
        words=(1, 2, 3, 6),
    )
    if len(rows) <= _MOST:
        return shown
    more = f"and {len(rows) - _MOST:,} more, in tables/decisions.csv"
    return Html(shown + element("p", more, class_="soft small"))


def table(head: Sequence[str], rows: Iterable[Sequence[str]], words: Sequence[int]) -> Html:
    """A table as it is; columns that are not `words` have their numbers one below the other."""
    lines = list(rows)
    if not lines:
        return Html("")
    css = [None if at in words else "figure-cell" for at in range(len(head))]
    titles = [
        element("th", element("button", name, type="button", disabled=""), class_=style)
        for name, style in zip(head, css, strict=True)
    ]
    body = [
        element(
            "tr",
            *(element("td", cell, class_=style) for cell, style in zip(line, css, strict=True)),
        )
        for line in lines
    ]
    table = element("table", element("thead", element("tr", *titles)), element("tbody", *body))
    return element("div", table, class_="rows card", tabindex=0)
