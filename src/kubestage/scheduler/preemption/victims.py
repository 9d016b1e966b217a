"""The dry run on nodes: which pods would have to go for the pod to fit.

All pods of lower priority are taken off a node, and if the pod fits then, they are put back one
by one (`reprieve`).

Nodes are tried many at a time, in columns, unless a plugin has state about pods elsewhere that
changes as pods come and go; then each node has a trial and a state of its own. Where no plugin
depends on pods, numbers are enough (`trials`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from kubestage.scheduler.preemption import reprieve
from kubestage.scheduler.preemption.dry_runs import DryRun
from kubestage.scheduler.status import SUCCESS

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.preemption.preemptor import Preemptor
    from kubestage.scheduler.status import Status


def dry_runs(
    preemptor: Preemptor, columns: Columns, rows: Sequence[int], at_once: int
) -> Iterator[DryRun]:
    """The dry run on each of the rows, in their order, so many at a time.

    Each has a pod of lower priority, and is none of those that `by_amounts` rejects.
    """
    step = 1 if preemptor.tracks_pods else at_once
    for start in range(0, len(rows), step):
        yield from _Trial(preemptor, columns, rows[start : start + step]).run()


class _Trial:
    """Copies of some nodes, on which pods are taken off and put back again."""

    def __init__(self, preemptor: Preemptor, columns: Columns, rows: Sequence[int]) -> None:
        self._preemptor = preemptor
        self._columns = columns.take(rows)
        self._state = preemptor.state.clone()
        self._nominated = {
            at: nominated
            for at, name in enumerate(self._columns.names)
            if (nominated := preemptor.yields_to(name))
        }

    def run(self) -> list[DryRun]:
        """The dry run on each node."""
        places = range(len(self._columns))
        infos, one = self._columns.infos, self._preemptor
        lower_priority = {at: one.lower_priority(infos[at].pods.values()) for at in places}
        for at, pods in lower_priority.items():
            for pod in pods:
                self.take_off({at: pod})
        statuses = self._statuses(list(places))
        spacious = {at: lower_priority[at] for at, status in statuses.items() if status.is_success}
        found = reprieve.dry_runs(self, spacious, self._preemptor.budgets)
        return [found.get(at) or DryRun(status) for at, status in statuses.items()]

    def put(self, pods: Mapping[int, PodView]) -> None:
        one = self._preemptor
        for at, pod in pods.items():
            one.profile.run_add_pod(self._state, one.pod, pod, self._columns, at)

    def take_off(self, pods: Mapping[int, PodView]) -> None:
        one = self._preemptor
        for at, pod in pods.items():
            one.profile.run_remove_pod(self._state, one.pod, pod, self._columns, at)

    def fits(self, places: list[int]) -> list[bool]:
        return [status.is_success for status in self._statuses(places).values()]

    def _statuses(self, places: list[int]) -> dict[int, Status]:
        """Whether the pod fits now, with and without the pods nominated to the node."""
        pod, profile, state = self._preemptor.pod, self._preemptor.profile, self._state
        rows = np.array(places, np.int64)
        statuses = dict.fromkeys(places, SUCCESS)
        for who, code, found in profile.run_filter(state, pod, self._columns, rows).rejections():
            status = profile.status_of(state, pod, who, code)
            statuses.update(dict.fromkeys(rows[found].tolist(), status))
        for at in places if self._nominated else ():
            if at in self._nominated:
                statuses[at] = self._with_nominated(at) or statuses[at]
        return statuses

    def _with_nominated(self, at: int) -> Status | None:
        """Why the pod does not fit if nominated pods are there too; None if it does."""
        pod, profile = self._preemptor.pod, self._preemptor.profile
        columns, state = self._columns.take([at]), self._state.clone()
        for nominated in self._nominated[at]:
            profile.run_add_pod(state, pod, nominated, columns, 0)
        status = profile.filter_one(state, pod, columns, 0)
        return None if status.is_success else status
