"""Nodes by the pool that they belong to, and the time that they were there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.aliases import Json
from kubestage.objects import node_pools, resource_totals
from kubestage.results.life.integral import Integral
from kubestage.store.log import DELETED

if TYPE_CHECKING:
    from kubestage.sim.clock import Clock
    from kubestage.store.log import Change


NO_GROUP: Final = ""
"""Stands for the nodes that belong to no NodeGroup and no pool."""


class NodeCounts:
    """The nodes of one group."""

    __slots__ = ("added", "nodes", "provisioning", "ready", "removed")

    def __init__(self, now_ns: int) -> None:
        self.nodes = Integral(now_ns)
        self.ready = 0
        self.provisioning = 0
        self.added = 0
        self.removed = 0


class _Seen(msgspec.Struct, frozen=True):
    group: str
    is_ready: bool
    milli_cpu: int
    memory: int


class NodeGroups:
    """All nodes of a cluster; it receives every change of one, and of NodeGroups."""

    def __init__(self, clock: Clock) -> None:
        self.all: dict[str, NodeCounts] = {}
        self.allocatable_milli_cpu = 0
        self.allocatable_memory = 0
        self.total = Integral(clock.now_ns)
        self.began = False
        self._clock = clock
        self._nodes: dict[str, _Seen] = {}
        # Nodes that came without a label of their pool, which may follow.
        self._unlabelled: set[str] = set()

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
            return self._labelled(change.key, before.group, now.group)
        group = self.all[there.group]
        if self.began:
            group.added += now is not None
            group.removed += now is None
            if now is not None and now.group == NO_GROUP:
                self._unlabelled.add(change.key)
        if now is None:
            self._unlabelled.discard(change.key)
        return there.group

    def on_group(self, change: Change) -> None:
        """Record a change of a NodeGroup: its upcoming nodes."""
        group = self._group(change.new["metadata"]["name"])
        coming = (change.new.get("status") or {}).get("provisioning") or 0
        group.provisioning = 0 if change.type == DELETED else int(coming)

    def reach(self, now_ns: int) -> None:
        """Count the time of all groups until now."""
        self.total.reach(now_ns)
        for each in self.all.values():
            each.nodes.reach(now_ns)

    def _labelled(self, name: str, before: str, now: str) -> str | None:
        """A node may get the label of its pool only after it came: it was added to that one."""
        if before == now or name not in self._unlabelled:
            return None
        self._unlabelled.discard(name)
        self.all[before].added -= 1
        self.all[now].added += 1
        return now

    def _group(self, name: str) -> NodeCounts:
        if name not in self.all:
            self.all[name] = NodeCounts(self._clock.now_ns)
        return self.all[name]

    def _count(self, seen: _Seen | None, sign: int) -> None:
        if seen is None:
            return
        group = self._group(seen.group)
        group.nodes.add(sign, self._clock.now_ns)
        self.total.add(sign, self._clock.now_ns)
        group.ready += sign * seen.is_ready
        self.allocatable_milli_cpu += sign * seen.milli_cpu
        self.allocatable_memory += sign * seen.memory


def _seen(node: Json) -> _Seen:
    status = node.get("status") or {}
    ready = is_ready(node)
    offered = status.get("allocatable") or status.get("capacity")
    group = node_pools.of(node) or NO_GROUP
    # A node that is not Ready has nothing to offer.
    total = resource_totals.total_of(offered if ready else None)
    return _Seen(group, ready, total.milli_cpu, total.memory)


def is_ready(node: Json) -> bool:
    """Whether a node says that it is Ready, and nothing contradicts it."""
    return any(
        each["type"] == "Ready" and each["status"] == "True"
        for each in (node.get("status") or {}).get("conditions") or ()
    )
