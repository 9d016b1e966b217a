"""What is done to bring a StatefulSet to its desired state: one sync, one step.

Ordered sets take the first step that there is to take and wait for it; parallel ones take all.
"""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final

from kubestage.controllers import pods
from kubestage.controllers.controller import Retry
from kubestage.controllers.statefulset import identity
from kubestage.errors import ApiError

if TYPE_CHECKING:
    import random
    from collections.abc import Callable, Iterable, Iterator

    from kubestage.aliases import Json
    from kubestage.controllers.statefulset.members import Members
    from kubestage.controllers.statefulset.revisions import RevisionChoice
    from kubestage.controllers.statefulset.stateful_pod_control import StatefulPodControl


_LARGEST_BATCH: Final = 500
_HALF: Final = 0.5


class Update:
    """One sync of one set.

    Afterwards `replaced` is the number of pods that were deleted because they are outdated, and
    `waits_for_claims` means that claims of former pods block new ones.
    """

    def __init__(
        self,
        control: StatefulPodControl,
        members: Members,
        stateful_set: Json,
        choice: RevisionChoice,
        rng: random.Random,
        allowance: Callable[[int], int],
    ) -> None:
        self._allowance = allowance
        self._control = control
        self._rng = rng
        self._members = members
        self._set = stateful_set
        self._choice = choice
        self.replaced = 0
        self.waits_for_claims = False

    def run(self) -> None:
        """Take the steps that can be taken now."""
        if self._set["spec"].get("podManagementPolicy") == "Parallel":
            self._run_in_parallel()
        else:
            self._run_in_order()

    def _run_in_order(self) -> None:
        members = self._members
        while True:
            waiting = (members.gaps.first(), members.blocking.first(), members.mismatched.first())
            ordinal = min((each for each in waiting if each is not None), default=None)
            if ordinal is None:
                break
            self._attend(ordinal)
            if ordinal in members.blocking or ordinal in members.gaps:
                return
        self._set_condemned_claim_owners()
        condemned = members.condemned.first()
        if condemned is not None:
            self._end_in_order(condemned)
        else:
            self._roll(None)

    def _run_in_parallel(self) -> None:
        members = self._members
        last_gap = members.gaps.last()
        # More come when the set is told of these: no sync goes on for long.
        most = min(members.gap_count, _LARGEST_BATCH)
        gaps = itertools.islice(members.gaps, self._allowance(most))
        rest = {*members.finished, *members.waiting, *members.mismatched.in_order()}
        start = members.start
        work = sorted({*gaps, *rest})
        batches = _batches((each - start, each) for each in work)
        _in_batches(map(self._shuffled, batches), self._attend)
        self._set_condemned_claim_owners()
        condemned = members.condemned.in_order()
        condemned = condemned[: self._allowance(len(condemned))]
        _in_batches(_batches(enumerate(condemned)), self._end)
        self._roll(last_gap)

    def _shuffled(self, batch: list[int]) -> list[int]:
        """A batch starts in parallel: each of its items may be the first to be done."""
        if len(batch) > 1 and self._rng.random() < _HALF:
            return [batch[-1], *batch[:-1]]
        return batch

    def _attend(self, ordinal: int) -> None:
        """Do for one ordinal in range what can be done now."""
        members, control = self._members, self._control
        pod = members.pods.get(ordinal)
        if pod is None:
            self._create(ordinal)
            return
        if ordinal in members.finished:
            if not pods.is_terminating(pod):
                control.delete(self._set, pod)
            return
        if ordinal in members.waiting:
            control.make_missing_claims(self._set, pod)
        is_ordered = self._set["spec"].get("podManagementPolicy") != "Parallel"
        if ordinal not in members.mismatched or (is_ordered and ordinal in members.blocking):
            return
        control.mend(self._set, pod)
        members.mismatched.discard(ordinal)
        members.unverified.add(ordinal)

    def _create(self, ordinal: int) -> None:
        """Make the pod of an ordinal: at the current revision if the rollout spares it."""
        choice = self._choice
        revision, template = choice.update, choice.update_template
        if ordinal < self._members.start + self._spared():
            revision, template = choice.current, choice.current_template
        pod = identity.new_pod(self._set, template, revision, ordinal)
        if self._control.claims.are_stale(self._set, pod):
            self.waits_for_claims = True
            return
        self._control.create(self._set, pod)

    def _spared(self) -> int:
        """How many of the first pods are to be at the current revision."""
        strategy = self._set["spec"].get("updateStrategy") or {}
        rolling = strategy.get("rollingUpdate")
        if rolling is not None:
            return rolling.get("partition") or 0
        if strategy.get("type") != "RollingUpdate":
            return 0
        return (self._set.get("status") or {}).get("currentReplicas") or 0

    def _set_condemned_claim_owners(self) -> None:
        """Claims that are to go with a pod belong to it before it ends."""
        members = self._members
        for ordinal in sorted(members.mismatched_condemned, reverse=True):
            pod = members.pods[ordinal]
            self._control.claims.set_owners(self._set, pod, in_range=False)
            members.mismatched_condemned.discard(ordinal)
            members.unverified.add(ordinal)

    def _end_in_order(self, ordinal: int) -> None:
        """End the last pod if those before it are well, or if it is itself the first that is not.

        In range all pods are available by now.
        """
        unhealthy = self._members.unhealthy
        if ordinal not in unhealthy or unhealthy.first() == ordinal:
            self._end(ordinal)

    def _end(self, ordinal: int) -> None:
        pod = self._members.pods[ordinal]
        if not pods.is_terminating(pod):
            self._control.delete(self._set, pod)

    def _roll(self, last_gap: int | None) -> None:
        """Delete the last outdated pod, if no pod after it is being waited for."""
        strategy = self._set["spec"].get("updateStrategy") or {}
        if strategy.get("type") == "OnDelete":
            return
        members = self._members
        target = members.holding.first()
        if target is None or (last_gap is not None and last_gap > target):
            return
        partition = (strategy.get("rollingUpdate") or {}).get("partition") or 0
        pod = members.pods[target]
        if target - members.start < partition or pods.is_terminating(pod):
            return
        if identity.revision_of(pod) != self._choice.update:
            self._control.delete(self._set, pod)
            self.replaced += 1


def _batches(work: Iterable[tuple[int, int]]) -> Iterator[list[int]]:
    """Ordinals in batches that double in size, by their places in the whole they are part of."""
    size = end = 1
    batch: list[int] = []
    for place, ordinal in work:
        while place >= end:
            size = min(2 * size, _LARGEST_BATCH)
            end += size
            if batch:
                yield batch
                batch = []
        batch.append(ordinal)
    if batch:
        yield batch


def _in_batches(batches: Iterable[list[int]], act: Callable[[int], None]) -> None:
    """Act on all ordinals; a batch with failures is the last one."""
    for batch in batches:
        failures: list[ApiError | Retry] = []
        for ordinal in batch:
            try:
                act(ordinal)
            except (ApiError, Retry) as failure:
                failures.append(failure)
        if failures:
            raise failures[0]
