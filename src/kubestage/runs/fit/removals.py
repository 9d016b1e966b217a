"""The smallest set of pods on one node that would have to go."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, NamedTuple

import msgspec
import numpy as np

from kubestage import wording
from kubestage.controllers.node_autoscaler import pod_state
from kubestage.objects import gvk
from kubestage.objects.views import budget as budget_views
from kubestage.runs.fit import candidate
from kubestage.runs.fit.candidate import Candidate
from kubestage.runs.fit.edit import NOTHING, Edit
from kubestage.runs.fit.numbers import FIT
from kubestage.scheduler.client import StoreClient
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.preemption import reprieve, victims
from kubestage.scheduler.preemption.preemptor import Preemptor
from kubestage.scheduler.status import Code
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from kubestage.objects.views.budget import BudgetView
    from kubestage.objects.views.pod import PodView
    from kubestage.runs.fit.cluster_copy import ClusterCopy
    from kubestage.scheduler.attempt import Attempt

KIND: Final = "remove-pods"

# Among so many pods of a node, sets of a few are tried; of more, the largest are taken.
_LARGEST: Final = 12
_SET_SIZE: Final = 3
_NODES: Final = 400
_TRIED_NODES: Final = 64
_PROVED: Final = 6
_NAMED: Final = 5


class Removal(NamedTuple):
    """Pods of one node that would have to go, and how many of them break a budget by that."""

    node: str
    pods: tuple[PodView, ...]
    violations: int

    @property
    def cost(self) -> tuple[float, ...]:
        """What is touched: budgets, unmanaged pods, how many pods, of which priority, how large."""
        unmanaged = sum(1 for pod in self.pods if pod.owner is None)
        highest = max(pod.priority for pod in self.pods)
        return self.violations, unmanaged, len(self.pods), highest, _size(self.pods)


class _Remover(Preemptor, frozen=True, eq=False):
    """Takes the place of a preemptor that may evict whatever can be moved."""

    def lower_priority(self, pods: Iterable[PodView]) -> list[PodView]:
        return _removable(pods, self.pod)


def is_movable(pod: PodView) -> bool:
    """Whether a pod may leave its node at all: it is no daemon's, and not the node's own."""
    return not pod_state.is_daemon(pod) and not pod_state.is_mirror(pod)


def _removable(pods: Iterable[PodView], pod: PodView) -> list[PodView]:
    """The pods that may go for another one: not its siblings, which would come back and wait."""
    own = (pod.owner or {}).get("uid")
    return [
        each
        for each in pods
        if is_movable(each) and (own is None or (each.owner or {}).get("uid") != own)
    ]


def candidates(copy: ClusterCopy, base: Edit = NOTHING) -> Iterator[Candidate]:
    """The best sets of pods, each on another node, those that touch the least first."""
    budgets = [budget_views.of(each) for each in copy.objects(gvk.POD_DISRUPTION_BUDGET).values()]
    found: list[Removal] = []

    def look(attempt: Attempt) -> None:
        found.extend(_removals(copy, attempt, budgets))

    copy.attempt(base, look)
    for removal in sorted(found, key=lambda each: (each.cost, each.node))[:_PROVED]:
        yield _candidate(removal, budgets)


def _candidate(removal: Removal, budgets: Sequence[BudgetView]) -> Candidate:
    """The removal of pods; some of them may be enough."""
    pods = removal.pods
    change = Edit(remove=tuple(pod.raw for pod in pods))
    cost = (candidate.OTHER_PODS + min(len(pods), 9), *removal.cost)

    def less() -> Iterator[Candidate]:
        if 1 < len(pods) <= _LARGEST:
            for fewer in itertools.combinations(pods, len(pods) - 1):
                yield _candidate(_removal(removal.node, fewer, budgets), budgets)

    return Candidate(KIND, _text(removal, budgets), change, cost, less)


def _text(removal: Removal, budgets: Sequence[BudgetView]) -> str:
    pods = removal.pods
    size = f"{wording.plural(len(pods), 'pod')}: " if len(pods) > _NAMED else ""
    text = f"remove {size}{few((pod.key for pod in pods), _NAMED)} from {removal.node}"
    names = dict.fromkeys(
        f"{each.namespace}/{each.name} (allows {each.disruptions_allowed} now)"
        for pod in pods
        for each in budgets
        if each.covers(pod.namespace, pod.labels)
    )
    if removal.violations:
        return f"{text}, against the budget {few(names)}"
    return f"{text}, within the budget {few(names)}" if names else text


def _removals(
    copy: ClusterCopy, attempt: Attempt, budgets: Sequence[BudgetView]
) -> Iterator[Removal]:
    columns = attempt.columns
    tried: list[int] = []
    for rows, status in attempt.diagnosis.groups:
        if status.plugin == FIT:
            for row in _nearest(attempt, rows.tolist()):
                pods = _by_amounts(attempt, row)
                if pods:
                    yield _removal(columns.names[row], pods, budgets)
        elif status.code is Code.UNSCHEDULABLE:
            tried += rows.tolist()
    tried.sort(key=lambda row: (len(columns.infos[row].pods), row))
    yield from _by_filters(copy, attempt, tried[:_TRIED_NODES], budgets)


def _nearest(attempt: Attempt, rows: list[int]) -> list[int]:
    """The nodes that lack the least, as a share of what the pod needs."""
    if len(rows) <= _NODES:
        return rows
    table = attempt.columns.resources
    lacking = np.zeros(len(rows))
    for resource, amount in attempt.pod.fit_request.items():
        free = table.free[table.line(resource)][rows]
        lacking += np.maximum(amount - free, 0) / amount
    nearest = np.argsort(lacking, kind="stable")[:_NODES]
    return [rows[at] for at in nearest.tolist()]


def _removal(node: str, pods: Sequence[PodView], budgets: Sequence[BudgetView]) -> Removal:
    broken, _ = reprieve.split(reprieve.most_important_first(pods), budgets)
    return Removal(node, tuple(pods), len(broken))


def _by_amounts(attempt: Attempt, row: int) -> Sequence[PodView] | None:
    """The fewest pods of a node that take up what the pod lacks; None if all are too few.

    Of equally few, those of the lowest priority and then the smallest.
    """
    columns = attempt.columns
    table, needed = columns.resources, dict(attempt.pod.fit_request.items())
    lines = {name: table.line(name) for name in needed}
    if any(table.allocatable[lines[name], row] < each for name, each in needed.items()):
        return None
    lacking = {
        name: amount - int(table.free[lines[name], row])
        for name, amount in needed.items()
        if amount > table.free[lines[name], row]
    }
    fewest = max(1 - int(columns.allowed_pods[row] - columns.pod_count[row]), 1)
    movable = _removable(columns.infos[row].pods.values(), attempt.pod)
    ranked = sorted(movable, key=lambda pod: -_use(pod, lacking))
    for size in range(fewest, _SET_SIZE + 1):
        if not _may_cover(ranked, size, lacking):
            continue
        sets = itertools.combinations(ranked[:_LARGEST], size)
        covering = [each for each in sets if _covers(each, lacking)]
        if covering:
            return min(covering, key=lambda each: (max(pod.priority for pod in each), _size(each)))
    for size in range(max(fewest, _SET_SIZE + 1), len(ranked) + 1):
        if _covers(ranked[:size], lacking):
            return ranked[:size]
    return None


def _use(pod: PodView, lacking: dict[str, int]) -> float:
    """How much of what is lacking a pod takes up."""
    taken = dict(pod.requests.items())
    return sum(min(taken.get(name, 0) / amount, 1.0) for name, amount in lacking.items())


def _may_cover(pods: Sequence[PodView], size: int, lacking: dict[str, int]) -> bool:
    """Whether so many pods could be enough: the largest, for each resource by itself.

    NOTE: without that, sets of three on 400 nodes take a second.
    """
    taken = [dict(pod.requests.items()) for pod in pods]
    return all(
        sum(sorted((each.get(name, 0) for each in taken), reverse=True)[:size]) >= amount
        for name, amount in lacking.items()
    )


def _covers(pods: Sequence[PodView], lacking: dict[str, int]) -> bool:
    taken = [dict(pod.requests.items()) for pod in pods]
    return all(
        sum(each.get(name, 0) for each in taken) >= amount for name, amount in lacking.items()
    )


def _size(pods: Sequence[PodView]) -> float:
    return sum(pod.requests.milli_cpu + pod.requests.memory / (1 << 20) for pod in pods)


def _by_filters(
    copy: ClusterCopy, attempt: Attempt, rows: list[int], budgets: Sequence[BudgetView]
) -> Iterator[Removal]:
    """The pods that other filters than that of amounts reject the pod for, found by trying."""
    columns = attempt.columns
    rows = [row for row in rows if _removable(columns.infos[row].pods.values(), attempt.pod)]
    if not rows:
        return
    pod = msgspec.structs.replace(attempt.pod, priority=candidate.NO_LIMIT)
    lister = StoreClient(copy.store, events=False)
    remover = _Remover(pod, attempt.profile, attempt.state, Nominator(), lister)
    for row, run in zip(rows, victims.dry_runs(remover, columns, rows, len(rows)), strict=True):
        if run.status.is_success and run.victims:
            yield _removal(columns.names[row], run.victims, budgets)
