"""Pools: the slices of one driver that belong together, as far as a node reaches them.

A pool counts only in its newest generation. One of which slices are missing is incomplete, one
that contradicts itself is invalid; neither gives devices, but both are known to be there.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.objects.label_requirement import SelectorError
from kubestage.scheduler.devices import slices
from kubestage.scheduler.devices.failures import AllocationError
from kubestage.scheduler.devices.slices import Counters, Device, DeviceId, PoolId, Slice

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from kubestage.objects.views.node import NodeView


@dataclasses.dataclass(frozen=True, slots=True, eq=False)
class Pool:
    """A pool as one node sees it: `slices` are within its reach, `others` only count counters."""

    id: PoolId
    slices: tuple[Slice, ...] = ()
    others: tuple[Slice, ...] = ()
    counters: Counters = dataclasses.field(default_factory=dict)
    is_incomplete: bool = False
    is_invalid: bool = False

    @property
    def gives_devices(self) -> bool:
        """Whether devices may be taken from it."""
        return not (self.is_incomplete or self.is_invalid)

    @property
    def has_binding_conditions(self) -> bool:
        """Whether some device must be made ready before a pod can use it."""
        return any(device.binding_conditions for each in self.slices for device in each.devices)


class Candidate(NamedTuple):
    """A device within reach, and where it comes from."""

    id: DeviceId
    device: Device
    slice: Slice
    pool: Pool


@dataclasses.dataclass(frozen=True, eq=False)
class Reach:
    """The pools within reach of a node, in the order in which devices are taken from them.

    Where two nodes have equal `shape` and the same devices are in use, the same choice is right
    for both. It is None where more than that matters.
    """

    pools: tuple[Pool, ...]

    @functools.cached_property
    def candidates(self) -> tuple[Candidate, ...]:
        """All devices, in order."""
        return tuple(
            Candidate(DeviceId(*pool.id, device.name), device, each, pool)
            for pool in self.pools
            if pool.gives_devices
            for each in pool.slices
            for device in each.devices
        )

    @functools.cached_property
    def shape(self) -> tuple[tuple[bytes, ...], ...] | None:
        """What the devices are, whatever their pools are called."""
        plain = all(
            pool.gives_devices
            and not pool.counters
            and not any(each.per_device for each in pool.slices)
            for pool in self.pools
        )
        if not plain:
            return None
        return tuple(tuple(each.shape for each in pool.slices) for pool in self.pools)


class Inventory:
    """All slices, and what each node reaches of them."""

    def __init__(self) -> None:
        self._parsed: dict[int, tuple[dict[str, Any], Slice]] = {}
        self._all: list[Slice] = []
        self._on_node: dict[str, list[Slice]] = {}
        self._shared: list[Slice] = []
        self._by_labels = False
        self._reach: dict[str, tuple[dict[str, str], Reach]] = {}

    def __reduce__(self) -> tuple[type[Inventory], tuple[()]]:
        # Objects are known by identity, which a copy does not share.
        return Inventory, ()

    def refresh(self, objects: Iterable[dict[str, Any]]) -> None:
        """Take up the slices as they are now; what has not changed is not read again."""
        known = self._parsed
        listed = list(objects)
        if len(listed) == len(known) and all(map(known.__contains__, map(id, listed))):
            return
        # The objects are kept, so that none can get the identity of another.
        self._parsed = {
            id(obj): known.get(id(obj)) or (obj, slices.slice_of(obj)) for obj in listed
        }
        self._all = [each for _, each in self._parsed.values()]
        self._arrange()

    def _arrange(self) -> None:
        self._on_node, self._shared, self._reach = {}, [], {}
        for each in self._all:
            if each.nodes.node_name and not each.counters:
                self._on_node.setdefault(each.nodes.node_name, []).append(each)
            else:
                self._shared.append(each)
        self._by_labels = any(
            each.per_device or each.nodes.terms is not None for each in self._shared
        )

    def reach_of(self, node: NodeView) -> Reach:
        """What a node reaches; `AllocationError` if that is not known."""
        known = self._reach.get(node.name)
        if known is not None and (not self._by_labels or known[0] == node.labels):
            return known[1]
        own = self._on_node.get(node.name, ())
        reach = Reach(tuple(self._gather([*own, *self._shared], node)))
        self._reach[node.name] = node.labels, reach
        return reach

    def _gather(self, candidates: Sequence[Slice], node: NodeView) -> list[Pool]:
        newest: dict[PoolId, list[Slice]] = {}
        for each in candidates:
            if not _is_relevant(each, node):
                continue
            found = newest.setdefault(each.pool, [])
            if found and each.generation > found[0].generation:
                found.clear()
            if not found or each.generation == found[0].generation:
                found.append(each)
        pools = [pool for id_, found in newest.items() if (pool := self._pool(id_, found))]
        return sorted(pools, key=lambda pool: (pool.has_binding_conditions, pool.id))

    def _pool(self, pool_id: PoolId, found: list[Slice]) -> Pool | None:
        """The pool of the slices that a node reaches; None if a newer generation replaces it."""
        expected, generation = found[0].slice_count, found[0].generation
        whole = found
        if len(found) != expected:
            mates = [each for each in self._all if each.pool == pool_id]
            if any(each.generation > generation for each in mates):
                return None
            whole = [each for each in mates if each.generation == generation]
            if len(whole) != expected:
                return Pool(pool_id, is_incomplete=True)
        return _build(pool_id, found, whole)


def _build(pool_id: PoolId, found: list[Slice], whole: list[Slice]) -> Pool:
    ordered = sorted(found, key=lambda each: each.name)
    giving = tuple(each for each in ordered if not each.counters)
    names = [device.name for each in giving for device in each.devices]
    counters: Counters = {}
    for each in ordered:
        if counters.keys() & each.counters.keys():
            return Pool(pool_id, is_invalid=True)
        counters.update(each.counters)
    here = {each.name for each in found}
    others = tuple(each for each in whole if each.name not in here)
    if len(set(names)) != len(names) or not _counts_add_up(counters, (*ordered, *others)):
        return Pool(pool_id, is_invalid=True)
    return Pool(pool_id, giving, others, counters)


def _counts_add_up(counters: Counters, found: Iterable[Slice]) -> bool:
    """Whether devices consume only counters that the pool has."""
    return all(
        name in counters and amounts.keys() <= counters[name].keys()
        for each in found
        for device in each.devices
        for name, amounts in device.consumes
    )


def _is_relevant(each: Slice, node: NodeView) -> bool:
    """Whether a node reaches a slice; one with counters is needed wherever its pool is."""
    if each.counters:
        return True
    try:
        if each.nodes.is_stated:
            return each.nodes.matches(node.name, node.labels)
        return each.per_device and any(
            device.nodes.matches(node.name, node.labels) for device in each.devices
        )
    except SelectorError as problem:
        raise AllocationError(
            "gather pool information: failed to perform node selection for slice "
            f"{each.name}: failed to parse node selector: {problem}"
        ) from problem
