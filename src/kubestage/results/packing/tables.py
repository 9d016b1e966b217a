"""Cost and packing as sentences and tables, the same on a terminal, in Markdown and on a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.results.packing import wording
from kubestage.wording import plural

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.results.packing.costs import Costs, ShareCost
    from kubestage.results.packing.packing import Packing

HOURS_A_MONTH: Final = 730
NO_POOL: Final = "(no pool)"


class PackingTable(NamedTuple):
    """One table with its title; all columns but the first are numbers."""

    title: str
    head: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


def sentence(packing: Packing) -> str:
    """What the nodes cost, and how much of it is idle, for those who read no more."""
    costs, nodes = packing.costs, plural(packing.node_count, "node")
    verb = "costs" if packing.node_count == 1 else "cost"
    if costs.cluster_cost is None:
        shares = packing.utilization.requested_share
        requested = ", ".join(f"{name} {wording.share(each)}" for name, each in shares.items())
        return f"{nodes} without a price; requested: {requested}."
    text = f"{nodes} {verb} {wording.money(costs.cluster_cost, costs.currency)} per hour"
    if costs.unpriced_nodes == packing.node_count:
        return f"{text}."
    idle = f"{wording.share(costs.idle_share)} of it is idle"
    missing = ""
    if costs.unpriced_nodes:
        without = plural(costs.unpriced_nodes, "node")
        missing = f"; {without} {'has' if costs.unpriced_nodes == 1 else 'have'} no price"
    return f"{text}; {idle}{missing}."


def all_tables(packing: Packing) -> list[PackingTable]:
    """By pool, namespace and workload, and how well pods are packed."""
    costs = packing.costs
    found = [
        pools(costs),
        shares("Namespaces", "NAMESPACE", costs.namespaces, costs),
        shares("Workloads", "WORKLOAD", costs.workloads, costs),
        measures(packing),
    ]
    return [each for each in found if each.rows]


def pools(costs: Costs) -> PackingTable:
    """What the nodes of each pool cost and offer."""
    rows: list[tuple[str, ...]] = []
    for each in costs.pools:
        requested = (
            _ratio(each.requested_milli_cpu, each.milli_cpu),
            _ratio(each.requested_memory_bytes, each.memory_bytes),
        )
        name = each.pool or NO_POOL
        if costs.cluster_cost is None:
            rows.append((name, f"{each.nodes:,}", *requested))
            continue
        idle = None if not each.cost_per_hour else (each.idle_per_hour or 0) / each.cost_per_hour
        money = wording.money(each.cost_per_hour, costs.currency)
        rows.append((name, f"{each.nodes:,}", money, wording.share(idle), *requested))
    priced = () if costs.cluster_cost is None else ("PER HOUR", "IDLE")
    head = ("POOL", "NODES", *priced, "CPU REQUESTED", "MEMORY REQUESTED")
    return PackingTable("Pools", head, rows)


def shares(title: str, noun: str, found: Sequence[ShareCost], costs: Costs) -> PackingTable:
    """What the pods of each namespace or workload cost and request."""
    is_priced = costs.cluster_cost is not None
    rows: list[tuple[str, ...]] = []
    for each in found:
        amounts = (wording.cores(each.milli_cpu), wording.gibibytes(each.memory_bytes))
        row: tuple[str, ...] = (each.name, f"{each.pods:,}", *amounts)
        if is_priced:
            part = (each.cost_per_hour or 0) / costs.cluster_cost if costs.cluster_cost else None
            money = wording.money(each.cost_per_hour, costs.currency)
            row = (each.name, f"{each.pods:,}", money, wording.share(part), *amounts)
        rows.append(row)
    priced = ("PER HOUR", "OF ALL") if is_priced else ()
    return PackingTable(title, (noun, "PODS", *priced, "CPU", "MEMORY"), rows)


def measures(packing: Packing) -> PackingTable:
    """How well pods are packed, a measure in each row; docs/cost.md defines them."""
    use, costs = packing.utilization, packing.costs
    stranded, scattered = packing.stranded, packing.fragmentation
    rows: list[tuple[str, ...]] = []
    if costs.cluster_cost is not None:
        month = wording.money(costs.cluster_cost * HOURS_A_MONTH, costs.currency)
        rows.append(("cost per month", month))
        rows.append(("idle share of the cost", wording.share(costs.idle_share)))
        rows.append(("DaemonSet tax, of the cost", wording.share(costs.daemon_share)))
    rows += [
        (f"{name} requested", wording.share(each)) for name, each in use.requested_share.items()
    ]
    rows += [
        (f"DaemonSet tax, of {name}", wording.share(each))
        for name, each in use.daemon_share.items()
    ]
    cpu = f"{wording.cores(stranded.milli_cpu)} ({wording.share(stranded.cpu_share)} of free)"
    memory = wording.gibibytes(stranded.memory_bytes)
    rows.append(("stranded cpu", cpu))
    share = wording.share(stranded.memory_share)
    rows.append(("stranded memory", f"{memory} ({share} of free)"))
    rows.append(("cpu fragmentation", _index(scattered.cpu_fragmentation)))
    rows.append(("memory fragmentation", _index(scattered.memory_fragmentation)))
    if scattered.median_milli_cpu or scattered.median_memory_bytes:
        size = (
            f"{wording.cores(scattered.median_milli_cpu)}, "
            f"{wording.gibibytes(scattered.median_memory_bytes)}"
        )
        rows.append((f"median pods ({size}) that fit in sum", f"{scattered.fit_in_sum:,}"))
        rows.append(("of these, fit on no node", f"{scattered.fit_nowhere:,}"))
    return PackingTable("Packing", ("MEASURE", "VALUE"), rows)


def _ratio(part: int, whole: int) -> str:
    return wording.share(part / whole if whole else None)


def _index(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}"
