"""The affinity terms of the pods on nodes, indexed by what they match.

Every required anti-affinity term of a running pod may keep a newcomer away, and every other term
may attract or repel it. The terms of one plan are kept once, with a count of the pods that state
them for each value of the topology key.
"""

from __future__ import annotations

import enum
from typing import TYPE_CHECKING

from kubestage.objects.selector_index import SelectorIndex
from kubestage.scheduler.cells import PodCounter

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from kubestage.objects.affinity import AffinityTerm
    from kubestage.objects.views.plan import PodPlan
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns


class Stance(enum.Enum):
    """What a term means for the pods that it matches."""

    REQUIRES = "requires"
    REFUSES = "refuses"
    LIKES = "likes"
    DISLIKES = "dislikes"


class StatedTerm:
    """A term of the pods of one plan, and how many of them are where."""

    __slots__ = ("counter", "stance", "term")

    def __init__(self, columns: Columns, stance: Stance, term: AffinityTerm) -> None:
        self.stance = stance
        self.term = term
        self.counter = PodCounter(columns, term.topology_key)


class _PlanTerms:
    __slots__ = ("is_expected", "pods", "terms")

    def __init__(self, terms: list[StatedTerm]) -> None:
        self.terms = terms
        self.pods = 0
        self.is_expected = False


class StatedTerms:
    """All affinity terms of the pods on one set of columns.

    `version` changes when terms come or go. `rows` are those on which pods may state any; all by
    default.
    """

    __slots__ = ("_columns", "_plans", "_refusing", "_scoring", "version")

    def __init__(self, columns: Columns, rows: Iterable[int] | None = None) -> None:
        self._columns = columns
        self.version = 0
        self._plans: dict[PodPlan, _PlanTerms] = {}
        self._refusing: SelectorIndex[StatedTerm] = SelectorIndex()
        self._scoring: SelectorIndex[StatedTerm] = SelectorIndex()
        for row in range(len(columns)) if rows is None else rows:
            for pod in columns.infos[row].pods_with_affinity.values():
                self.count(row, pod, 1)

    @property
    def refuse_any(self) -> bool:
        """Whether any pod has required anti-affinity, or is expected to."""
        return bool(self._refusing)

    @property
    def score_any(self) -> bool:
        """Whether any pod has terms that bear on scores, or is expected to."""
        return bool(self._scoring)

    @property
    def is_empty(self) -> bool:
        """Whether no pod states any term."""
        return not self._plans

    def refusing(self, pod: PodView, namespace_labels: Mapping[str, str]) -> Iterator[StatedTerm]:
        """The required anti-affinity terms that a pod falls under."""
        return _matching(self._refusing, pod, namespace_labels)

    def scoring(self, pod: PodView, namespace_labels: Mapping[str, str]) -> Iterator[StatedTerm]:
        """The required affinity and the preferred terms that a pod falls under."""
        return _matching(self._scoring, pod, namespace_labels)

    def count(self, row: int, pod: PodView, sign: int) -> None:
        """Count in (1) or out (-1) a pod that has affinity."""
        plan = self._plans.get(pod.plan) or self._take_up(pod)
        plan.pods += sign
        for stated in plan.terms:
            stated.counter.count(row, sign)
        if not plan.pods and not plan.is_expected:
            self._drop(pod.plan)

    def expect(self, pod: PodView) -> list[StatedTerm]:
        """The terms that pods such as this one state; they stay even while there are none."""
        plan = self._plans.get(pod.plan) or self._take_up(pod)
        plan.is_expected = True
        return plan.terms

    def settle(self, pod: PodView) -> None:
        """An expected pod has come; the counters have it already."""
        self._plans[pod.plan].pods += 1

    def expect_none(self) -> None:
        """Forget the terms that no pod states."""
        for key, plan in list(self._plans.items()):
            plan.is_expected = False
            if not plan.pods:
                self._drop(key)

    def _drop(self, key: PodPlan) -> None:
        self.version += 1
        for stated in self._plans.pop(key).terms:
            self._index_of(stated).drop(stated)
            stated.counter.release()

    def _take_up(self, pod: PodView) -> _PlanTerms:
        self.version += 1
        affinity = pod.affinity
        stated = [
            StatedTerm(self._columns, stance, term)
            for stance, terms in (
                (Stance.REFUSES, affinity.required_anti),
                (Stance.REQUIRES, affinity.required),
                (Stance.LIKES, affinity.preferred),
                (Stance.DISLIKES, affinity.preferred_anti),
            )
            for term in terms
        ]
        for each in stated:
            self._index_of(each).put(each, each.term.selector)
        plan = self._plans[pod.plan] = _PlanTerms(stated)
        return plan

    def _index_of(self, stated: StatedTerm) -> SelectorIndex[StatedTerm]:
        return self._refusing if stated.stance is Stance.REFUSES else self._scoring


def _matching(
    index: SelectorIndex[StatedTerm], pod: PodView, namespace_labels: Mapping[str, str]
) -> Iterator[StatedTerm]:
    for stated in index.candidates(pod.labels):
        if stated.term.matches(pod.namespace, pod.labels, namespace_labels):
            yield stated
