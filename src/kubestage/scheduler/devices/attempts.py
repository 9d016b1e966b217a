"""One pod's claims on many nodes: what each node could provide, searched on few of them.

Nodes of one kind come in great numbers. Where their devices look alike and the same ones are in
use, one search answers for all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import msgspec

from kubestage.aliases import Json
from kubestage.scheduler.devices import requests, results
from kubestage.scheduler.devices.counters import AvailableCounters
from kubestage.scheduler.devices.failures import (
    AllocationError,
    NodeAllocationError,
    SearchTimeout,
)
from kubestage.scheduler.devices.search import Search
from kubestage.scheduler.devices.selectors import Selection

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Sequence

    from kubestage.objects.views.node import NodeView
    from kubestage.scheduler.devices.allocated import Allocated
    from kubestage.scheduler.devices.pools import Inventory, Reach
    from kubestage.scheduler.devices.requests import ClaimRequests
    from kubestage.scheduler.devices.search import Solution


class NodeDevices(NamedTuple):
    """What a node can provide, if anything, or the problem; an error is not the node's alone."""

    solution: Solution | None = None
    problem: str = ""
    is_error: bool = False


class _Requested(msgspec.Struct, frozen=True):
    """What is to be allocated; the variants of one pod differ in one claim."""

    claims: tuple[ClaimRequests, ...] = ()
    problem: str = ""


class DeviceAttempt:
    """One attempt to find devices for the claims of a pod; `budget` is steps per node."""

    def __init__(
        self,
        claims: Sequence[Json],
        class_named: Callable[[str], Json | None],
        inventory: Inventory,
        allocated: Allocated,
        budget: int,
    ) -> None:
        self._claims = claims
        self._class_named = class_named
        self._inventory = inventory
        self._allocated = allocated
        self._budget = budget
        self._available = AvailableCounters(allocated)
        self._requested: dict[Hashable, _Requested] = {}
        self._known: dict[Hashable, NodeDevices] = {}

    def find(
        self, node: NodeView, variant: Hashable = None, extra: Json | None = None
    ) -> NodeDevices:
        """What a node can provide; `extra` is one more claim, the same for the same `variant`."""
        requested = self._requests(variant, extra)
        if requested.problem:
            return NodeDevices(None, requested.problem, True)
        try:
            reach = self._inventory.reach_of(node)
            key = self._key(reach)
            if key is None:
                return self._search(requested, reach, node)
            known = self._known.get((variant, key))
            if known is None:
                known = self._known[variant, key] = self._search(requested, reach, node)
            return known
        except NodeAllocationError as problem:
            return NodeDevices(None, str(problem))
        except AllocationError as problem:
            return NodeDevices(None, str(problem), True)
        except SearchTimeout:
            text = f"node {node.name}: timed out trying to allocate devices"
            return NodeDevices(None, text, True)

    def allocations(self, node: NodeView, variant: Hashable, solution: Solution) -> list[Json]:
        """A node's solution as it is written into the claims."""
        reach = self._inventory.reach_of(node)
        return results.allocations(self._requested[variant].claims, solution, reach, node.name)

    def _requests(self, variant: Hashable, extra: Json | None) -> _Requested:
        requested = self._requested.get(variant)
        if requested is None:
            claims = self._claims if extra is None else (*self._claims, extra)
            try:
                requested = _Requested(
                    tuple(requests.requests_of(each, self._class_named) for each in claims)
                )
            except AllocationError as problem:
                requested = _Requested(problem=str(problem))
            self._requested[variant] = requested
        return requested

    def _search(self, requested: _Requested, reach: Reach, node: NodeView) -> NodeDevices:
        search = Search(
            requested.claims, reach, self._allocated, self._available, Selection(node), self._budget
        )
        return NodeDevices(search.run())

    def _key(self, reach: Reach) -> Hashable:
        """What decides the answer, or None if that is more than shapes and owners."""
        if reach.shape is None:
            return None
        owned = tuple([self._allocated.owned_in(pool.id) for pool in reach.pools])
        return None if None in owned else (reach.shape, owned)
