"""One attempt at one pod: filter, score, choose. Small functions over arrays."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from kubestage.scheduler import brief_filters, sampling, selection
from kubestage.scheduler.arrays import as_run, same
from kubestage.scheduler.attempt import Attempt
from kubestage.scheduler.cycle_state import CycleState, NotPrepared
from kubestage.scheduler.diagnosis import Diagnosis
from kubestage.scheduler.distinct_values import distinct
from kubestage.scheduler.extender_wire import ExtenderError
from kubestage.scheduler.preemption import nominated_fit
from kubestage.scheduler.quick import known
from kubestage.scheduler.quick.attempt import QuickAttempt
from kubestage.scheduler.quick.rejections import Alike, Moment
from kubestage.scheduler.status import Code, unresolvable
from kubestage.scheduler.verdicts import NOBODY, Verdicts

if TYPE_CHECKING:
    import random
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.extender import Extender
    from kubestage.scheduler.nominator import Nominator
    from kubestage.scheduler.quick.backdrop import Backdrop
    from kubestage.scheduler.runtime import PreFilterResult, Profile

NO_NODES_MESSAGE = "no nodes available to schedule pods"
EXTENDER = "Extender"
"""Stands for all extenders where plugins are named."""


@dataclasses.dataclass(slots=True)
class Cycle:
    """The scheduling algorithm and the little it remembers between pods."""

    nominator: Nominator
    stream: random.Random
    percentage_of_nodes_to_score: int = 0
    tie_break: selection.TieBreak = selection.TieBreak.HEAP
    extenders: Sequence[Extender] = ()
    next_start: int = 0

    def schedule(
        self, profile: Profile, pod: PodView, columns: Columns, *, is_brief: bool = False
    ) -> Attempt:
        """Find the best node for a pod; the attempt has its name, or why there is none.

        A brief attempt that finds one does not say which plugin rejected the others.
        """
        attempt = Attempt(pod, profile, columns, CycleState(), Diagnosis(columns))
        attempt.is_brief = is_brief and profile.has_brief_filters
        if not len(columns):
            attempt.failure = NO_NODES_MESSAGE
            return attempt
        try:
            self._find_feasible(attempt)
            if len(attempt.feasible) == 1:
                attempt.selected = int(attempt.feasible[0])
            elif len(attempt.feasible):
                self._prioritize(attempt)
            elif not attempt.is_error:
                attempt.failure = attempt.diagnosis.message()
        except NotPrepared as problem:
            _fail(attempt, problem.text(is_scoring=bool(len(attempt.feasible))))
        return attempt

    @property
    def is_plain(self) -> bool:
        """Whether pods and nodes alone decide at present: then attempts may be quick."""
        return (
            self.nominator.is_empty
            and not self.extenders
            and self.tie_break is not selection.TieBreak.RANDOM
        )

    def quick(
        self, profile: Profile, pod: PodView, columns: Columns, backdrop: Backdrop
    ) -> QuickAttempt | Alike | None:
        """The same node in a shorter way, if one is known for pods such as this one.

        Or what pods like it have come to, if that does not depend on other pods.
        """
        if (
            not self.is_plain
            or self.tie_break is not selection.TieBreak.HEAP
            or not known.is_eligible(pod)
            or not len(columns)
        ):
            return None
        about = known.known_for(columns)
        about.prepare((pod,), backdrop)
        key = about.key_of(pod)
        number = about.get(key)
        if number is None:
            if about.is_familiar(key):
                number = about.learn(key, profile, pod, backdrop)
            about.see(key)
        if number is None or number < 0 or columns.has_stated_terms:
            return None
        kind = about.kinds.all[number]
        moment, found = None, None
        if kind.is_filtered_alone:
            moment = Moment(columns.row_log.count, self.next_start, backdrop.version)
            if about.rejections.refusal(kind.plan, moment) is not None:
                return Alike(about.rejections, number, kind, moment)
        if kind.is_solitary:
            found = kind.plan.choose(columns, self.next_start, self.needed(profile, len(columns)))
        if found is None or found.row < 0:
            return moment and Alike(about.rejections, number, kind, moment)
        self.next_start = (self.next_start + found.evaluated) % len(columns)
        return QuickAttempt(pod, profile, columns, kind.plan.state.shared(), found)

    def post_filter(self, attempt: Attempt) -> None:
        """Let the profile's PostFilter plugins make room for a pod that fits nowhere."""
        if attempt.is_error or not attempt.profile.post_filter or not len(attempt.columns):
            return
        attempt.post_filter = attempt.profile.run_post_filter(
            attempt.state, attempt.pod, attempt.diagnosis
        )
        attempt.diagnosis.post_filter_message = attempt.post_filter[1].message
        attempt.failure = attempt.diagnosis.message()

    def _find_feasible(self, attempt: Attempt) -> None:
        columns, diagnosis = attempt.columns, attempt.diagnosis
        result = attempt.profile.run_pre_filter(attempt.state, attempt.pod, columns)
        attempt.pre_filter = result
        diagnosis.unschedulable_plugins |= result.restricting
        if result.status.code is Code.ERROR:
            plugin, message = result.status.plugin, result.status.message
            _fail(attempt, f'running PreFilter plugin "{plugin}": {message}')
            return
        if not result.status.is_success:
            diagnosis.absent = result.status
            diagnosis.pre_filter_message = result.status.message
            diagnosis.note_plugin(result.status)
            return
        nominated = columns.row_of.get(attempt.pod.nominated_node_name)
        if nominated is not None:
            self._evaluate(attempt, np.array([nominated], np.int64))
            self._apply_extenders(attempt)
            if len(attempt.feasible) or attempt.is_error:
                return
            diagnosis.groups.clear()
            diagnosis.named.clear()
        if result.nodes is None:
            order = sampling.all_rotated(self.next_start, len(columns))
        else:
            order = self._restricted(attempt, result)
        if not len(order):
            return
        self._evaluate(attempt, order)
        self.next_start = (self.next_start + attempt.evaluated_count) % len(columns)
        if self.extenders:
            self._apply_extenders(attempt)

    def _restricted(self, attempt: Attempt, result: PreFilterResult) -> Ints:
        """The rows that PreFilter plugins left; all others count as rejected by them."""
        assert result.nodes is not None
        row_of = attempt.columns.row_of
        rows = sorted(row_of[name] for name in result.nodes if name in row_of)
        names = " ".join(sorted(result.restricting))
        attempt.diagnosis.absent = unresolvable(f"node(s) didn't satisfy plugin(s) [{names}]")
        candidates = np.array(rows, np.int64)
        return sampling.rotated(self.next_start, candidates) if rows else candidates

    def _evaluate(self, attempt: Attempt, order: Ints) -> None:
        """Filter rows in order until enough are feasible; rejections go to the diagnosis.

        Rows are filtered in blocks. The search stops at the first feasible node that is one too
        many, so the first block is just large enough for the case that every node is feasible.
        """
        needed = self.needed(attempt.profile, len(order))
        is_brief = attempt.is_brief and needed >= len(order) and not self.extenders
        if is_brief and self.nominator.is_empty and brief_filters.evaluate(attempt, order):
            return
        verdicts = self._filter(attempt, order[: needed + 1])
        while verdicts.passing_count <= needed and verdicts.count < len(order):
            done = verdicts.count
            more = sampling.rows_ahead(needed + 1, verdicts.passing_count, done)
            verdicts = verdicts.joined(self._filter(attempt, order[done : done + more]))
        verdicts = verdicts.until_passing(needed)
        order = order[: verdicts.count]
        attempt.evaluated, attempt.verdicts = order, verdicts
        if verdicts.is_clear:
            attempt.feasible = order
        else:
            attempt.feasible = order[verdicts.passing]
            if len(attempt.feasible) < len(order):
                _diagnose(attempt, order, verdicts)

    def _filter(self, attempt: Attempt, rows: Ints) -> Verdicts:
        verdicts = attempt.profile.run_filter(
            attempt.state, attempt.pod, attempt.columns, as_run(rows)
        )
        if not self.nominator.is_empty:
            self._consider_nominated(attempt, rows, verdicts)
        return verdicts

    def needed(self, profile: Profile, count: int) -> int:
        """How many nodes that fit are enough."""
        scoring = bool(profile.score)
        if not scoring and not any(
            each.is_prioritizer or each.is_filter for each in self.extenders
        ):
            return 1
        percentage = profile.percentage_of_nodes_to_score
        if percentage is None:
            percentage = self.percentage_of_nodes_to_score
        return sampling.nodes_to_find(percentage, count)

    def _consider_nominated(self, attempt: Attempt, order: Ints, verdicts: Verdicts) -> None:
        """Nodes on which other pods are nominated must also fit with those pods on them."""
        state, pod, columns = attempt.state, attempt.pod, attempt.columns
        nominated_fit.consider(
            self.nominator, attempt.profile, state, pod, columns, order, verdicts
        )

    def _apply_extenders(self, attempt: Attempt) -> None:
        """Let extenders strike feasible nodes off, one after the other."""
        before = len(attempt.feasible)
        for extender in self.extenders:
            if not len(attempt.feasible):
                break
            if extender.is_filter and extender.is_interested(attempt.pod):
                try:
                    extender.filter(attempt)
                except ExtenderError as error:
                    _fail(attempt, str(error))
                    return
        if len(attempt.feasible) != before:
            attempt.diagnosis.unschedulable_plugins.add(EXTENDER)

    def _prioritize(self, attempt: Attempt) -> None:
        profile, state, rows = attempt.profile, attempt.state, attempt.feasible
        args = state, attempt.pod, attempt.columns, rows
        totals = same(0, len(rows))
        if profile.score:
            attempt.pre_score = profile.run_pre_score(*args)
            if attempt.pre_score:
                plugin, status = next(reversed(attempt.pre_score.items()))
                if status.code is Code.ERROR:
                    _fail(attempt, f'running PreScore plugin "{plugin}": {status.message}')
                    return
            attempt.scores = profile.run_score(*args)
            counted = [each.final for each in attempt.scores if each.final is not totals]
            if counted:
                totals = sum(counted[1:], start=counted[0])
        tie_break = self.tie_break
        for extender in self.extenders:
            if extender.is_interested(attempt.pod):
                if extender.is_prioritizer:
                    totals = totals + extender.prioritize(attempt)
                if tie_break is selection.TieBreak.HEAP:
                    # Ties between nodes that an extender scores are broken at random.
                    tie_break = selection.TieBreak.RANDOM
        attempt.totals = totals
        attempt.selected = selection.pick(totals, rows, attempt.columns, tie_break, self.stream)


def _diagnose(attempt: Attempt, order: Ints, verdicts: Verdicts) -> None:
    rejecter, code = verdicts.rejecter, verdicts.code
    if len(attempt.feasible):
        rejected = (rejecter != NOBODY).nonzero()[0]
        order, rejecter, code = order[rejected], rejecter[rejected], code[rejected]
    keys = rejecter.astype(np.int64) << 32 | code
    # NOTE: nodes by the thousand are mostly rejected for one reason, which is found at once.
    alike = bool((keys == keys[0]).all())
    for key in [int(keys[0])] if alike else distinct(keys).tolist():
        status = attempt.profile.status_of(attempt.state, attempt.pod, key >> 32, key & 0xFFFFFFFF)
        if status.code is Code.ERROR:
            _fail(attempt, f'running "{status.plugin}" filter plugin: {status.message}')
        attempt.diagnosis.add(order if alike else order[keys == key], status)


def _fail(attempt: Attempt, failure: str) -> None:
    """End the attempt with an error; nothing is known about the nodes."""
    attempt.is_error = True
    attempt.failure = failure
    attempt.feasible = np.empty(0, np.int64)
