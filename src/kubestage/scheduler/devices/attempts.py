"""One pod's claims on many nodes: what each node could give, asked of few of them.

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


class Outcome(NamedTuple):
    """What a node can give, if anything, or the problem; an error is not the node's alone."""

    solution: Solution | None = None
    problem: str = ""
    is_error: bool = False


class _Wish(msgspec.Struct, frozen=True):
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
        self._wishes: dict[Hashable, _Wish] = {}
        self._known: dict[Hashable, Outcome] = {}

    def outcome(
        self, node: NodeView, variant: Hashable = None, extra: Json | None = None
    ) -> Outcome:
        """What a node can give; `extra` is one more claim, the same for the same `variant`."""
        wish = self._wish(variant, extra)
        if wish.problem:
            return Outcome(None, wish.problem, True)
        try:
            reach = self._inventory.reach_of(node)
            key = self._key(reach)
            if key is None:
                return self._search(wish, reach, node)
            known = self._known.get((variant, key))
            if known is None:
                known = self._known[variant, key] = self._search(wish, reach, node)
            return known
        except NodeAllocationError as problem:
            return Outcome(None, str(problem))
        except AllocationError as problem:
            return Outcome(None, str(problem), True)
        except SearchTimeout:
            text = f"node {node.name}: timed out trying to allocate devices"
            return Outcome(None, text, True)

    def allocations(self, node: NodeView, variant: Hashable, solution: Solution) -> list[Json]:
        """A node's solution as it is written into the claims."""
        reach = self._inventory.reach_of(node)
        return results.allocations(self._wishes[variant].claims, solution, reach, node.name)

    def _wish(self, variant: Hashable, extra: Json | None) -> _Wish:
        wish = self._wishes.get(variant)
        if wish is None:
            claims = self._claims if extra is None else (*self._claims, extra)
            try:
                wish = _Wish(
                    tuple(requests.requests_of(each, self._class_named) for each in claims)
                )
            except AllocationError as problem:
                wish = _Wish(problem=str(problem))
            self._wishes[variant] = wish
        return wish

    def _search(self, wish: _Wish, reach: Reach, node: NodeView) -> Outcome:
        search = Search(
            wish.claims, reach, self._allocated, self._available, Selection(node), self._budget
        )
        return Outcome(search.run())

    def _key(self, reach: Reach) -> Hashable:
        """What decides the answer, or None if that is more than shapes and owners."""
        if reach.shape is None:
            return None
        owned = tuple([self._allocated.owned_in(pool.id) for pool in reach.pools])
        return None if None in owned else (reach.shape, owned)
