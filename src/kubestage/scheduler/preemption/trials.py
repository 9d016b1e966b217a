"""Dry runs by amounts alone, kept for as long as nothing changes that they follow from.

A pod that makes room changes one node, and the next pod of its template looks at a hundred.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.scheduler.preemption import onlookers, reprieve
from kubestage.scheduler.preemption.candidate import Candidate
from kubestage.scheduler.preemption.dry_runs import DryRun
from kubestage.scheduler.status import error

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.node import NodeView
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns, Ints
    from kubestage.scheduler.node_info import NodeInfo
    from kubestage.scheduler.preemption.asked import Asked
    from kubestage.scheduler.preemption.onlookers import Kind
    from kubestage.scheduler.preemption.preemptor import Preemptor
    from kubestage.scheduler.resource_table import Table


_NEVER: Final = -1

Outcome = tuple[DryRun, Candidate | None]
"""What a dry run came to, and the candidate that it makes of its node if it does."""


class Trials:
    """The dry runs of pods that are the same to preemption, by row, as far as they are known.

    Beside each stands on what it was made: the node, how often pods had come or gone there, the
    last one to come or to change, and those that were promised a place. `reach` is how many nodes
    it took last time to find enough candidates.
    """

    __slots__ = (
        "_budgets", "_changes", "_kinds", "_newest", "_promised", "_views", "outcomes", "reach",
    )  # fmt: skip

    def __init__(self, count: int) -> None:
        self.reach = 0
        self._budgets: Sequence[BudgetView] = ()
        self.outcomes: list[Outcome | None] = [None] * count
        self._views: list[NodeView | None] = [None] * count
        self._kinds: dict[int, frozenset[Kind]] = {}
        self._changes = [_NEVER] * count
        self._newest: list[PodView | None] = [None] * count
        self._promised: list[tuple[PodView, ...]] = [()] * count

    def tried(
        self, preemptor: Preemptor, asked: Asked, columns: Columns, rows: Ints, free: Table
    ) -> list[Outcome]:
        """The dry run on each of the rows, where so much is free without weaker pods.

        The preemptor fits on all of them then.
        """
        self._heed(preemptor)
        promises = preemptor.nominator.by_row(preemptor.pod, columns)
        infos, changes = columns.infos, columns.weaker_pods.changes
        found: list[Outcome] = []
        for at, row in enumerate(rows.tolist()):
            info, promised = infos[row], promises.get(row, ())
            # A pod that changes goes to the end, and its new version is another view.
            newest = next(reversed(info.pods.values()), None)
            outcome = self.outcomes[row]
            if (
                outcome is None
                or self._changes[row] != changes[row]
                or self._newest[row] is not newest
                or self._views[row] is not info.view
                or self._promised[row] != promised
            ):
                run = self._run(preemptor, asked, info, free[:, at].tolist())
                outcome = self.outcomes[row] = judged(run, info.name)
                self._changes[row], self._newest[row] = changes[row], newest
                self._views[row], self._promised[row] = info.view, promised
                self._kinds.pop(row, None)
            found.append(outcome)
        return found

    def kinds(self, preemptor: Preemptor, columns: Columns, row: int) -> frozenset[Kind]:
        """The kinds of the weaker pods on a row, which must have been tried just before."""
        found = self._kinds.get(row)
        if found is None:
            pods = preemptor.weaker(columns.infos[row].pods.values())
            found = self._kinds[row] = frozenset(map(onlookers.kind_of, pods))
        return found

    def _heed(self, preemptor: Preemptor) -> None:
        """Forget all if other budgets are to be heeded than before."""
        stored, heeded = preemptor.stored_budgets, self._budgets
        if len(stored) != len(heeded) or any(
            one is not other.raw for one, other in zip(stored, heeded, strict=True)
        ):
            self._budgets = preemptor.budgets
            self._changes = [_NEVER] * len(self._changes)

    def _run(self, preemptor: Preemptor, asked: Asked, info: NodeInfo, free: list[int]) -> DryRun:
        turns = reprieve.Turns(preemptor.weaker(info.pods.values()), self._budgets)
        return turns.outcome(asked.spared(turns.pods, free))


def judged(run: DryRun, node_name: str) -> Outcome:
    """A dry run, and the candidate that it makes of its node; there must be somebody to go."""
    if not run.status.is_success:
        return run, None
    if not run.victims:
        return DryRun(error(f'expected at least one victim pod on node "{node_name}"')), None
    return run, Candidate(node_name, run.victims, run.pdb_violations)


def of(preemptor: Preemptor, columns: Columns) -> Trials:
    """The trials of pods like the preemptor on these columns."""
    pod = preemptor.pod
    key = preemptor.profile, pod.plan, pod.priority, preemptor.state.skip_filter
    return columns.weaker_pods.trials.get(key, lambda: Trials(len(columns)))
