"""The search for changes that make a pod fit: single ones, and pairs where no single one helps."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.runs.fit import (
    admissions,
    candidate,
    claims,
    gates,
    leaving,
    new_nodes,
    nodes,
    numbers,
    removals,
    requests,
    terms,
)
from kubestage.runs.fit.advice import ADD_NODE, FitChange
from kubestage.runs.fit.edit import NOTHING
from kubestage.wording import few

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from kubestage.runs.fit.candidate import Candidate
    from kubestage.runs.fit.cluster_copy import ClusterCopy, Outcome
    from kubestage.runs.fit.edit import Edit

_MOST_ATTEMPTS: Final = 600
"""After so many attempts, what is found is enough."""
_MOST_CHANGES: Final = 8
_PAIRED: Final = 10
_ENOUGH_PAIRS: Final = 4


class _Proved(NamedTuple):
    candidate: Candidate
    outcome: Outcome
    text: str

    @property
    def rank(self) -> tuple[float, ...]:
        """What touches the least comes first; victims are touched, too."""
        cost = self.candidate.cost
        return (cost[0] + candidate.OTHER_PODS * bool(self.outcome.victims), *cost[1:])


class Search:
    """Tries changes on a copy of the cluster, and collects those with which the pod was placed."""

    def __init__(self, copy: ClusterCopy, baseline: Outcome) -> None:
        self._copy = copy
        self._baseline = baseline
        self._proved: list[_Proved] = []
        self._failed: list[tuple[Candidate, Outcome]] = []
        self._base: Candidate | None = None

    def changes(self) -> list[FitChange]:
        """The changes that help, those that touch the least first."""
        if self._baseline.refusal and not self._admit():
            return self._found()
        self._try_all(self._own())
        self._try_all(self._lowered(self._shortage(), NOTHING))
        self._first_of(removals.candidates(self._copy, self._edit()))
        self._first_of(gates.priorities(self._copy))
        is_enough = bool(self._proved)
        if not is_enough:
            self._try_pairs()
        self._add_nodes(with_more=not is_enough and not self._proved)
        return self._found()

    def _admit(self) -> bool:
        """Have the API let the pod in, and go on from there; whether that can be done."""
        self._try_all(self._lowered(_requested(self._copy), NOTHING))
        remedy = admissions.remedy(self._copy)
        if remedy is None:
            return False
        outcome = self._try(remedy)
        if outcome.is_placed:
            return False
        # The changes that follow come with the remedy.
        self._failed.clear()
        self._base, self._baseline = remedy, outcome
        return not outcome.refusal

    def _found(self) -> list[FitChange]:
        ranked = sorted(self._proved, key=lambda each: (each.rank, each.text))
        return [
            FitChange(
                kind=each.candidate.kind,
                text=each.text,
                patch=each.candidate.edit.describe(self._copy.pod, self._copy.known),
                proved_on=each.outcome.node,
            )
            for each in ranked[:_MOST_CHANGES]
        ]

    def _own(self) -> Iterator[Candidate]:
        """Changes that need no search."""
        yield from leaving.candidates(self._copy)
        yield from gates.candidates(self._copy)
        yield from nodes.candidates(self._copy)
        yield from terms.candidates(self._copy.pod)
        yield from claims.candidates(self._copy)

    def _shortage(self) -> list[str]:
        attempt = self._baseline.attempt
        return [] if attempt is None else numbers.short_resources(attempt)

    def _lowered(self, resources: list[str], base: Edit) -> Iterator[Candidate]:
        return requests.lower(self._copy, resources, self._edit().and_(base))

    def _edit(self) -> Edit:
        return NOTHING if self._base is None else self._base.edit

    def _try(self, one: Candidate) -> Outcome:
        """Try one change, and note what came of it."""
        admitted = self._admitted(one)
        outcome = self._copy.attempt(admitted.edit)
        if outcome.is_placed:
            self._prove(*self._least(admitted, outcome))
        else:
            self._failed.append((one, outcome))
        return outcome

    def _admitted(self, one: Candidate) -> Candidate:
        """A change with all that the API needs to let the pod in after it."""
        if self._base is None:
            return one
        remedy = admissions.remedy(self._copy, one.edit)
        return one if remedy is None else remedy.and_(one)

    def _least(self, one: Candidate, outcome: Outcome) -> tuple[Candidate, Outcome]:
        """A change without what it does not need, at the expense of no other pods."""
        victims = {each["metadata"]["uid"] for each in outcome.victims}
        for smaller in one.smaller():
            tried = self._copy.attempt(smaller.edit)
            if tried.is_placed and victims >= {each["metadata"]["uid"] for each in tried.victims}:
                return self._least(smaller, tried)
        return one, outcome

    def _prove(self, one: Candidate, outcome: Outcome) -> None:
        """List a change, with the nodes on which the pods that it removes have room."""
        if any(each.candidate.text == one.text for each in self._proved):
            return
        homes: list[str] = []
        gone = [pod for pod in one.edit.remove if not leaving.is_leaving(pod)]
        if gone:
            self._copy.attempt(
                one.edit, then=lambda: homes.extend(map(self._copy.reschedule, gone))
            )
        self._proved.append(_Proved(one, outcome, _text(one, outcome, homes)))

    def _try_all(self, some: Iterable[Candidate]) -> None:
        for one in some:
            if self._copy.attempts > _MOST_ATTEMPTS:
                break
            self._try(one)

    def _first_of(self, some: Iterable[Candidate]) -> None:
        """Try changes of one sort until one helps."""
        for one in some:
            if self._copy.attempts > _MOST_ATTEMPTS or self._try(one).is_placed:
                break

    def _add_nodes(self, *, with_more: bool) -> None:
        """A node of a group or of a sort; if that is not enough, with one more change."""
        several = list(new_nodes.candidates(self._copy))
        before = len(self._proved)
        self._first_of(several)
        if len(self._proved) > before or not with_more:
            return
        for one, _ in self._reasonable()[:_PAIRED]:
            self._first_of(one.and_(each) for each in several)
            if len(self._proved) > before:
                return

    def _try_pairs(self) -> None:
        """Two changes together, none of which is enough by itself; three if no two are."""
        single = self._reasonable()
        self._try_all(requests.lower_several(self._copy, self._shortage(), self._edit()))
        for one, outcome in single:
            if self._is_over:
                return
            self._try_all(self._with_less(one, outcome))
            if outcome.attempt is not None:
                more = removals.candidates(self._copy, self._edit().and_(one.edit))
                self._first_of(one.and_(each) for each in more)
        both = [one.and_(other) for (one, _), (other, _) in itertools.combinations(single, 2)]
        outcomes = []
        for one in both:
            if self._is_over:
                return
            outcomes.append((one, self._try(one)))
        if not self._proved:
            for one, outcome in outcomes:
                self._try_all(self._with_less(one, outcome))

    @property
    def _is_over(self) -> bool:
        return len(self._proved) >= _ENOUGH_PAIRS or self._copy.attempts > _MOST_ATTEMPTS

    def _with_less(self, one: Candidate, outcome: Outcome) -> Iterator[Candidate]:
        """A change that was not enough, with a request that is as low as it must be besides."""
        if outcome.attempt is None:
            return
        short = numbers.short_resources(outcome.attempt)
        for each in self._lowered(short, one.edit):
            yield one.and_(each)

    def _reasonable(self) -> list[tuple[Candidate, Outcome]]:
        """Changes that were not enough but were not refused either; the cheapest first."""
        known = [each for each in self._failed if each[0].kind not in (ADD_NODE, removals.KIND)]
        known = [each for each in known if not each[1].refusal]
        return sorted(known, key=lambda each: each[0].cost)[:_PAIRED]


def _requested(copy: ClusterCopy) -> list[str]:
    return [name for name, _ in copy.view().fit_request.items()]


def _text(one: Candidate, outcome: Outcome, homes: list[str]) -> str:
    text = one.text
    if outcome.victims:
        victims = (
            f"{pod['metadata']['namespace']}/{pod['metadata']['name']}" for pod in outcome.victims
        )
        text += f", preempting {few(victims)}"
    if homes and all(homes):
        text += (
            f"; {'it has' if len(homes) == 1 else 'they have'} room on {few(dict.fromkeys(homes))}"
        )
    elif homes:
        left = homes.count("")
        text += (
            f"; {'it has' if len(homes) == 1 else f'{left} of {len(homes)} have'} no room elsewhere"
        )
    return text
