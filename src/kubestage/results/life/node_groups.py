"""Nodes by the group that they belong to, the time that they were there, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import resource_totals
from kubestage.results.life.integral import Integral
from kubestage.store.log import DELETED
from kubestage.units import HOUR_NS

if TYPE_CHECKING:
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change


LABEL: Final = "kubestage.dev/node-group"
NO_GROUP: Final = ""
"""Stands for the nodes that no group has made."""


class NodeCounts:
    """The nodes of one group."""

    __slots__ = ("added", "cost", "nodes", "price", "provisioning", "ready", "removed", "since_ns")

    def __init__(self, now_ns: int) -> None:
        self.nodes = Integral(now_ns)
        self.ready = 0
        self.provisioning = 0
        self.added = 0
        self.removed = 0
        self.price: float | None = None
        self.cost = 0.0
        self.since_ns = now_ns

    def reach(self, now_ns: int) -> None:
        """Count time and money until now."""
        passed_ns = now_ns - self.since_ns
        if passed_ns and self.price is not None:
            self.cost += self.price * self.nodes.level * passed_ns / HOUR_NS
        self.since_ns = now_ns
        self.nodes.reach(now_ns)


class _Seen(msgspec.Struct, frozen=True):
    group: str
    is_ready: bool
    milli_cpu: int


class NodeGroups:
    """All nodes of a cluster; it receives every change of one, and of NodeGroups."""

    def __init__(self, clock: Clock) -> None:
        self.all: dict[str, NodeCounts] = {}
        self.allocatable_milli_cpu = 0
        self.began = False
        self._clock = clock
        self._nodes: dict[str, _Seen] = {}

    @property
    def count(self) -> int:
        """How many nodes there are."""
        return len(self._nodes)

    @property
    def ready(self) -> int:
        """How many of them are ready."""
        return sum(each.ready for each in self.all.values())

    def on_node(self, change: Change) -> str | None:
        """Record a change of a node; returns the group that it joined or left, if any."""
        before = self._nodes.get(change.key)
        now = None if change.type == DELETED else _seen(change.new)
        if now == before:
            return None
        self._count(before, -1)
        self._count(now, 1)
        if now is None:
            del self._nodes[change.key]
        else:
            self._nodes[change.key] = now
        there = before or now
        assert there is not None
        if before is not None and now is not None:
            return None
        group = self.all[there.group]
        if self.began:
            group.added += now is not None
            group.removed += now is None
        return there.group

    def on_group(self, change: Change) -> None:
        """Record a change of a NodeGroup: its price per hour, and its upcoming nodes."""
        group = self._group(change.new["metadata"]["name"])
        group.reach(self._clock.now_ns)
        if change.type == DELETED:
            group.provisioning = 0
            return
        price = (change.new.get("spec") or {}).get("price")
        group.price = None if price is None else float(price)
        group.provisioning = int((change.new.get("status") or {}).get("provisioning") or 0)

    def reach(self, now_ns: int) -> None:
        """Count the time of all groups until now."""
        for each in self.all.values():
            each.reach(now_ns)

    def _group(self, name: str) -> NodeCounts:
        if name not in self.all:
            self.all[name] = NodeCounts(self._clock.now_ns)
        return self.all[name]

    def _count(self, seen: _Seen | None, sign: int) -> None:
        if seen is None:
            return
        group = self._group(seen.group)
        group.reach(self._clock.now_ns)
        group.nodes.add(sign, self._clock.now_ns)
        group.ready += sign * seen.is_ready
        self.allocatable_milli_cpu += sign * seen.milli_cpu


def _seen(node: Json) -> _Seen:
    status = node.get("status") or {}
    ready = is_ready(node)
    offered = status.get("allocatable") or status.get("capacity")
    group = (node["metadata"].get("labels") or {}).get(LABEL, NO_GROUP)
    # A node that is not Ready has nothing to offer.
    return _Seen(group, ready, resource_totals.total_of(offered).milli_cpu if ready else 0)


def is_ready(node: Json) -> bool:
    """Whether a node says that it is Ready, and nothing contradicts it."""
    return any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in (node.get("status") or {}).get("conditions") or ()
    )
