"""What one attempt at a pod knows about the pod's claims and where they can be met."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from kubestage.scheduler import node_matching
from kubestage.scheduler.devices import extended_resources, pod_claims
from kubestage.scheduler.devices.allocated import allocation_of
from kubestage.scheduler.status import Status, error, unresolvable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.node_selector import NodeSelector
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Mask
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.devices.attempts import DeviceAttempt
    from kubestage.scheduler.devices.extended_resources import NodeClaim
    from kubestage.scheduler.devices.search import Solution


NOT_AVAILABLE: Final = unresolvable("resourceclaim not available on the node")
CANNOT_ALLOCATE: Final = unresolvable("cannot allocate all claims")
STALE: Final = unresolvable("cannot schedule extended resource claim")
CANNOT_FIT: Final = unresolvable("cannot fit resource")

_FIXED: Final = (NOT_AVAILABLE, CANNOT_ALLOCATE, STALE, CANNOT_FIT)
_BEST_PLACE: Final = 8
"""What the first alternative of a request scores; each later one scores one less."""


class Found(NamedTuple):
    """A node's devices for the claims, and which resources they stand for."""

    node: NodeView
    resources: frozenset[str] | None
    solution: Solution


@dataclasses.dataclass(slots=True)
class Extended:
    """The vendors' resources that a pod requests, and what stands behind them."""

    amounts: dict[str, int]
    classes: dict[str, Json]
    claims: dict[frozenset[str], NodeClaim] = dataclasses.field(default_factory=dict)
    objects: dict[frozenset[str], Json] = dataclasses.field(default_factory=dict)


@dataclasses.dataclass(slots=True)
class PodDevices:
    """A pod's claims, those its spec names first; clones of the cycle state share it.

    `selectors` is where an allocated claim can be used, `is_failing` that its devices do not get
    ready; `allocations` are to be written into the claims.
    """

    pod: PodView | None = None
    claims: list[Json] = dataclasses.field(default_factory=list)
    selectors: list[NodeSelector | None] = dataclasses.field(default_factory=list)
    is_failing: list[bool] = dataclasses.field(default_factory=list)
    allocations: list[Json | None] = dataclasses.field(default_factory=list)
    extended: Extended | None = None
    attempt: DeviceAttempt | None = None
    found: dict[str, Found] = dataclasses.field(default_factory=dict)
    statuses: list[Status] = dataclasses.field(default_factory=lambda: list(_FIXED))
    scores: dict[int, int] = dataclasses.field(default_factory=dict)

    @property
    def user_count(self) -> int:
        """How many claims the pod's spec names."""
        return len(self.claims) - (self.extended is not None)

    @property
    def extended_claim(self) -> Json | None:
        """The claim for extended resources, if there is one."""
        return None if self.extended is None else self.claims[-1]

    def unallocated(self) -> list[int]:
        """The claims without an allocation so far."""
        return [at for at, claim in enumerate(self.claims) if allocation_of(claim) is None]

    def codes(self, columns: Columns, rows: Ints) -> Codes | None:
        """The verdict on each row; 0 where the claims can be met."""
        codes: Codes = np.zeros(len(rows), np.int32)
        if self.attempt is not None or self.extended is not None:
            infos = columns.infos
            for at, row in enumerate(rows.tolist()):
                codes[at] = self._code_on(infos[row].view)
        if self.user_count:
            unavailable = np.zeros(len(columns), np.bool_)
            for at in range(len(self.claims)):
                unavailable |= self.unavailable(at, columns)
            codes[(codes == 0) & unavailable[rows]] = self._code(NOT_AVAILABLE)
        return codes if codes.any() else None

    def unavailable(self, at: int, columns: Columns) -> Mask:
        """The rows on which an allocated claim cannot be used."""
        selector = self.selectors[at]
        if self.is_failing[at]:
            return np.ones(len(columns), np.bool_)
        if selector is None:
            return np.zeros(len(columns), np.bool_)
        return ~node_matching.matches_any(columns, selector)

    def _code_on(self, node: NodeView) -> int:
        resources: frozenset[str] | None = None
        extra: Json | None = None
        if self.extended is not None:
            claim = self.claims[-1]
            if pod_claims.device_requests(claim):
                return self._code(STALE)
            resources = extended_resources.left_to_devices(
                self.extended.amounts, self.extended.classes, node.allocatable.scalars
            )
            if resources is None:
                return self._code(CANNOT_FIT)
            if not resources and not self.user_count:
                return 0
            extra = self.extended.objects.get(resources)
            if extra is None:
                claim_of_node = self.node_claim(resources)
                extra = {**claim, "spec": {"devices": {"requests": list(claim_of_node.requests)}}}
                self.extended.objects[resources] = extra
        if self.attempt is None:
            return 0
        found_devices = self.attempt.find(node, resources, extra)
        if found_devices.solution is not None:
            self.found[node.name] = Found(node, resources, found_devices.solution)
            return 0
        if not found_devices.problem:
            return self._code(CANNOT_ALLOCATE)
        verdict = error if found_devices.is_error else unresolvable
        return self._code(verdict(found_devices.problem))

    def node_claim(self, resources: frozenset[str]) -> NodeClaim:
        """What the claim for extended resources requests on nodes that lack these."""
        assert self.extended is not None
        assert self.pod is not None
        claim_of_node = self.extended.claims.get(resources)
        if claim_of_node is None:
            claim_of_node = extended_resources.node_claim(
                self.pod, resources, self.extended.classes
            )
            self.extended.claims[resources] = claim_of_node
        return claim_of_node

    def _code(self, status: Status) -> int:
        if status not in self.statuses:
            self.statuses.append(status)
        return self.statuses.index(status) + 1

    def scores_of(self, names: Iterable[str]) -> list[int]:
        """How far up its lists of alternatives the pod gets on each node."""
        return [self._score(self.found.get(name)) for name in names]

    def _score(self, found: Found | None) -> int:
        if found is None:
            return 0
        key = id(found.solution)
        score = self.scores.get(key)
        if score is None:
            score = self.scores[key] = self._sum(found.solution)
        return score

    def _sum(self, solution: Solution) -> int:
        new = iter(solution.picks)
        total = 0
        for claim in self.claims:
            allocation = allocation_of(claim)
            if allocation is None:
                taken = {pick.request.full_name for pick in next(new)}
            else:
                taken = {each["request"] for each in allocation["devices"].get("results") or ()}
            for request in pod_claims.device_requests(claim):
                total += sum(
                    _BEST_PLACE - place
                    for place, each in enumerate(request.get("firstAvailable") or ())
                    if f"{request['name']}/{each['name']}" in taken
                )
        return total
