"""What the nodes of a stage cost while a load ran: in all and by pool, to the nanosecond.

Nodes come and go: each counts for as long as it is there. The idle share is that of the whole
time, for at the end of a load most of its pods are gone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import gvk, node_pools, prices
from kubestage.results.life.costs import CostMeter
from kubestage.results.life.workloads import Workloads
from kubestage.results.packing import wording
from kubestage.store.log import ADDED, Change
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.store.store import Store

_KINDS: Final = {
    ("", "Pod"),
    ("", "Node"),
    ("karpenter.sh", "NodeClaim"),
    ("karpenter.sh", "NodeOverlay"),
    ("kubestage.dev", "NodeGroup"),
    ("kubestage.dev", "PriceCatalog"),
}
_PLACES: Final = 6


class PoolTotal(msgspec.Struct, frozen=True, rename="camel"):
    """The nodes of a pool; the pool of nodes without one is empty."""

    pool: str
    nodes: int
    """At the end."""
    cost_per_hour: float
    """At the end."""
    cost: float
    """In all."""
    idle_share: float | None


class LoadCost(msgspec.Struct, frozen=True, rename="camel"):
    """What nodes cost while a load ran."""

    currency: str
    seconds: float
    cost_per_hour: float
    """At the end."""
    cost: float
    """In all."""
    idle_share: float | None
    """The part of it that no pod requested."""
    unpriced_nodes: int
    pools: list[PoolTotal]

    @property
    def sentence(self) -> str:
        """The cost in a line."""
        total = wording.money(self.cost, self.currency)
        hourly = wording.money(self.cost_per_hour, self.currency)
        idle = f", {wording.share(self.idle_share)} of it idle" if self.idle_share else ""
        number = self.unpriced_nodes
        missing = f"; {number:,} node{' has' if number == 1 else 's have'} no price"
        text = f"Nodes cost {total} over {self.seconds / 60:,.1f} minutes{idle}"
        return f"{text}, and {hourly} per hour at the end{missing if number else ''}."


class CostWatch:
    """Counts from the moment at which it is made."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._began_ns = store.clock.now_ns
        self._meter = CostMeter(store, Workloads(store))
        self._handlers: dict[str, Callable[[Change], None]] = {
            "Node": self._meter.on_node,
            "Pod": self._meter.on_pod,
            "NodeClaim": self._meter.on_claim,
            "NodeGroup": self._meter.on_group,
            "NodeOverlay": self._meter.on_catalog,
            "PriceCatalog": self._meter.on_catalog,
        }
        for kind in (gvk.NODE, gvk.POD):
            for key, obj in store.read(kind).items():
                known = store.kinds.get(*kind)
                assert known is not None
                revision = int(obj["metadata"]["resourceVersion"])
                self._on_change(Change(revision, ADDED, known, key, obj, None))
        store.subscribe(self._on_change, _KINDS)

    def stop(self) -> None:
        """Count no more."""
        self._store.unsubscribe(self._on_change)

    def result(self) -> LoadCost | None:
        """The cost until now; None if no node had a price."""
        meter, now_ns = self._meter, self._store.clock.now_ns
        meter.reach()
        if not meter.pools:
            return None
        nodes = list(self._store.read(gvk.NODE).values())
        pools = [self._pool(name, [node_pools.of(each) for each in nodes]) for name in meter.pools]
        paid = sum(each.total for each in meter.payers.values())
        total = sum(each.total for each in meter.pools.values())
        return LoadCost(
            meter.prices.currency,
            (now_ns - self._began_ns) / SECOND_NS,
            _rounded(sum(each.per_hour for each in meter.pools.values())),
            _rounded(total),
            _share(total - paid, total),
            sum(meter.prices.of_node(each) is None for each in nodes),
            sorted(pools, key=lambda each: (-each.cost, each.pool)),
        )

    def _pool(self, name: str, there: list[str]) -> PoolTotal:
        account = self._meter.pools[name]
        payers = self._meter.payers.items()
        paid = sum(each.total for payer, each in payers if payer.pool == name)
        return PoolTotal(
            name,
            there.count(name),
            _rounded(account.per_hour),
            _rounded(account.total),
            _share(account.total - paid, account.total),
        )

    def _on_change(self, change: Change) -> None:
        self._handlers[change.kind.kind](change)


def watch(store: Store) -> CostWatch | None:
    """Count what nodes cost from now on; None if nothing has a price."""
    groups, catalogs = store.read(prices.NODE_GROUP), store.read(prices.PRICE_CATALOG)
    return CostWatch(store) if prices.Prices(groups, catalogs.values()) else None


def _share(part: float, whole: float) -> float | None:
    return round(max(part, 0.0) / whole, _PLACES) if whole else None


def _rounded(amount: float) -> float:
    return round(amount, _PLACES)
