"""Dry runs by amounts alone, cached until something changes that they depend on.

A pod that makes room changes one node, and the next pod of its template tries a hundred.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler.preemption import pod_aware_plugins, reprieve
from kubestage.scheduler.preemption.candidate import Candidate
from kubestage.scheduler.preemption.dry_runs import DryRun
from kubestage.scheduler.status import error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.node_info import NodeInfo
    from kubestage.scheduler.preemption.pod_aware_plugins import Kind
    from kubestage.scheduler.preemption.preemptor import Preemptor
    from kubestage.scheduler.preemption.requested_amounts import RequestedAmounts
    from kubestage.scheduler.resource_table import Table


_NEVER: Final = -1

Trial = tuple[DryRun, Candidate | None]
"""What a dry run came to, and the candidate that it makes of its node if it does."""


class Trials:
    """The dry runs of pods that are the same to preemption, by row, as far as they are known.

    With each is stored what it depends on: the node, how often pods had come or gone there, the
    last one to come or to change, and the pods nominated to it. `reach` is how many nodes
    it took last time to find enough candidates.
    """

    __slots__ = (
        "_budgets",
        "_changes",
        "_kinds",
        "_newest",
        "_nominated",
        "_views",
        "reach",
        "trials",
    )  # fmt: skip

    def __init__(self, count: int) -> None:
        self.reach = 0
        self._budgets: Sequence[BudgetView] = ()
        self.trials: list[Trial | None] = [None] * count
        self._views: list[NodeView | None] = [None] * count
        self._kinds: dict[int, frozenset[Kind]] = {}
        self._changes = [_NEVER] * count
        self._newest: list[PodView | None] = [None] * count
        self._nominated: list[tuple[PodView, ...]] = [()] * count

    def tried(
        self,
        preemptor: Preemptor,
        requested: RequestedAmounts,
        columns: Columns,
        rows: Ints,
        free: Table,
    ) -> list[Trial]:
        """The dry run on each of the rows, where so much is free without pods of lower priority.

        The preemptor fits on all of them then.
        """
        self._heed(preemptor)
        by_row = preemptor.nominator.by_row(preemptor.pod, columns)
        infos, changes = columns.infos, columns.lower_priority_pods.changes
        found: list[Trial] = []
        for at, row in enumerate(rows.tolist()):
            info, nominated = infos[row], by_row.get(row, ())
            # A pod that changes goes to the end, and its new version is another view.
            newest = next(reversed(info.pods.values()), None)
            trial = self.trials[row]
            if (
                trial is None
                or self._changes[row] != changes[row]
                or self._newest[row] is not newest
                or self._views[row] is not info.view
                or self._nominated[row] != nominated
            ):
                run = self._run(preemptor, requested, info, free[:, at].tolist())
                trial = self.trials[row] = trial_of(run, info.name)
                self._changes[row], self._newest[row] = changes[row], newest
                self._views[row], self._nominated[row] = info.view, nominated
                self._kinds.pop(row, None)
            found.append(trial)
        return found

    def kinds(self, preemptor: Preemptor, columns: Columns, row: int) -> frozenset[Kind]:
        """The kinds of the pods of lower priority on a row, which was tried just before."""
        found = self._kinds.get(row)
        if found is None:
            pods = preemptor.lower_priority(columns.infos[row].pods.values())
            found = self._kinds[row] = frozenset(map(pod_aware_plugins.kind_of, pods))
        return found

    def _heed(self, preemptor: Preemptor) -> None:
        """Forget all trials if the budgets have changed."""
        stored, heeded = preemptor.stored_budgets, self._budgets
        if len(stored) != len(heeded) or any(
            one is not other.raw for one, other in zip(stored, heeded, strict=True)
        ):
            self._budgets = preemptor.budgets
            self._changes = [_NEVER] * len(self._changes)

    def _run(
        self, preemptor: Preemptor, requested: RequestedAmounts, info: NodeInfo, free: list[int]
    ) -> DryRun:
        turns = reprieve.PutBackOrder(preemptor.lower_priority(info.pods.values()), self._budgets)
        return turns.dry_run(requested.spared(turns.pods, free))


def trial_of(run: DryRun, node_name: str) -> Trial:
    """A dry run, and the candidate that its node is if there are victims."""
    if not run.status.is_success:
        return run, None
    if not run.victims:
        return DryRun(error(f'expected at least one victim pod on node "{node_name}"')), None
    return run, Candidate(node_name, run.victims, run.pdb_violations)


def trials_for(preemptor: Preemptor, columns: Columns) -> Trials:
    """The trials of pods like the preemptor on these columns."""
    pod = preemptor.pod
    key = preemptor.profile, pod.plan, pod.priority, preemptor.state.skip_filter
    return columns.lower_priority_pods.trials.get(key, lambda: Trials(len(columns)))
