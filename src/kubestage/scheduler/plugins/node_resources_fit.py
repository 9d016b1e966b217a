"""NodeResourcesFit: a node must have room for what the pod requests, and may be the fitter for it.

Codes are sets of bits: one for each resource that is short, and one for nodes that could
never hold the pod.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, Final

import msgspec
import numpy as np

from kubestage.objects import pod_resources, resource_totals
from kubestage.scheduler import resource_table
from kubestage.scheduler.arrays import as_run
from kubestage.scheduler.devices import extended_resources
from kubestage.scheduler.plugins import resource_hints, resource_scoring
from kubestage.scheduler.quick import kernels
from kubestage.scheduler.status import SUCCESS, Code, Status, error

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Mask, Rows
    from kubestage.scheduler.cluster_events import EventHint
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.plugins.resource_scoring import Weighing
    from kubestage.scheduler.resource_table import ResourceTable, Table

_NOTHING_REQUESTED: Final = np.iinfo(np.int64).min
_UNRESOLVABLE: Final = 1 << 30
_MAX_RESOURCES: Final = 30
_TOO_MANY: Final = error("the pod requests more different resources than can be told apart")
# Scores see containers that request nothing as asking for a little, and no pod-level resources.
_SCORED: Final = pod_resources.Options(
    skip_pod_level=True, non_missing={pod_resources.CPU: "100m", pod_resources.MEMORY: "200Mi"}
)


_STRATEGIES: Final[dict[Any, int]] = {
    resource_scoring.least_allocated: kernels.LEAST_ALLOCATED,
    resource_scoring.most_allocated: kernels.MOST_ALLOCATED,
}


class _Request(msgspec.Struct, frozen=True):
    """What must be free: a line of the table for each of `names`, and the least amount."""

    names: tuple[str, ...]
    lines: slice | Ints
    least: Table
    bits: Codes
    needs: tuple[tuple[int, int], ...]
    """Lines and amounts of what is requested at all."""
    by_devices: Mask | None = None


class NodeResourcesFit:
    """Rejects nodes without room; scores the others by the configured strategy."""

    name = "NodeResourcesFit"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self._lister = handle.lister
        self._ignored = frozenset(args.get("ignoredResources") or ())
        self._ignored_groups = frozenset(args.get("ignoredResourceGroups") or ())
        strategy = args["scoringStrategy"]
        self._resources = [(each["name"], each["weight"]) for each in strategy["resources"]]
        self._mean = resource_scoring.weighted_mean
        self._shares: Callable[[Table, Table], Table] = resource_scoring.least_allocated
        if strategy["type"] == "MostAllocated":
            self._shares = resource_scoring.most_allocated
        elif strategy["type"] == "RequestedToCapacityRatio":
            shape = resource_scoring.ratio_shape(strategy["requestedToCapacityRatio"]["shape"])
            self._shares = functools.partial(resource_scoring.shaped, shape)
            self._mean = resource_scoring.rounded_mean

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        request = columns.memo.get((self, pod.plan), lambda: self._request(columns, pod))
        if len(request.names) > _MAX_RESOURCES:
            return _TOO_MANY, None
        if pod.fit_request.scalars:
            request = self._without_devices(request)
        state[self.name] = request
        return SUCCESS, None

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        del pod
        request: _Request = state[self.name]
        table, lines = columns.resources, request.lines
        free = table.free[lines]
        short = (
            free[:, rows] if isinstance(rows, slice) else free.take(rows, axis=1)
        ) < request.least
        if not short.any():
            return None
        allocatable = table.allocatable[lines][:, rows]
        if request.by_devices is not None:
            short &= ~request.by_devices | (allocatable > 0)
        never = short & (allocatable < request.least)
        never[resource_table.PODS] = False
        codes: Codes = (short * request.bits).sum(axis=0, dtype=np.int32)
        codes |= never.any(axis=0) * np.int32(_UNRESOLVABLE)
        return codes

    def fits(self, state: CycleState, columns: Columns) -> Mask | None:
        """Which nodes have room, all rows at once; None if devices may stand in for resources."""
        request: _Request = state[self.name]
        if request.by_devices is not None:
            return None
        free = columns.resources.free
        found: Mask | None = None
        # NOTE: two or three comparisons of a line take half the time of one of the whole table.
        for line, least in request.needs:
            enough = free[line] >= least
            found = enough if found is None else np.logical_and(found, enough, out=found)
        assert found is not None, "a node must have room for one more pod"
        return found

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del pod
        request: _Request = state[self.name]
        reasons = tuple(
            f"Insufficient {name}" if position else "Too many pods"
            for position, name in enumerate(request.names)
            if code >> position & 1
        )
        if code & _UNRESOLVABLE:
            return Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons)
        return Status(Code.UNSCHEDULABLE, reasons)

    def pre_score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Status:
        del state, pod, columns, rows
        return SUCCESS

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        del state
        weighing = columns.memo.get(
            (self, pod.plan, "score"), lambda: self._weighing(columns.resources, pod)
        )
        if not weighing.weights:
            return np.zeros(len(rows), np.int64)
        run = as_run(rows)
        allocatable = weighing.lines_of(columns.resources.allocatable, run)
        requested = weighing.lines_of(columns.resources.nonzero, run) + weighing.requests
        if weighing.offered:
            shares = self._shares(allocatable, requested)
            return self._mean(shares, weighing.weights, None)
        shares = self._shares(np.maximum(allocatable, 1), requested)
        return self._mean(shares, weighing.weights, (allocatable > 0).astype(np.int64))

    def requested_amounts(self, state: CycleState) -> tuple[Ints, Ints] | None:
        """The lines of the table that a pod needs something of, and how much of each.

        None if devices may stand in for some.
        """
        request: _Request = state[self.name]
        if request.by_devices is not None:
            return None
        lines = request.lines
        if isinstance(lines, slice):
            lines = np.arange(lines.start, lines.stop)
        return lines, request.least[:, 0]

    def scored(self, columns: Columns, pod: PodView) -> tuple[Ints, Ints, Ints, int] | None:
        """Lines, amounts and weights of the score and its strategy; None for a special one."""
        weighing = self._weighing(columns.resources, pod)
        strategy = _STRATEGIES.get(self._shares)
        if strategy is None or not weighing.offered:
            return None
        weights: Ints = np.array(weighing.weights, np.int64)
        return weighing.numbers, weighing.requests[:, 0], weights, strategy

    def events_to_register(self) -> Sequence[EventHint]:
        return resource_hints.events(self._lister)

    def _weighing(self, table: ResourceTable, pod: PodView) -> Weighing:
        names = [name for name, _ in self._resources]
        amounts = resource_scoring.amounts(pod.raw, names, _SCORED)
        return resource_scoring.weighing(table, self._resources, amounts)

    def _request(self, columns: Columns, pod: PodView) -> _Request:
        request = pod.fit_request
        named = [
            (pod_resources.PODS, 1),
            (pod_resources.CPU, request.milli_cpu),
            (pod_resources.MEMORY, request.memory),
            (pod_resources.EPHEMERAL_STORAGE, request.ephemeral_storage),
        ]
        scalars = [
            (name, amount)
            for name, amount in request.scalars.items()
            if amount and not self._is_ignored(name)
        ]
        lines: slice | Ints = slice(0, len(named))
        if scalars:
            numbers = [columns.resources.line(name) for name, _ in scalars]
            lines = np.array([*range(len(named)), *numbers], np.int64)
        elif not request.ephemeral_storage:
            named.pop()
            lines = slice(0, len(named))
        named += scalars
        least = [[amount or _NOTHING_REQUESTED] for _, amount in named]
        bits = [[1 << position] for position in range(min(len(named), _MAX_RESOURCES))]
        needed = (
            enumerate(named)
            if isinstance(lines, slice)
            else zip(lines.tolist(), named, strict=True)
        )
        return _Request(
            tuple(name for name, _ in named),
            lines,
            np.array(least, np.int64),
            np.array(bits, np.int32),
            tuple((line, amount) for line, (_, amount) in needed if amount),
        )

    def _is_ignored(self, name: str) -> bool:
        if not resource_totals.is_extended(name):
            return False
        return name in self._ignored or name.split("/", maxsplit=1)[0] in self._ignored_groups

    def _without_devices(self, request: _Request) -> _Request:
        """Leave resources that a DeviceClass stands behind to DynamicResources."""
        classes = extended_resources.classes_by_resource(self._lister)
        backed = [
            position > resource_table.EPHEMERAL_STORAGE and name in classes
            for position, name in enumerate(request.names)
        ]
        if not any(backed):
            return request
        return msgspec.structs.replace(request, by_devices=np.array(backed)[:, None])
