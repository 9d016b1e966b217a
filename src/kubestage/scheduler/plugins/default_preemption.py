"""DefaultPreemption: evicts pods of lower priority to make room for one that fits nowhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler import sampling
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.config import failure
from kubestage.scheduler.diagnosis import Diagnosis
from kubestage.scheduler.extender import ExtenderError
from kubestage.scheduler.framework import PostFilterResult
from kubestage.scheduler.preemption import candidate, candidates, executor, report
from kubestage.scheduler.preemption.dry_runs import DryRuns
from kubestage.scheduler.preemption.preemptor import Preemptor
from kubestage.scheduler.status import SUCCESS, Code, Status, error, unresolvable, unschedulable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.extender import Extender
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.preemption.candidates import Candidate


_NEVER: Final = unschedulable("not eligible due to preemptionPolicy=Never.")
_STILL_LEAVING: Final = unschedulable(
    "not eligible due to a terminating pod on the nominated node."
)
_NO_CANDIDATE: Final = unschedulable("no candidate node for preemption")
_NO_NODES: Final = error("no nodes available")
_NOT_HELPFUL: Final = unresolvable("Preemption is not helpful for scheduling")
_UNDER_WAY: Final = unresolvable("waiting for the preemption for this pod to be finished")

_Answer = tuple[PostFilterResult | None, Status]
_Object = dict[str, Any] | None


class DefaultPreemption:
    """Finds the node where the least harm makes room, and carries that out."""

    name = report.KEY

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self._handle = handle
        self._percentage: int = args["minCandidateNodesPercentage"]
        self._absolute: int = args["minCandidateNodesAbsolute"]
        self._executor = executor.Executor(handle)

    def pre_enqueue(self, pod: PodView) -> Status:
        return _UNDER_WAY if self._executor.holds_back(pod) else SUCCESS

    def events_to_register(self) -> Sequence[EventHint]:
        # Pods it holds back are woken by the plugins that rejected them, never by this one.
        event = ClusterEvent(EventResource.POD, ActionType.DELETE)
        return (EventHint(event, _never_helps),)

    def post_filter(self, state: CycleState, pod: PodView, diagnosis: Diagnosis) -> _Answer:
        account = state[self.name] = report.Report()
        result, status = self._preempt(state, pod, diagnosis, account)
        if status.message:
            status = Status(status.code, (f"preemption: {status.message}",))
        return result, status

    def is_repeated(self, state: CycleState) -> bool:
        """Whether it would answer the same for the next pod that is alike.

        It would if no node has a pod of lower priority.
        """
        account: report.Report | None = state.get(self.name)
        return (
            account is not None
            and account.tried is not None
            and account.tried.is_blank
            and account.chosen is None
            and not account.failure
            and not self._handle.extenders
        )

    def repeat(self, state: CycleState) -> None:
        """Draw where the search would begin for another pod, which finds as little."""
        tried = state[self.name].tried
        if len(tried) and not self._handle.deterministic_preemption:
            self._handle.stream.randrange(len(tried))

    def _preempt(
        self, state: CycleState, pod: PodView, diagnosis: Diagnosis, account: report.Report
    ) -> _Answer:
        newest = self._handle.lister.get("v1", "Pod", pod.name, pod.namespace)
        if newest is None:
            return None, error(f'pod "{pod.name}" not found')
        if newest is not pod.raw:
            pod = pod_views.of(newest)
        refusal = _ineligible(pod, diagnosis)
        if refusal is not None:
            return None, refusal
        columns = diagnosis.columns
        if not len(columns):
            return None, _NO_NODES
        found, account.tried = self._find(state, pod, diagnosis)
        if not found:
            return _not_helpful(columns, account.tried)
        try:
            found = _filtered_by_extenders(self._handle.extenders, pod, found, columns)
        except ExtenderError as refused:
            return None, error(str(refused))
        best = candidate.best(found)
        if not best:
            return None, _NO_CANDIDATE
        self._carry_out(pod, best, account)
        return PostFilterResult(best[0].node_name), SUCCESS

    def _find(
        self, state: CycleState, pod: PodView, diagnosis: Diagnosis
    ) -> tuple[list[Candidate], DryRuns]:
        columns, handle = diagnosis.columns, self._handle
        rows = candidates.potential_rows(diagnosis)
        if not len(rows):
            return [], DryRuns(columns.names, rows)
        if handle.deterministic_preemption:
            rows = np.array(sorted(rows.tolist(), key=columns.names.__getitem__), np.int64)
        else:
            rows = sampling.rotated(handle.stream.randrange(len(rows)), rows)
        assert handle.profile is not None
        preemptor = Preemptor(pod, handle.profile, state, handle.nominator, handle.lister)
        enough = candidates.candidate_count(len(rows), self._percentage, self._absolute)
        return candidates.find(preemptor, columns, rows, enough)

    def _carry_out(self, pod: PodView, best: Sequence[Candidate], account: report.Report) -> None:
        chosen = account.chosen = best[0]
        account.tied = tuple(each.node_name for each in best)
        if any(victim.deletion_ns is None for victim in chosen.victims):
            account.evicted = len(chosen.victims)
        account.failure = self._executor.carry_out(chosen, pod)


def _never_helps(pod: PodView, old: _Object, new: _Object) -> bool:
    del pod, old, new
    return False


def _ineligible(pod: PodView, diagnosis: Diagnosis) -> Status | None:
    """Why a pod may not evict others, if so."""
    if pod.preemption_policy == "Never":
        return _NEVER
    nominated = pod.nominated_node_name
    row = diagnosis.columns.row_of.get(nominated)
    if row is None or (diagnosis.status_of(nominated).code is Code.UNSCHEDULABLE_AND_UNRESOLVABLE):
        return None
    for other in diagnosis.columns.infos[row].pods.values():
        if other.priority < pod.priority and executor.is_evicted(other):
            return _STILL_LEAVING
    return None


def _not_helpful(columns: Columns, runs: DryRuns) -> _Answer:
    failures = runs.errors()
    if failures:
        return None, error(failure.aggregate(failures))
    fit_error = Diagnosis(columns, groups=list(runs.groups()), absent=_NOT_HELPFUL)
    return PostFilterResult(""), unschedulable(fit_error.message())


def _filtered_by_extenders(
    extenders: Sequence[Extender], pod: PodView, found: list[Candidate], columns: Columns
) -> list[Candidate]:
    """What is left of candidates after every extender with a preempt verb was called.

    An ignorable extender that fails, or names no victims for a node, is ignored; any other
    raises ExtenderError.
    """
    for extender in extenders:
        if not found:
            break
        if not extender.supports_preemption or not extender.is_interested(pod):
            continue
        try:
            answer = extender.process_preemption(pod, found, columns)
        except ExtenderError:
            if extender.is_ignorable:
                continue
            raise
        found = [each for each in answer if each.victims]
        if len(found) < len(answer) and not extender.is_ignorable:
            bare = next(each for each in answer if not each.victims)
            raise ExtenderError(f'expected at least one victim pod on node "{bare.node_name}"')
    return found
