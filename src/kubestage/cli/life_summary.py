"""A living run in a few numbers, as a person reads them in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.aliases import Json
from kubestage.cli import analyze_report
from kubestage.objects import prices
from kubestage.objects.tables import text
from kubestage.results.life import cost_summary, measured, requests, wording
from kubestage.results.packing import wording as money

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.traffic.record import Record


_ROWS: Final = 20
_NO_GROUP: Final = "<none>"
# A run that an earlier version has kept says nothing of it.
_NO_HEALTH: Final[Json] = {"workloads": []}


def as_text(summary: Json, *, wide: bool) -> str:
    """Traffic, workloads, autoscalers and nodes, each in a table; long ones are cut."""
    tables = [each for each in _tables(summary) if len(each) > 1]
    return "\n".join(_text(each, wide=wide) for each in tables)


def of_traffic(records: Mapping[str, Record], *, wide: bool) -> str:
    """How requests fared, in a table; nothing if there were none."""
    rows = [requests.in_short(key, record) for key, record in sorted(records.items())]
    return _text(_traffic(rows), wide=wide) if rows else ""


def _text(rows: Sequence[tuple[str, ...]], *, wide: bool) -> str:
    shown = rows if wide else rows[: _ROWS + 1]
    lines = [line.rstrip() for line in text.align(shown)]
    if len(shown) < len(rows):
        lines.append(f"and {len(rows) - len(shown):,} more: -o wide shows all")
    return "".join(f"{line}\n" for line in lines)


def _tables(summary: Json) -> Iterator[list[tuple[str, ...]]]:
    yield _traffic(summary["traffic"])
    yield _workloads(summary)
    yield _autoscalers(summary["autoscalers"])
    yield _nodes(summary)
    yield _bought(summary)
    yield _namespaces(summary)
    yield analyze_report.measure_rows(measured.of_summary(summary))


def _traffic(rows: Sequence[Json]) -> list[tuple[str, ...]]:
    is_failing = any(each["failed"] for each in rows)
    head = ("TRAFFIC", "REQUESTS", "FAILED", "P50", "P95", "P99", "MAX")
    table: list[tuple[str, ...]] = [(*head, "WHY FAILED") if is_failing else head]
    for each in rows:
        failed = f"{each['failed']:,}"
        if each["failed"]:
            failed += f" ({wording.share(each['failed'], each['requests'])})"
        times = (each["responseMs"][name] for name in ("p50", "p95", "p99", "max"))
        row = (
            each["traffic"],
            f"{each['requests']:,}",
            failed,
            *(wording.milliseconds(value) for value in times),
        )
        table.append((*row, wording.reasons(each["failedByReason"])) if is_failing else row)
    return table


def _workloads(summary: Json) -> list[tuple[str, ...]]:
    fields = ("replicasLowest", "replicasHighest", "replicasAtEnd")
    health = {each["workload"]: each for each in (summary.get("health") or _NO_HEALTH)["workloads"]}
    is_below = any(each["windows"] or not each["everReady"] for each in health.values())
    more = ("LOWEST READY", "BELOW DESIRED") if is_below else ()
    known = (summary.get("costs") or {}).get("workloads") or ()
    costs = {each["name"]: money.money(each["cost"], _currency(summary)) for each in known}
    priced = ("COST",) if costs else ()
    return [
        ("WORKLOAD", "REPLICA-HOURS", *priced, "FEWEST", "MOST", "AT END", *more),
        *(
            (
                each["workload"],
                wording.hours(each["replicaHours"]),
                *((costs.get(each["workload"], "-"),) if costs else ()),
                *(wording.count(each[name]) for name in fields),
                *(_below(health.get(each["workload"])) if is_below else ()),
            )
            for each in summary["workloads"]
        ),
    ]


def _below(health: Json | None) -> tuple[str, str]:
    """The fewest that were ready of how many, and for how long there were too few."""
    if health is None or not (health["windows"] or not health["everReady"]):
        return "-", "-"
    lowest = f"{health['readyLowest']}/{health['desiredAtLowest'] or 0}"
    if not health["everReady"]:
        return lowest, "never ready"
    return lowest, wording.span(health["belowDesiredSeconds"])


def _autoscalers(rows: Sequence[Json]) -> list[tuple[str, ...]]:
    fields = ("rescales", "rescalesUp", "rescalesDown", "evictions", "resizes")
    shown = [name for name in fields if any(name in each for each in rows)]
    titles = {"rescalesUp": "UP", "rescalesDown": "DOWN"}
    return [
        ("AUTOSCALER", *(titles.get(name, name.upper()) for name in shown)),
        *(
            (each["autoscaler"], *(wording.count(each.get(name)) for name in shown))
            for each in rows
        ),
    ]


def cost_sentence(summary: Json) -> str:
    """What nodes cost, and how much of that was idle; nothing without prices."""
    costs, total = summary.get("costs"), summary.get("cost")
    if not costs or not total:
        return ""
    now = money.money(costs["perHourAtEnd"], _currency(summary))
    idle, daemons = (money.share(costs[name] / total) for name in ("idle", "daemons"))
    of_daemons = f", {daemons} for DaemonSets" if costs["daemons"] else ""
    spent = money.money(total, _currency(summary))
    text = f"Nodes cost {spent}: {idle} of it idle{of_daemons}. At the end {now} per hour."
    decided = cost_summary.decided(summary)
    if decided is None:
        return text
    shown_price = money.money(decided, _currency(summary))
    return f"{text} At the prices that Karpenter decided with, by NodeOverlays: {shown_price}."


def _currency(summary: Json) -> str:
    """That of the costs; a run that an earlier version has kept has none."""
    found: str = summary.get("currency") or prices.DEFAULT_CURRENCY
    return found


def _bought(summary: Json) -> list[tuple[str, ...]]:
    """What instance types and capacity types cost, if there are several of either."""
    rows = cost_summary.bought(summary)
    return [
        ("BOUGHT AS", "", "COST", "OF ALL"),
        *(
            (by, name, money.money(cost, _currency(summary)), money.share(share))
            for by, name, cost, share in rows
        ),
    ]


def _namespaces(summary: Json) -> list[tuple[str, ...]]:
    """What the pods of each namespace cost, if there are several."""
    rows = (summary.get("costs") or {}).get("namespaces") or ()
    total = summary.get("cost")
    if len(rows) < 2:
        return []
    return [
        ("NAMESPACE", "COST", "OF ALL"),
        *(
            (
                each["name"],
                money.money(each["cost"], _currency(summary)),
                money.share(each["cost"] / total if total else None),
            )
            for each in rows
        ),
    ]


def _nodes(summary: Json) -> list[tuple[str, ...]]:
    rows = summary["nodeGroups"]
    is_priced = summary["cost"] is not None
    fields = ("nodesAdded", "nodesRemoved", "nodesLowest", "nodesHighest", "nodesAtEnd")
    costs = ("COST",) if is_priced else ()
    table = [
        ("NODE GROUP", "NODE-HOURS", *costs, "ADDED", "REMOVED", "FEWEST", "MOST", "AT END"),
    ]
    for each in rows:
        cost = (money.money(each["cost"], _currency(summary)),) if is_priced else ()
        counts = (wording.count(each[name]) for name in fields)
        name = each["group"] or _NO_GROUP
        table.append((name, wording.hours(each["nodeHours"]), *cost, *counts))
    return table
