"""What nodes cost while a cluster lives: by pool, type, namespace and workload, exactly.

A pod costs its share of the price of its node, as `results.packing.costs` defines it, for as long
as it is there. Nothing is counted before anything has a price.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

from kubestage.objects import gvk, node_pools, prices
from kubestage.results.analysis import amounts
from kubestage.results.life import node_lives, workloads
from kubestage.results.packing import contents
from kubestage.store.log import DELETED
from kubestage.units import HOUR_NS

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.workloads import Workloads
    from kubestage.store.log import Change
    from kubestage.store.store import Store

K = TypeVar("K")


class Payer(NamedTuple):
    """Whose share of a node's price it is."""

    pool: str
    namespace: str
    workload: str
    is_daemon: bool


class Purchase(NamedTuple):
    """As what a node is paid for."""

    pool: str
    instance_type: str
    capacity_type: str


class Account:
    """An amount that grows at a rate per hour, which changes now and then."""

    __slots__ = ("_since_ns", "per_hour", "total")

    def __init__(self, now_ns: int) -> None:
        self.per_hour = 0.0
        self.total = 0.0
        self._since_ns = now_ns

    def add(self, per_hour: float, now_ns: int) -> None:
        """The rate is higher or lower from now on."""
        self.reach(now_ns)
        self.per_hour += per_hour

    def reach(self, now_ns: int) -> None:
        """Count until now."""
        self.total += self.per_hour * (now_ns - self._since_ns) / HOUR_NS
        self._since_ns = now_ns


class _Node(NamedTuple):
    purchase: Purchase
    price: float | None
    rate: float
    """What a unit of base value costs per hour."""


class _Pod(NamedTuple):
    node: str
    value: float
    """What it requests, at base prices."""
    owner: tuple[str, str, bool]


class CostMeter:
    """Counts what nodes cost, and who accounts for it; it receives every change of both."""

    def __init__(self, store: Store, known: Workloads) -> None:
        self._store = store
        self._owners = contents.Owners(known)
        self._clock = store.clock
        self.prices = contents.prices_of(store)
        self.pools: dict[str, Account] = {}
        """What the nodes of each pool cost."""
        self.purchases: dict[Purchase, Account] = {}
        """The same by instance type and capacity type."""
        self.payers: dict[Payer, Account] = {}
        """What the pods of each pool and workload cost; the rest is idle."""
        self._nodes: dict[str, _Node] = {}
        self._pods: dict[str, _Pod] = {}
        self._on_node: dict[str, dict[str, None]] = {}
        self.now_per_hour = 0.0
        """What all nodes cost now."""
        self.highest_per_hour = 0.0
        self.first_per_hour = 0.0
        """What they cost when the record began."""

    @property
    def is_active(self) -> bool:
        """Whether anything has, or had, a price."""
        return bool(self.prices or self.pools)

    def per_hour(self, pool: str) -> tuple[float, float]:
        """What the nodes of a pool cost now, and how much of that is idle."""
        paid = sum(each.per_hour for payer, each in self.payers.items() if payer.pool == pool)
        cost = self.pools[pool].per_hour
        return cost, cost - paid

    def on_group(self, change: Change) -> None:
        """A NodeGroup came, changed or went."""
        if change.type == DELETED or change.old is None or _price(change.new) != _price(change.old):
            self.on_catalog(change)

    def on_catalog(self, _: Change) -> None:
        """Prices have changed: all nodes may cost something else from now on."""
        was_active = self.is_active
        self.prices = contents.prices_of(self._store)
        if not self.is_active:
            return
        for name, node in self._store.read(gvk.NODE).items():
            self._put_node(name, node)
        if not was_active:
            for key, pod in self._store.read(gvk.POD).items():
                self._place(key, pod)

    def on_node(self, change: Change) -> None:
        """A node came, changed or went."""
        if not self.is_active:
            return
        if change.type == DELETED:
            self._move(change.key, None)
        elif change.old is None or _is_other(change.new, change.old):
            self._put_node(change.key, change.new)

    def on_pod(self, change: Change) -> None:
        """A pod came, changed or went."""
        if not self.is_active:
            return
        key, pod = change.key, change.new
        known = self._pods.get(key)
        if change.type == DELETED or _is_over(pod):
            if known is not None:
                self._remove(key, known)
        elif known is None:
            self._place(key, pod)
        elif change.old is None or not workloads.is_same(pod, change.old):
            self._remove(key, known)
            self._place(key, pod)

    def begin(self) -> None:
        """All that is there was received: what it costs is where the record begins."""
        self.first_per_hour = self.now_per_hour

    def reach(self) -> None:
        """Count until now."""
        for each in (*self.pools.values(), *self.purchases.values(), *self.payers.values()):
            each.reach(self._clock.now_ns)

    def _put_node(self, name: str, node: Json) -> None:
        offered, price = amounts.of_node(node), self.prices.of_node(node)
        value = contents.base_value(offered)
        rate = 0.0 if price is None or not value else price / value
        now = _Node(_purchase(node), price, rate)
        if now != self._nodes.get(name):
            self._move(name, now)

    def _move(self, name: str, now: _Node | None) -> None:
        """Have a node, and the pods on it, cost something else."""
        before = self._nodes.get(name)
        pods = [(key, self._pods[key]) for key in self._on_node.get(name, ())]
        for _, pod in pods:
            self._pay(pod, before, -1)
        self._charge(before, -1)
        self._charge(now, 1)
        if now is None:
            self._nodes.pop(name, None)
        else:
            self._nodes[name] = now
        for _, pod in pods:
            self._pay(pod, now, 1)

    def _charge(self, node: _Node | None, sign: int) -> None:
        if node is not None and node.price is not None:
            now_ns, purchase = self._clock.now_ns, node.purchase
            self._account(self.pools, purchase.pool).add(sign * node.price, now_ns)
            self._account(self.purchases, purchase).add(sign * node.price, now_ns)
            self.now_per_hour += sign * node.price
            self.highest_per_hour = max(self.highest_per_hour, self.now_per_hour)

    def _place(self, key: str, pod: Json) -> None:
        node = pod["spec"].get("nodeName")
        if not node or _is_over(pod):
            return
        value = contents.base_value(amounts.of_pod(pod))
        found = _Pod(node, value, self._owner(pod))
        self._pods[key] = found
        self._on_node.setdefault(node, {})[key] = None
        self._pay(found, self._nodes.get(node), 1)

    def _remove(self, key: str, pod: _Pod) -> None:
        del self._pods[key]
        self._on_node[pod.node].pop(key)
        self._pay(pod, self._nodes.get(pod.node), -1)

    def _pay(self, pod: _Pod, node: _Node | None, sign: int) -> None:
        if node is not None and node.rate:
            payer = Payer(node.purchase.pool, *pod.owner)
            cost = sign * node.rate * pod.value
            self._account(self.payers, payer).add(cost, self._clock.now_ns)

    def _owner(self, pod: Json) -> tuple[str, str, bool]:
        namespace = pod["metadata"]["namespace"]
        return namespace, self._owners.name(pod), contents.is_daemon(pod)

    def _account(self, accounts: dict[K, Account], key: K) -> Account:
        found = accounts.get(key)
        if found is None:
            found = accounts[key] = Account(self._clock.now_ns)
        return found


def _purchase(node: Json) -> Purchase:
    labels = (node.get("metadata") or {}).get("labels") or {}
    kind = node_lives.instance_type(node)
    return Purchase(node_pools.of(node), kind, prices.capacity_type(labels))


def _price(group: Json) -> float | None:
    price: float | None = (group.get("spec") or {}).get("price")
    return price


def _is_other(node: Json, old: Json) -> bool:
    """Whether a node may cost or offer something else than before."""
    status, before = node.get("status") or {}, old.get("status") or {}
    return node["metadata"].get("labels") != old["metadata"].get("labels") or any(
        status.get(name) != before.get(name) for name in ("allocatable", "capacity")
    )


def _is_over(pod: Json) -> bool:
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")
