"""What nodes cost while a cluster lives: by pool, type, namespace and workload, exactly.

A machine is paid for from its launch until it is gone, also while it has no Node. A pod costs its
share of the price of its node, as `results.packing.costs` defines it, for as long as it is there.
Nothing is counted before anything has a price.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, TypeVar

from kubestage.objects import gvk, node_pools, prices
from kubestage.results.analysis import amounts
from kubestage.results.life import node_lives, workloads
from kubestage.results.life.accounts import Account, Bill, Payer, Purchase
from kubestage.results.life.machines import Machines
from kubestage.results.packing import contents
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.workloads import Workloads
    from kubestage.store.log import Change
    from kubestage.store.store import Store

K = TypeVar("K")
_NODE_CLAIM: Final = ("karpenter.sh/v1", "NodeClaim")


class _Node(NamedTuple):
    bill: Bill
    rate: float
    """What a unit of base value costs per hour."""
    identities: tuple[str, ...]
    """By which its machine is known: its provider's, and its name."""


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
        self.decided = Account(self._clock.now_ns)
        """The same by the prices that Karpenter decides with, if these differ anywhere."""
        self.differs = False
        self.payers: dict[Payer, Account] = {}
        """What the pods of each pool and workload cost; the rest is idle."""
        self.machines = Machines(self._charge)
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
        """A NodeGroup came, changed or went; its status names machines without a Node."""
        group, old, is_gone = change.new, change.old, change.type == DELETED
        if is_gone or old is None or _price(group) != _price(old):
            self.on_catalog(change)
        now = set() if is_gone else _machines(group)
        before = set() if old is None else _machines(old)
        if self.is_active and now != before:
            for name in sorted(before - now):
                self.machines.put(name, None)
            for name in sorted(now - before):
                self.machines.put(name, self._bill(_machine(group)))

    def on_claim(self, change: Change) -> None:
        """A NodeClaim came, changed or went: its machine has been launched, or is gone."""
        if not self.is_active:
            return
        claim, old = change.new, change.old
        provider_id = _provider_id(claim)
        if change.type == DELETED:
            if provider_id:
                self.machines.put(provider_id, None)
        elif provider_id and (old is None or _is_new_bill(claim, old)):
            self.machines.put(provider_id, self._bill(claim), outlives=True)

    def on_catalog(self, _: Change) -> None:
        """Prices have changed: all machines may cost something else from now on."""
        was_active = self.is_active
        self.prices = contents.prices_of(self._store)
        if not self.is_active:
            return
        for name, node in self._store.read(gvk.NODE).items():
            self._put_node(name, node)
        for claim in self._store.read(_NODE_CLAIM).values():
            if _provider_id(claim):
                self.machines.put(_provider_id(claim), self._bill(claim), outlives=True)
        for group in self._store.read(prices.NODE_GROUP).values():
            for machine in sorted(_machines(group)):
                self.machines.put(machine, self._bill(_machine(group)))
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
        accounts = (*self.pools.values(), *self.purchases.values(), *self.payers.values())
        for each in (*accounts, self.decided):
            each.reach(self._clock.now_ns)

    def _put_node(self, name: str, node: Json) -> None:
        bill = self._bill(node)
        value = contents.base_value(amounts.of_node(node))
        rate = 0.0 if bill.price is None or not value else bill.price / value
        known_as = (name, (node.get("spec") or {}).get("providerID") or name)
        now = _Node(bill, rate, tuple(dict.fromkeys(known_as)))
        if now != self._nodes.get(name):
            self._move(name, now)

    def _move(self, name: str, now: _Node | None) -> None:
        """Have a node, and the pods on it, cost something else."""
        before = self._nodes.get(name)
        pods = [(key, self._pods[key]) for key in self._on_node.get(name, ())]
        for _, pod in pods:
            self._pay(pod, before, -1)
        self._charge_node(before, now)
        if now is None:
            self._nodes.pop(name, None)
        else:
            self._nodes[name] = now
        for _, pod in pods:
            self._pay(pod, now, 1)

    def _charge_node(self, before: _Node | None, now: _Node | None) -> None:
        """Charge a Node for its machine, as far as it has a price, and else the machine itself."""
        if before is not None and before.bill.price is not None:
            self._charge(before.bill, -1)
            self.machines.deregistered(before.identities)
        if now is not None and now.bill.price is not None:
            self.machines.registered(now.identities)
            self._charge(now.bill, 1)

    def _charge(self, bill: Bill, sign: int) -> None:
        if bill.price is None:
            return
        now_ns, purchase, price = self._clock.now_ns, bill.purchase, bill.price
        self._account(self.pools, purchase.pool).add(sign * price, now_ns)
        self._account(self.purchases, purchase).add(sign * price, now_ns)
        self.decided.add(sign * (price if bill.decided is None else bill.decided), now_ns)
        self.differs = self.differs or bill.decided not in (None, price)
        self.now_per_hour += sign * price
        self.highest_per_hour = max(self.highest_per_hour, self.now_per_hour)

    def _bill(self, machine: Json) -> Bill:
        """What a machine costs, by the labels of its Node, its NodeClaim or its NodeGroup."""
        known = self.prices
        return Bill(_purchase(machine), known.of_node(machine), known.decided(machine))

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
            payer = Payer(node.bill.purchase.pool, *pod.owner)
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


def _machines(group: Json) -> set[str]:
    """The machines of a NodeGroup that run and have no Node, by the names of their Nodes."""
    return set((group.get("status") or {}).get("machines") or ())


def _machine(group: Json) -> Json:
    """A machine of a NodeGroup, as far as its price depends on it."""
    template = ((group.get("spec") or {}).get("template") or {}).get("metadata") or {}
    labels = {**(template.get("labels") or {}), node_pools.GROUP_LABEL: group["metadata"]["name"]}
    return {"metadata": {"labels": labels}}


def _provider_id(claim: Json) -> str:
    """The machine of a NodeClaim; empty if none was launched."""
    return (claim.get("status") or {}).get("providerID") or ""


def _is_new_bill(claim: Json, old: Json) -> bool:
    """Whether a NodeClaim has got a machine, or may cost something else."""
    is_other = claim["metadata"].get("labels") != old["metadata"].get("labels")
    return is_other or _provider_id(claim) != _provider_id(old)


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
