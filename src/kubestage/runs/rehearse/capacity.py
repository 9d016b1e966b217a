"""CPU, memory and places for pods: what nodes offer, and what pods request."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects import gvk
from kubestage.objects.pod_resources import CPU, MEMORY, PODS
from kubestage.results.analysis import amounts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.store.store import Store

_OVER = ("Succeeded", "Failed")


class Capacity(msgspec.Struct, frozen=True, rename="camel"):
    """An amount of what every node has."""

    milli_cpu: int = 0
    memory_bytes: int = 0
    pods: int = 0


class Headroom(msgspec.Struct, frozen=True, rename="camel"):
    """What the nodes of a cluster offer, and how much of it is requested."""

    nodes: int
    offered: Capacity
    requested: Capacity

    def shares(self) -> str:
        """``cpu 62%, memory 40%`` of what is offered."""
        pairs = (
            ("cpu", self.requested.milli_cpu, self.offered.milli_cpu),
            ("memory", self.requested.memory_bytes, self.offered.memory_bytes),
        )
        return ", ".join(f"{name} {_percent(part, whole)}" for name, part, whole in pairs)


def of_nodes(nodes: Iterable[Json]) -> Capacity:
    """What nodes offer in sum."""
    return _sum(map(amounts.of_node, nodes))


def headroom(store: Store) -> Headroom:
    """What all nodes offer, and what the pods that are on one request."""
    nodes = store.read(gvk.NODE)
    pods = [
        amounts.of_pod(pod)
        for pod in store.read(gvk.POD).values()
        if pod["spec"].get("nodeName") in nodes
        and (pod.get("status") or {}).get("phase") not in _OVER
    ]
    return Headroom(len(nodes), of_nodes(nodes.values()), _sum(pods))


def _sum(found: Iterable[amounts.Amounts]) -> Capacity:
    cpu = memory = pods = 0
    for each in found:
        cpu += each[CPU]
        memory += each[MEMORY]
        pods += each[PODS]
    return Capacity(cpu, memory, pods)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f}%" if whole else "-"
