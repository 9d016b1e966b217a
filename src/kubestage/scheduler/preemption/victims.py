"""The dry run on nodes: which pods would have to go for the pod to fit.

All pods of lower priority are taken off a node. If the pod fits then, they are put back one by
one, those that a disruption budget protects first and the most important first among equals, and
whoever does not fit beside the pod is a victim.

Nodes are tried many at a time, in columns, unless a plugin keeps state about pods elsewhere that
changes as pods come and go; then each node has a trial and a state of its own.
"""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Final

import numpy as np

from kubestage.scheduler.preemption import budgets, importance
from kubestage.scheduler.status import SUCCESS, Status, unresolvable
from kubestage.scheduler.verdicts import NOBODY

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.nominator import Nominator
    from kubestage.scheduler.runtime import Profile

NO_VICTIMS: Final = unresolvable("No preemption victims found for incoming pod")


@dataclasses.dataclass(frozen=True, slots=True)
class DryRun:
    """What preemption on one node would come to; victims come the most important first."""

    status: Status
    victims: tuple[PodView, ...] = ()
    pdb_violations: int = 0


_NOBODY_TO_PREEMPT: Final = DryRun(NO_VICTIMS)


@dataclasses.dataclass(frozen=True, slots=True)
class Preemptor:
    """The pod that needs room, with what its attempt has found out so far."""

    pod: PodView
    profile: Profile
    state: CycleState
    nominator: Nominator
    budgets: Sequence[BudgetView]

    def outranks(self, other: PodView) -> bool:
        """Whether another pod may have to go."""
        return other.priority < self.pod.priority

    @property
    def tracks_pods(self) -> bool:
        """Whether a plugin that has a say follows pods as they are tried on and off."""
        skipped = self.state.skip_filter
        return any(plugin.name not in skipped for plugin in self.profile.tracking)


def dry_runs(preemptor: Preemptor, columns: Columns, rows: Sequence[int]) -> Iterator[DryRun]:
    """The dry run on each of the rows, in their order."""
    step = 1 if preemptor.tracks_pods else max(len(rows), 1)
    for start in range(0, len(rows), step):
        batch = rows[start : start + step]
        weaker = {
            row: [pod for pod in columns.infos[row].pods.values() if preemptor.outranks(pod)]
            for row in batch
        }
        tried = [row for row in batch if weaker[row]]
        found = dict.fromkeys(batch, _NOBODY_TO_PREEMPT)
        if tried:
            trial = _Trial(preemptor, columns, tried)
            found.update(zip(tried, trial.run([weaker[row] for row in tried]), strict=True))
        yield from found.values()


class _Trial:
    """Some nodes with their weaker pods taken off and put back again."""

    def __init__(self, preemptor: Preemptor, columns: Columns, rows: Sequence[int]) -> None:
        self._preemptor = preemptor
        self._columns = columns.take(rows)
        self._state = preemptor.state.clone()
        self._nominated = {
            at: nominated
            for at, name in enumerate(self._columns.names)
            if (nominated := _yielded_to(preemptor, name))
        }

    def run(self, weaker: Sequence[Sequence[PodView]]) -> list[DryRun]:
        """The outcome for each node, given its pods of lower priority."""
        for at, pods in enumerate(weaker):
            for pod in pods:
                self._remove(at, pod)
        statuses = self._filter(list(range(len(weaker))))
        queues = {
            at: _Reprieve(weaker[at], self._preemptor.budgets)
            for at, status in statuses.items()
            if status.is_success
        }
        waiting = list(queues)
        while waiting:
            for at in waiting:
                self._add(at, queues[at].next)
            for at, status in self._filter(waiting).items():
                if not status.is_success:
                    self._remove(at, queues[at].next)
                queues[at].settle(spared=status.is_success)
            waiting = [at for at in waiting if queues[at].is_open]
        return [
            queues[at].outcome() if at in queues else DryRun(status)
            for at, status in statuses.items()
        ]

    def _add(self, at: int, pod: PodView) -> None:
        one = self._preemptor
        one.profile.run_add_pod(self._state, one.pod, pod, self._columns, at)

    def _remove(self, at: int, pod: PodView) -> None:
        one = self._preemptor
        one.profile.run_remove_pod(self._state, one.pod, pod, self._columns, at)

    def _filter(self, places: list[int]) -> dict[int, Status]:
        """Whether the pod fits now, with and without the pods that were promised the place."""
        pod, profile, state = self._preemptor.pod, self._preemptor.profile, self._state
        rows = np.array(places, np.int64)
        verdicts = profile.run_filter(state, pod, self._columns, rows)
        codes = zip(verdicts.rejecter.tolist(), verdicts.code.tolist(), strict=True)
        return {
            at: self._beside_nominated(at)
            or (SUCCESS if who == NOBODY else profile.status_of(state, pod, who, code))
            for at, (who, code) in zip(places, codes, strict=True)
        }

    def _beside_nominated(self, at: int) -> Status | None:
        """Why the pod does not fit if nominated pods are there too; None if it does."""
        if at not in self._nominated:
            return None
        pod, profile = self._preemptor.pod, self._preemptor.profile
        columns, state = self._columns.take([at]), self._state.clone()
        for nominated in self._nominated[at]:
            profile.run_add_pod(state, pod, nominated, columns, 0)
        status = profile.filter_one(state, pod, columns, 0)
        return None if status.is_success else status


class _Reprieve:
    """The order in which the pods of one node are put back, and what became of them so far."""

    __slots__ = ("_at", "_order", "_protected", "_victims", "_violations")

    def __init__(self, weaker: Sequence[PodView], pdbs: Sequence[BudgetView]) -> None:
        violating, harmless = budgets.split(importance.most_important_first(weaker), pdbs)
        self._order = violating + harmless
        self._protected = len(violating)
        self._at = 0
        self._violations = 0
        self._victims: list[PodView] = []

    @property
    def is_open(self) -> bool:
        return self._at < len(self._order)

    @property
    def next(self) -> PodView:
        return self._order[self._at]

    def settle(self, *, spared: bool) -> None:
        if not spared:
            self._victims.append(self.next)
            self._violations += self._at < self._protected
        self._at += 1

    def outcome(self) -> DryRun:
        victims = self._victims
        if 0 < self._protected < len(self._order):
            victims = importance.most_important_first(victims)
        return DryRun(SUCCESS, tuple(victims), self._violations)


def _yielded_to(preemptor: Preemptor, node_name: str) -> list[PodView]:
    pod = preemptor.pod
    return [
        other
        for other in preemptor.nominator.on(node_name)
        if other.priority >= pod.priority and other.uid != pod.uid
    ]
