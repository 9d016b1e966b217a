"""What nodes cost in a living run: in total, by namespace and workload, and what was idle."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.aliases import Json
    from kubestage.results.life.costs import CostMeter, Payer


def of(meter: CostMeter) -> Json:
    """Totals until now; ``cost`` is None if nothing has a price."""
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
            "perHourHighest": _rounded(meter.highest_per_hour),
            "perHourAtEnd": _rounded(meter.now_per_hour),
            "idle": _rounded(total - paid),
            "daemons": _rounded(daemons),
            "namespaces": _by(meter, lambda payer: payer.namespace),
            "workloads": _by(meter, lambda payer: payer.workload),
        },
    }


def _by(meter: CostMeter, key: Callable[[Payer], str]) -> list[Json]:
    """Totals by a part of who pays, the dearest first."""
    sums: dict[str, float] = {}
    for payer, each in meter.payers.items():
        name = key(payer)
        sums[name] = sums.get(name, 0.0) + each.total
    ordered = sorted(sums.items(), key=lambda each: (-_rounded(each[1]), each[0]))
    return [{"name": name, "cost": _rounded(cost)} for name, cost in ordered]


def _rounded(amount: float) -> float:
    """As exact as anybody needs, and without the crumbs of binary fractions."""
    return round(amount, 6) + 0.0
