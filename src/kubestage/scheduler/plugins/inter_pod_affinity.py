"""InterPodAffinity: pods attract some pods and repel others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kubestage.objects import label_requirement
from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventHint, EventResource
from kubestage.scheduler.framework import MAX_NODE_SCORE
from kubestage.scheduler.plugins import affinity_hints, incoming_terms
from kubestage.scheduler.stated_terms import Stance
from kubestage.scheduler.status import SKIP, SUCCESS, Status, error, unresolvable, unschedulable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints, Mask, Rows
    from kubestage.scheduler.cells import PodCounter
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.cycle_state import CycleState
    from kubestage.scheduler.handle import Handle
    from kubestage.scheduler.plugins.incoming_terms import IncomingTerms
    from kubestage.scheduler.stated_terms import StatedTerm

Counts = dict[str, "Codes"]
"""For each topology key, a number per value of it and a last one for nodes without the key."""

_STATUSES: Final = (
    SUCCESS,
    unresolvable("node(s) didn't match pod affinity rules"),
    unschedulable("node(s) didn't match pod anti-affinity rules"),
    unschedulable("node(s) didn't satisfy existing pods anti-affinity rules"),
)
_NOT_NEAR, _NOT_AWAY, _REFUSED = 1, 2, 3
_NO_LABELS: Final[dict[str, str]] = {}


class FilterState:
    """How many pods a pod requires, avoids, and is avoided by, in each topology.

    The arrays belong to the columns until the state is cloned: only clones are changed.
    """

    __slots__ = ("away", "namespace_labels", "near", "refusing", "terms")

    def __init__(self, terms: IncomingTerms, namespace_labels: dict[str, str]) -> None:
        self.terms = terms
        self.namespace_labels = namespace_labels
        self.near: Counts = {}
        self.away: Counts = {}
        self.refusing: Counts = {}

    def clone(self) -> FilterState:
        """A copy to try pods on and off."""
        other = FilterState(self.terms, self.namespace_labels)
        other.near = {key: counts.copy() for key, counts in self.near.items()}
        other.away = {key: counts.copy() for key, counts in self.away.items()}
        other.refusing = {key: counts.copy() for key, counts in self.refusing.items()}
        return other

    def update(
        self, pod: PodView, changed: PodView, columns: Columns, row: int, change: int
    ) -> None:
        """Follow a pod that was put on a node or taken off it."""
        if changed.has_required_anti_affinity:
            for term in changed.required_anti_affinity:
                if term.matches(pod.namespace, pod.labels, self.namespace_labels):
                    _change(self.refusing, term.topology_key, columns, row, change)
        if incoming_terms.matches_all(self.terms.required, changed.namespace, changed.labels):
            for question in self.terms.near:
                assert question.topology_key is not None
                _change(self.near, question.topology_key, columns, row, change)
        for term in self.terms.required_anti:
            if term.matches(changed.namespace, changed.labels, _NO_LABELS):
                _change(self.away, term.topology_key, columns, row, change)


class Outlook(NamedTuple):
    """Where a pod must be, must not be, and prefers to be, by counters of other pods."""

    near: list[PodCounter]
    away: list[PodCounter]
    likes: list[tuple[PodCounter, int]]


class InterPodAffinity:
    """Rejects nodes by required terms of the pod and of others; scores them by the rest."""

    name = "InterPodAffinity"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self._hard_weight = int(args["hardPodAffinityWeight"])
        self._ignores_others = bool(args.get("ignorePreferredTermsOfExistingPods"))
        self._lister = handle.lister
        self._score_key = f"{self.name}/score"

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        problems = pod.affinity.problems if pod.has_affinity else ()
        if problems:
            return unresolvable(f"parsing pod: {label_requirement.aggregate(problems)}"), None
        terms = incoming_terms.terms_of(pod, self._lister)
        stated = columns.stated_terms
        if not (stated.refuse_any or terms.required or terms.required_anti):
            return SKIP, None
        found = FilterState(terms, self._namespace_labels(pod))
        for each in stated.refusing(pod, found.namespace_labels):
            if each.counter.placed:
                _pool(found.refusing, each.term.topology_key, each.counter.counts)
        for counts, questions in ((found.near, terms.near), (found.away, terms.away)):
            for question in questions:
                assert question.topology_key is not None
                _pool(counts, question.topology_key, columns.counters.answer(question).counts)
        if not (found.refusing or terms.required or terms.required_anti):
            return SKIP, None
        state[self.name] = found
        return SUCCESS, None

    def add_pod(
        self, state: CycleState, pod: PodView, added: PodView, columns: Columns, row: int
    ) -> None:
        state[self.name].update(pod, added, columns, row, 1)

    def remove_pod(
        self, state: CycleState, pod: PodView, removed: PodView, columns: Columns, row: int
    ) -> None:
        state[self.name].update(pod, removed, columns, row, -1)

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes | None:
        found: FilterState = state[self.name]
        codes: Codes | None = None
        # From the last check to the first: an earlier one overwrites a later one.
        for counts, code in ((found.refusing, _REFUSED), (found.away, _NOT_AWAY)):
            for key, here in counts.items():
                occupied = here > 0
                occupied[-1] = False
                codes = _mark(codes, occupied, columns.label(key).codes[rows], code)
        if found.near:
            is_first = _is_first_of_its_kind(found, pod)
            for key, here in found.near.items():
                lacking = np.zeros(len(here), np.bool_) if is_first else here <= 0
                lacking[-1] = True
                codes = _mark(codes, lacking, columns.label(key).codes[rows], _NOT_NEAR)
        return codes

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        del state, pod
        return _STATUSES[code]

    def pre_score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Status:
        del rows
        problems = pod.affinity.problems if pod.has_affinity else ()
        if problems:
            return error(f"failed to parse pod: {label_requirement.aggregate(problems)}")
        preferred = incoming_terms.terms_of(pod, self._lister).preferred
        if self._ignores_others and not preferred:
            return SKIP
        scores: dict[str, Ints] = {}
        for question, weight in preferred:
            counter = columns.counters.answer(question)
            if counter.placed:
                assert question.topology_key is not None
                _add_weighted(scores, question.topology_key, counter.counts, weight)
        stated = columns.stated_terms
        if stated.score_any:
            for each in stated.scoring(pod, self._namespace_labels(pod)):
                weight = self._weight_of(each)
                if weight and each.counter.placed:
                    _add_weighted(scores, each.term.topology_key, each.counter.counts, weight)
        if not scores:
            return SKIP
        for table in scores.values():
            table[-1] = 0
        state[self._score_key] = scores
        return SUCCESS

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        del pod
        tables: dict[str, Ints] = state[self._score_key]
        total: Ints = np.zeros(len(rows), np.int64)
        for key, table in tables.items():
            total += table[columns.label(key).codes[rows]]
        return total

    def normalize(
        self, state: CycleState, pod: PodView, scores: Ints, columns: Columns, rows: Ints
    ) -> Ints:
        del state, pod, columns, rows
        least = scores.min()
        difference = int(scores.max() - least)
        if not difference:
            return np.zeros(len(scores), np.int64)
        scaled: Ints = (MAX_NODE_SCORE * ((scores - least) / difference)).astype(np.int64)
        return scaled

    def is_settled(self, pod: PodView) -> bool:
        """Whether the terms of a pod are sound and mean the same whatever namespaces there are."""
        if not pod.has_affinity:
            return True
        return not pod.affinity.problems and incoming_terms.are_fixed(pod.plan)

    def outlook(self, pod: PodView, columns: Columns) -> Outlook:
        """What a pod with settled terms looks for among the others, as counters."""
        terms, counters = incoming_terms.terms_of(pod, self._lister), columns.counters
        return Outlook(
            [counters.answer(question) for question in terms.near],
            [counters.answer(question) for question in terms.away],
            [(counters.answer(question), weight) for question, weight in terms.preferred],
        )

    def finds_itself(self, pod: PodView) -> bool:
        """Whether a pod must be near its like, so that the first of them has to be let in."""
        terms = incoming_terms.terms_of(pod, self._lister)
        return incoming_terms.matches_all(terms.required, pod.namespace, pod.labels)

    def reception(self, pod: PodView, columns: Columns) -> Outlook:
        """What the others look for in a pod, in the same way."""
        stated, labels = columns.stated_terms, self._namespace_labels(pod)
        scoring: list[tuple[PodCounter, int]] = []
        if not self._ignores_others or incoming_terms.terms_of(pod, self._lister).preferred:
            scoring = [
                (each.counter, self._weight_of(each)) for each in stated.scoring(pod, labels)
            ]
        refusing = [each.counter for each in stated.refusing(pod, labels)]
        return Outlook([], refusing, scoring)

    def events_to_register(self) -> Sequence[EventHint]:
        pod_change = ActionType.ADD | ActionType.UPDATE_POD_LABEL | ActionType.DELETE
        node_change = ActionType.ADD | ActionType.UPDATE_NODE_LABEL
        return [
            EventHint(ClusterEvent(EventResource.POD, pod_change), affinity_hints.after_pod_change),
            EventHint(
                ClusterEvent(EventResource.NODE, node_change), affinity_hints.after_node_change
            ),
        ]

    def _namespace_labels(self, pod: PodView) -> dict[str, str]:
        namespace = self._lister.get("v1", "Namespace", pod.namespace)
        return (namespace["metadata"].get("labels") or {}) if namespace else {}

    def _weight_of(self, stated: StatedTerm) -> int:
        if stated.stance is Stance.REQUIRES:
            return self._hard_weight
        return stated.term.weight if stated.stance is Stance.LIKES else -stated.term.weight


def _is_first_of_its_kind(found: FilterState, pod: PodView) -> bool:
    """Whether a pod requires pods like itself and is the first of them, which must not stop it."""
    if any(counts[:-1].any() for counts in found.near.values()):
        return False
    return incoming_terms.matches_all(found.terms.required, pod.namespace, pod.labels)


def _pool(counts: Counts, key: str, more: Codes) -> None:
    counts[key] = counts[key] + more if key in counts else more


def _add_weighted(scores: dict[str, Ints], key: str, counts: Codes, weight: int) -> None:
    weighted = counts.astype(np.int64) * weight
    scores[key] = scores[key] + weighted if key in scores else weighted


def _change(counts: Counts, key: str, columns: Columns, row: int, change: int) -> None:
    label = columns.label(key)
    if key not in counts:
        counts[key] = np.zeros(len(label.values) + 1, np.int32)
    counts[key][label.codes[row]] += change


def _mark(codes: Codes | None, table: Mask, values: Codes, code: int) -> Codes:
    """Give a code to the rows whose value the table holds against them."""
    found = table[values]
    if codes is None:
        return found * np.int32(code)
    codes[found] = code
    return codes
