"""Each node of a living cluster: what it is, what it costs, from when to when, and why."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.objects import node_pools, prices
from kubestage.objects.views.node import ZONE_LABELS
from kubestage.results.life import windows
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.results.life.costs import CostMeter
    from kubestage.results.life.node_decisions import NodeDecisionRecord
    from kubestage.results.life.tables import LifeRows
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change


@dataclasses.dataclass(slots=True)
class NodeLife:
    """One node; `to_ns` is None as long as it is there, reasons are empty if none is known.

    Its machine is paid for from `paid_from_ns` on, and runs as long as `paid_to_ns` is None.
    `decided` is the price that Karpenter decides with, if it is another.
    """

    name: str
    from_ns: int
    pool: str = ""
    instance_type: str = ""
    capacity_type: str = ""
    zone: str = ""
    price: float | None = None
    to_ns: int | None = None
    machine: str = ""
    paid_from_ns: int = 0
    paid_to_ns: int | None = None
    decided: float | None = None
    why_added: str = ""
    why_removed: str = ""


class NodeLives:
    """All nodes that are or were there, in the order in which they came.

    Why they came and went is what their autoscaler has decided.
    """

    def __init__(self, costs: CostMeter, decided: NodeDecisionRecord, clock: Clock) -> None:
        self.all: list[NodeLife] = []
        self._costs = costs
        self._decided = decided
        self._clock = clock
        self._begin_ns = clock.now_ns
        self._there: dict[str, NodeLife] = {}
        self._started_ns: dict[str, int] = {}
        # The nodes of machines of which it is known when they are gone.
        self._of_machines: dict[str, NodeLife] = {}
        costs.machines.listener = self._on_machine
        self._named: dict[str, list[NodeLife]] = {}

    def begin(self, begin_ns: int) -> None:
        """What is there was received, and is no news."""
        self._begin_ns = begin_ns

    @property
    def is_moving(self) -> bool:
        """Whether any node came or went."""
        return any(each.to_ns is not None or each.from_ns > self._begin_ns for each in self.all)

    def on_node(self, change: Change, now_ns: int) -> None:
        """Take in a node that came, changed or went."""
        life = self._there.get(change.key)
        if change.type == DELETED:
            if life is not None:
                life.to_ns = now_ns
                if life.machine not in self._of_machines:
                    life.paid_to_ns = now_ns
                life.why_removed = self._decided.why_removed(life.name)
                del self._there[life.name]
            return
        if life is None:
            life = self._come(change.key, change.new, now_ns)
        elif change.old is not None and _labels(change.old) == _labels(change.new):
            return
        self._describe(life, change.new)

    def write(self, rows: LifeRows) -> None:
        """Add a row for each node."""
        for each in self.all:
            begin, end, paid_from, paid_to = (
                None if at is None else windows.since(self._begin_ns, at)
                for at in (each.from_ns, each.to_ns, each.paid_from_ns, each.paid_to_ns)
            )
            rows.add(
                "lifetimes", each.name, each.pool, each.instance_type, each.capacity_type,
                each.zone, each.price, begin, end, each.why_added, each.why_removed,
                paid_from, paid_to, each.decided,
            )  # fmt: skip

    def reason(self, node: str, *, removed: bool, at_ns: int) -> str:
        """Why a node came or went at a moment."""
        for each in reversed(self._named.get(node, [])):
            if each.to_ns == at_ns if removed else each.from_ns <= at_ns:
                return each.why_removed if removed else each.why_added
        return ""

    def _come(self, name: str, node: Json, now_ns: int) -> NodeLife:
        machine = (node.get("spec") or {}).get("providerID") or name
        started = [self._started_ns.pop(each, now_ns) for each in {name, machine}]
        life = NodeLife(name, now_ns, machine=machine, paid_from_ns=min(started))
        if self._costs.machines.outlives_node(machine):
            self._of_machines[machine] = life
        self._there[name] = life
        self.all.append(life)
        self._named.setdefault(name, []).append(life)
        return life

    def _on_machine(self, identity: str, runs: bool) -> None:
        """A machine has been started, or is gone."""
        if runs:
            self._started_ns[identity] = self._clock.now_ns
            return
        self._started_ns.pop(identity, None)
        life = self._of_machines.pop(identity, None)
        if life is not None:
            life.paid_to_ns = self._clock.now_ns

    def _describe(self, life: NodeLife, node: Json) -> None:
        labels = _labels(node)
        life.pool = node_pools.of(node)
        life.instance_type = instance_type(node)
        life.capacity_type = prices.capacity_type(labels)
        life.zone = next((labels[name] for name in ZONE_LABELS if labels.get(name)), "")
        known = self._costs.prices
        life.price, decided = known.of_node(node), known.decided(node)
        life.decided = None if decided == life.price else decided
        life.why_added = life.why_added or self._decided.why_added(life.name)


def instance_type(node: Json) -> str:
    """The instance type that labels state; empty if none does."""
    labels = _labels(node)
    return next((labels[name] for name in prices.INSTANCE_TYPES if labels.get(name)), "")


def _labels(node: Json) -> Json:
    return (node.get("metadata") or {}).get("labels") or {}
