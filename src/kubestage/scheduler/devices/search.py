"""Finds devices for claims on one node: the first full choice, in the order of the pools.

The search is exhaustive. It takes one request after the other and for each the devices in order,
goes back where that leads nowhere, and stops at the first choice that satisfies everything.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec

from kubestage.scheduler.devices import capacity, constraints
from kubestage.scheduler.devices.counters import CounterLedger
from kubestage.scheduler.devices.failures import (
    AllocationError,
    NodeAllocationError,
    SearchTimeout,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.scheduler.devices.allocated import Allocated
    from kubestage.scheduler.devices.capacity import Amounts
    from kubestage.scheduler.devices.constraints import Constraint
    from kubestage.scheduler.devices.counters import AvailableCounters
    from kubestage.scheduler.devices.pools import Candidate, Reach
    from kubestage.scheduler.devices.requests import ClaimRequests, Request
    from kubestage.scheduler.devices.selectors import Selection
    from kubestage.scheduler.devices.slices import DeviceId

MAX_DEVICES: Final = 32
"""The most devices that one claim can have."""


class Pick(NamedTuple):
    """A device, by its place among the candidates, chosen for a request."""

    request: Request
    place: int
    consumed: Amounts | None
    holds_counters: bool


class Solution(NamedTuple):
    """For each claim the devices, and for each of its requests the alternative taken."""

    picks: tuple[tuple[Pick, ...], ...]
    chosen: tuple[tuple[Request, ...], ...]


class _Answer(enum.Enum):
    DONE = enum.auto()
    FAILED = enum.auto()
    TOO_MANY = enum.auto()


class _Task(msgspec.Struct, frozen=True):
    """An alternative of a request: how many devices, and which if it takes all that fit."""

    request: Request
    count: int
    fixed: tuple[int, ...] | None


class Search:
    """One search on one node; `budget` is how many steps it may take."""

    def __init__(
        self,
        claims: Sequence[ClaimRequests],
        reach: Reach,
        allocated: Allocated,
        available: AvailableCounters,
        selection: Selection,
        budget: int,
    ) -> None:
        self._claims = claims
        self._reach = reach
        self._candidates = reach.candidates
        self._allocated = allocated
        self._selection = selection
        self._budget = budget
        self._ledger = CounterLedger(available)
        self._taking: dict[DeviceId, set[int]] = {}
        self._taking_capacity: dict[DeviceId, list[Amounts]] = {}
        self._picks: list[list[Pick]] = [[] for _ in claims]
        self._chosen: list[list[Request]] = [
            [alternatives[0] for alternatives in each.requests] for each in claims
        ]
        self._tasks: list[list[list[_Task]]] = []
        self._constraints: list[list[Constraint]] = []

    def run(self) -> Solution | None:
        """The first full choice, or None if there is none."""
        for claim in self._claims:
            self._prepare(claim)
        if self._next_claim(0) is _Answer.DONE:
            return Solution(tuple(map(tuple, self._picks)), tuple(map(tuple, self._chosen)))
        if any(pool.is_invalid for pool in self._reach.pools):
            raise NodeAllocationError("invalid resource pools were encountered")
        return None

    def _prepare(self, claim: ClaimRequests) -> None:
        tasks = [
            [self._task(claim, request) for request in alternatives]
            for alternatives in claim.requests
        ]
        least = sum(min(task.count for task in alternatives) for alternatives in tasks)
        if least > MAX_DEVICES:
            raise AllocationError(
                f"claim {claim.key}: number of requested devices {least} "
                f"exceeds the claim limit of {MAX_DEVICES}"
            )
        self._tasks.append(tasks)
        found = []
        for index, each in enumerate(claim.constraints):
            constraint = constraints.constraint_of(each)
            if constraint is None:
                raise AllocationError(
                    f"claim {claim.key}, constraint #{index}: "
                    "empty constraint (unsupported constraint type?)"
                )
            found.append(constraint)
        self._constraints.append(found)

    def _task(self, claim: ClaimRequests, request: Request) -> _Task:
        if not request.wants_all:
            return _Task(request, request.count, None)
        for pool in self._reach.pools:
            if not pool.gives_devices:
                problem_text = "being updated" if pool.is_incomplete else "invalid"
                raise AllocationError(
                    f"claim {claim.key}, request {request.name}: asks for all devices, "
                    f"but resource pool {pool.id} is currently {problem_text}"
                )
        places = tuple(
            place
            for place, candidate in enumerate(self._candidates)
            if self._selection.matches(claim, request, candidate)
            and self._has_capacity(request, candidate)
        )
        return _Task(request, len(places), places)

    def _next_claim(self, at: int) -> _Answer:
        return _Answer.DONE if at == len(self._claims) else self._next_request(at, 0)

    def _next_request(self, claim: int, at: int) -> _Answer:
        tasks = self._tasks[claim]
        if at == len(tasks):
            answer = self._next_claim(claim + 1)
            # Other devices for this claim may let the next one do with fewer.
            return _Answer.FAILED if answer is _Answer.TOO_MANY else answer
        answers = set()
        for task in tasks[at]:
            self._chosen[claim][at] = task.request
            answer = self._next_device(claim, at, task, 0, 0)
            if answer is _Answer.DONE:
                return answer
            answers.add(answer)
        return _Answer.TOO_MANY if answers == {_Answer.TOO_MANY} else _Answer.FAILED

    def _next_device(self, claim: int, at: int, task: _Task, number: int, start: int) -> _Answer:
        """Choose one more device for a task, from `start` on, and then all that comes after."""
        self._budget -= 1
        if self._budget < 0:
            raise SearchTimeout
        if task.fixed == ():
            return _Answer.FAILED
        if number >= task.count:
            return self._next_request(claim, at + 1)
        if len(self._picks[claim]) + task.count - number > MAX_DEVICES:
            return _Answer.TOO_MANY
        places = range(start, len(self._candidates)) if task.fixed is None else (
            task.fixed[number],
        )  # fmt: skip
        for place in places:
            if self._take(claim, task, place):
                answer = self._next_device(claim, at, task, number + 1, place + 1)
                if answer is _Answer.DONE:
                    return answer
                self._give_back(claim)
                if answer is _Answer.TOO_MANY:
                    return answer
        return _Answer.FAILED

    def _take(self, claim: int, task: _Task, place: int) -> bool:
        """Count a device as chosen, if nothing speaks against it."""
        request, candidate = task.request, self._candidates[place]
        if not self._is_free(claim, request, candidate):
            return False
        if task.fixed is None and not (
            self._selection.matches(self._claims[claim], request, candidate)
            and self._has_capacity(request, candidate)
        ):
            return False
        device, shared = candidate.device, candidate.device.facts.allow_multiple
        if not request.tolerates_taints_of(device):
            return False
        counts = bool(device.consumes) and not (shared and self._is_shared(candidate.id))
        if counts and not self._ledger.reserve(candidate):
            return False
        if not self._join(claim, task, candidate):
            if counts:
                self._ledger.release(candidate)
            return False
        consumed: Amounts | None = None
        if shared:
            consumed = capacity.consumed(request.capacity, device.facts.capacity)
            self._taking_capacity.setdefault(candidate.id, []).append(consumed)
        else:
            self._taking.setdefault(candidate.id, set()).add(claim)
        self._picks[claim].append(Pick(request, place, consumed, counts))
        return True

    def _give_back(self, claim: int) -> None:
        """Undo the last choice for a claim."""
        pick = self._picks[claim].pop()
        candidate = self._candidates[pick.place]
        if pick.consumed is None:
            self._taking[candidate.id].discard(claim)
        else:
            self._taking_capacity[candidate.id].pop()
        for constraint in self._constraints[claim]:
            constraint.remove(pick.request)
        if pick.holds_counters:
            self._ledger.release(candidate)

    def _is_free(self, claim: int, request: Request, candidate: Candidate) -> bool:
        """Whether no claim has the device; with admin access only this claim itself matters."""
        if request.admin_access:
            return claim not in self._taking.get(candidate.id, ())
        return not self._taking.get(candidate.id) and not self._allocated.is_owned(candidate.id)

    def _is_shared(self, device: DeviceId) -> bool:
        return device in self._allocated.capacity or bool(self._taking_capacity.get(device))

    def _has_capacity(self, request: Request, candidate: Candidate) -> bool:
        offered = candidate.device.facts.capacity
        if not offered and not request.capacity:
            return True
        return capacity.suffices(
            request.capacity,
            offered,
            self._allocated.capacity.get(candidate.id, {}),
            *self._taking_capacity.get(candidate.id, ()),
        )

    def _join(self, claim: int, task: _Task, candidate: Candidate) -> bool:
        """Let a device join all constraints of its claim, or none."""
        joined: list[Constraint] = []
        for constraint in self._constraints[claim]:
            if not constraint.add(task.request, candidate.device):
                for each in joined:
                    each.remove(task.request)
                if task.fixed is None:
                    return False
                raise AllocationError(
                    f"claim {self._claims[claim].key}, request {task.request.name}: cannot add "
                    f"device {candidate.id} because a claim constraint would not be satisfied"
                )
            joined.append(constraint)
        if task.fixed is not None and not self._has_capacity(task.request, candidate):
            for each in joined:
                each.remove(task.request)
            return False
        return True
