"""What nodes cost in a living run: in total, by who pays, by what was bought, and what was idle."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from kubestage.aliases import Json
    from kubestage.results.life.accounts import Account
    from kubestage.results.life.costs import CostMeter

K = TypeVar("K")
_SEVERAL: Final = 2
_PARTS: Final = {
    "pools": "pool",
    "capacityTypes": "capacity type",
    "instanceTypes": "instance type",
    "namespaces": "namespace",
    "workloads": "workload",
}


def of(meter: CostMeter, seconds: float) -> Json:
    """Totals of so many seconds until now; ``cost`` is None if nothing has a price."""
    if not meter.pools:
        return {"cost": None, "currency": meter.prices.currency, "costs": None}
    total = sum(each.total for each in meter.pools.values())
    paid = sum(each.total for each in meter.payers.values())
    daemons = sum(each.total for payer, each in meter.payers.items() if payer.is_daemon)
    return {
        "cost": _rounded(total),
        "currency": meter.prices.currency,
        "costs": {
            "perHourAtStart": _rounded(meter.first_per_hour),
            "perHourMean": _rounded(3600 * total / seconds if seconds else 0.0),
            "perHourHighest": _rounded(meter.highest_per_hour),
            "perHourAtEnd": _rounded(meter.now_per_hour),
            "idle": _rounded(total - paid),
            "daemons": _rounded(daemons),
            "decided": _rounded(meter.decided.total) if meter.differs else None,
            "pools": _by(meter.purchases, lambda bought: bought.pool),
            "instanceTypes": _by(meter.purchases, lambda bought: bought.instance_type),
            "capacityTypes": _by(meter.purchases, lambda bought: bought.capacity_type),
            "namespaces": _by(meter.payers, lambda payer: payer.namespace),
            "workloads": _by(meter.payers, lambda payer: payer.workload),
        },
    }


def spending(summary: Json) -> Iterator[tuple[str, str, float, float, float, str]]:
    """Rows of the table of that name.

    By what, its name, the sum, the mean per hour, the share, and the currency.
    """
    costs, total = summary.get("costs"), summary.get("cost")
    if not costs:
        return
    currency, mean = summary["currency"], costs["perHourMean"]
    for title, name, cost in _parts(costs):
        share = cost / total if total else 0.0
        yield title, name, cost, _rounded(share * mean), _rounded(share), currency


def _parts(costs: Json) -> Iterator[tuple[str, str, float]]:
    for field, title in _PARTS.items():
        for each in costs.get(field) or ():
            yield title, each["name"], each["cost"]
    for field, title in (("idle", "idle"), ("daemons", "daemons"), ("decided", "by NodeOverlays")):
        if costs.get(field) is not None:
            yield title, "", costs[field]


def side_by_side(summaries: Sequence[Json]) -> list[tuple[str, str, tuple[float | None, ...]]]:
    """By what, its name, and the sum in each run; none where a run has no such thing."""
    runs = [{row[:2]: row[2] for row in spending(each)} for each in summaries]
    keys = sorted({key for run in runs for key in run}, key=lambda key: _order(key, runs))
    return [(by, name, tuple(run.get((by, name)) for run in runs)) for by, name in keys]


def _order(
    key: tuple[str, str], runs: Sequence[Mapping[tuple[str, str], float]]
) -> tuple[int, float, str]:
    """As in one run: by what first, the dearest next."""
    by, name = key
    titles = [*_PARTS.values(), "idle", "daemons", "by NodeOverlays"]
    return titles.index(by), -max(run.get(key, 0.0) for run in runs), name


def decided(summary: Json) -> float | None:
    """What all nodes cost by the prices that Karpenter decided with, if these are others."""
    found: float | None = (summary.get("costs") or {}).get("decided")
    return found


def bought(summary: Json) -> list[tuple[str, str, float, float]]:
    """What was spent by instance type and by capacity type, if there are several of either."""
    costs, total = summary.get("costs") or {}, summary.get("cost")
    # A run that an earlier version has kept does not have them.
    parts = {field: costs.get(field) or () for field in ("instanceTypes", "capacityTypes")}
    if not total or all(len(rows) < _SEVERAL for rows in parts.values()):
        return []
    return [
        (_PARTS[field], each["name"] or "unknown", each["cost"], each["cost"] / total)
        for field, rows in parts.items()
        for each in rows
        if each["name"] or len(rows) >= _SEVERAL
    ]


def _by(accounts: Mapping[K, Account], key: Callable[[K], str]) -> list[Json]:
    """Totals by a part of what accounts are about, the dearest first."""
    sums: dict[str, float] = {}
    for about, each in accounts.items():
        name = key(about)
        sums[name] = sums.get(name, 0.0) + each.total
    ordered = sorted(sums.items(), key=lambda each: (-_rounded(each[1]), each[0]))
    found = [{"name": name, "cost": _rounded(cost)} for name, cost in ordered]
    # A node may have its price a moment before the label of its pool.
    return [each for each in found if each["name"] or each["cost"]]


def _rounded(amount: float) -> float:
    """As exact as anybody needs, and without the crumbs of binary fractions."""
    return round(amount, 6) + 0.0
