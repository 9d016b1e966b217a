"""What a StatefulSet has and lacks, pod by pod, kept up as pods change.

A sync then reads only the pods that differ from the desired state, however many there are.
"""

from __future__ import annotations

import heapq
from typing import TYPE_CHECKING, Any, NamedTuple

from kubestage.controllers import pods
from kubestage.controllers.statefulset import identity
from kubestage.controllers.statefulset.gaps import Gaps

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.controllers.rosters import Claimant, Roster
    from kubestage.controllers.statefulset.claims import ClaimControl
    from kubestage.controllers.statefulset.revisions import RevisionChoice


class Ordinals:
    """A set whose smallest member is found without looking at all; or whose largest is."""

    __slots__ = ("_heap", "_members", "_sign")

    def __init__(self, *, largest_first: bool = False) -> None:
        self._sign = -1 if largest_first else 1
        self._members: set[int] = set()
        self._heap: list[int] = []

    def add(self, ordinal: int) -> None:
        """Put an ordinal in."""
        if ordinal not in self._members:
            self._members.add(ordinal)
            heapq.heappush(self._heap, self._sign * ordinal)

    def discard(self, ordinal: int) -> None:
        """Take an ordinal out if it is there; the heap forgets it when it comes up."""
        self._members.discard(ordinal)

    def first(self) -> int | None:
        """The first ordinal."""
        heap, members, sign = self._heap, self._members, self._sign
        while heap and sign * heap[0] not in members:
            heapq.heappop(heap)
        return sign * heap[0] if heap else None

    def in_order(self) -> list[int]:
        """All ordinals, the first one first."""
        return sorted(self._members, reverse=self._sign < 0)

    def __contains__(self, ordinal: int) -> bool:
        return ordinal in self._members

    def __len__(self) -> int:
        return len(self._members)

    def __bool__(self) -> bool:
        return bool(self._members)


class MemberHealth(NamedTuple):
    """What the counts of a status are made of; pods of equal health are counted together."""

    is_ready: bool
    is_available: bool
    is_terminating: bool
    revision: str


class Members:
    """The pods of one set by ordinal, sorted by what there is to be done about them.

    In range, that is among the ordinals that the set is to have: `gaps` have no pod, `blocking`
    pods are not yet (or no longer) available, `finished` ones have ended, `waiting` ones may lack
    a claim, `mismatched` ones have not the identity or the claims that they should have, and
    `holding` ones are outdated or unavailable. Pods out of range are `condemned`; of them,
    `unhealthy` ones are unavailable, and the claims of `mismatched_condemned` ones have not the
    owners that they should have.
    """

    def __init__(self, roster: Roster, revisions: Roster) -> None:
        self.roster = roster
        self.revisions = revisions
        self.pods: dict[int, Json] = {}
        self.counts: dict[MemberHealth, int] = {}
        self.unverified: set[int] = set()
        self.listed: list[Json] = []
        self.choice: RevisionChoice | None = None
        self.choice_key: tuple[Any, ...] = ()
        self._generation: int | None = None
        self._update_revision = ""
        self._health: dict[int, MemberHealth] = {}
        self._due: list[tuple[int, int]] = []
        self._min_ready_seconds = 0
        self.start = self.end = 0
        self._has_claims = False
        self._empty_lists()

    def _empty_lists(self) -> None:
        self.gaps = Gaps(self.pods, self.start, self.end)
        self.blocking = Ordinals()
        self.finished: set[int] = set()
        self.waiting: set[int] = set()
        self.mismatched = Ordinals()
        self.mismatched_condemned: set[int] = set()
        self.holding = Ordinals(largest_first=True)
        self.condemned = Ordinals(largest_first=True)
        self.unhealthy = Ordinals()

    def settle(self, objects: dict[str, Json], claimant: Claimant, now_ns: int) -> None:
        """Take in the pods that have changed and those that time has made available."""
        for key, before, after in self.roster.settle(objects, claimant):
            ordinal = identity.parent_and_ordinal(key)[1]
            if ordinal < 0:
                continue
            if after is not None:
                self._place(ordinal, after, now_ns)
            elif self.pods.get(ordinal) is before:
                self._remove(ordinal)
        due = self._due
        while due and due[0][0] <= now_ns:
            _, ordinal = heapq.heappop(due)
            if ordinal in self.pods:
                self._place(ordinal, self.pods[ordinal], now_ns)

    def arrange(self, stateful_set: Json, update_revision: str, now_ns: int) -> None:
        """Sort everything again if the set's spec has changed."""
        generation = stateful_set["metadata"].get("generation")
        if (generation, update_revision) == (self._generation, self._update_revision):
            return
        self._generation, self._update_revision = generation, update_revision
        spec = stateful_set["spec"]
        self.start = identity.start_of(spec)
        self.end = self.start + spec["replicas"]
        self._min_ready_seconds = spec.get("minReadySeconds") or 0
        self._has_claims = bool(identity.claim_templates(stateful_set))
        self._empty_lists()
        self.counts.clear()
        self._health.clear()
        self._due.clear()
        for ordinal, pod in self.pods.items():
            self._place(ordinal, pod, now_ns)

    def verify(self, stateful_set: Json, claims: ClaimControl) -> None:
        """Find out which of the pods that are new, or whose claims changed, are mismatched."""
        for ordinal in self.unverified & self.pods.keys():
            pod, in_range = self.pods[ordinal], self.is_in_range(ordinal)
            matches = claims.are_owned_by_policy(stateful_set, pod, in_range=in_range)
            found: Ordinals | set[int] = self.mismatched_condemned
            if in_range:
                found = self.mismatched
                matches = (
                    matches
                    and identity.has_identity(stateful_set, pod)
                    and identity.has_storage(stateful_set, pod)
                )
            if matches:
                found.discard(ordinal)
            else:
                found.add(ordinal)
        self.unverified.clear()

    @property
    def next_due_ns(self) -> int | None:
        """When time alone will make a pod available."""
        return self._due[0][0] if self._due else None

    @property
    def gap_count(self) -> int:
        """How many ordinals in range have no pod."""
        return self.end - self.start - len(self.pods) + len(self.condemned)

    def is_in_range(self, ordinal: int) -> bool:
        """Whether the set is to have a pod of this ordinal."""
        return self.start <= ordinal < self.end

    def _remove(self, ordinal: int) -> None:
        self.pods.pop(ordinal, None)
        self._strike(ordinal)
        if self.is_in_range(ordinal):
            self.gaps.reopen(ordinal)

    def _strike(self, ordinal: int) -> None:
        health = self._health.pop(ordinal, None)
        if health is not None:
            self.counts[health] -= 1
            if not self.counts[health]:
                del self.counts[health]
        for each in (self.blocking, self.finished, self.waiting, self.mismatched):
            each.discard(ordinal)
        for each in (self.holding, self.condemned, self.unhealthy, self.unverified):
            each.discard(ordinal)
        self.mismatched_condemned.discard(ordinal)

    def _place(self, ordinal: int, pod: Json, now_ns: int) -> None:
        self._strike(ordinal)
        self.pods[ordinal] = pod
        health = self._health[ordinal] = self._examine(ordinal, pod, now_ns)
        self.counts[health] = self.counts.get(health, 0) + 1
        self.unverified.add(ordinal)
        is_available = health.is_available and not health.is_terminating
        if not self.is_in_range(ordinal):
            self.condemned.add(ordinal)
            if not is_available:
                self.unhealthy.add(ordinal)
            return
        phase = pods.phase(pod)
        if not (is_available and health.is_ready):
            self.blocking.add(ordinal)
        if phase in ("Failed", "Succeeded"):
            self.finished.add(ordinal)
        elif phase == "Pending" and self._has_claims:
            self.waiting.add(ordinal)
        is_outdated = health.revision != self._update_revision and not health.is_terminating
        if is_outdated or not is_available:
            self.holding.add(ordinal)

    def _examine(self, ordinal: int, pod: Json, now_ns: int) -> MemberHealth:
        from_ns = pods.available_from_ns(pod, self._min_ready_seconds)
        is_available = from_ns is not None and from_ns <= now_ns
        if from_ns is not None and not is_available:
            heapq.heappush(self._due, (from_ns, ordinal))
        return MemberHealth(
            pods.phase(pod) == "Running" and pods.is_ready(pod),
            is_available,
            pods.is_terminating(pod),
            identity.revision_of(pod),
        )
