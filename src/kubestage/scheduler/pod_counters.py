"""Counters of pods for the questions of plugins, kept up to date as pods come and go.

Inter-pod affinity and topology spread ask the same questions again and again: how many pods that
match this selector are on each node, or in each zone? An answer is an array, patched by one cell
when a pod arrives. Pods with the same namespace and labels answer every question alike, so each
question is put once to each kind of pod and not to each pod.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.objects import selector_index
from kubestage.scheduler.cells import PodCounter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kubestage.objects.affinity import AffinityTerm
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.kept_rows import KeptRows

_NO_LABELS: Final[dict[str, str]] = {}

_KindKey = tuple[str, frozenset[tuple[str, str]], bool]


class Question(msgspec.Struct, frozen=True, cache_hash=True):
    """How many pods match all of the terms, for each value of a node label.

    Without a topology key: on each node. The topology keys and weights of the terms are not
    looked at, nor are the labels of namespaces: a term names all the namespaces it means.
    """

    terms: tuple[AffinityTerm, ...]
    topology_key: str | None = None
    without_terminating: bool = False

    def is_about(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> bool:
        """Whether the question is about a pod."""
        if terminating and self.without_terminating:
            return False
        return all(term.matches(namespace, labels, _NO_LABELS) for term in self.terms)


class PodKind:
    """Pods to which the same questions apply, and how many of them are on which rows.

    When the last of them goes it is dropped, and the next pod like it makes another.
    """

    __slots__ = ("counters", "is_dropped", "labels", "namespace", "rows", "terminating")

    def __init__(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> None:
        self.is_dropped = False
        self.namespace = namespace
        self.labels = labels
        self.terminating = terminating
        self.rows: dict[int, int] = {}
        self.counters: list[PodCounter] = []


class PodCounters:
    """The counters of all questions so far over one set of columns.

    `all` are for reading. `version` changes when a question comes up for the first time: then
    kinds have more counters.
    """

    __slots__ = ("_columns", "_kinds", "_kinds_by_pair", "_questions", "all", "version")

    def __init__(self, columns: Columns, rows: Iterable[int] | None = None) -> None:
        self._columns = columns
        self.version = 0
        self._kinds: dict[_KindKey, PodKind] = {}
        self._kinds_by_pair: dict[tuple[str, str], dict[PodKind, None]] = {}
        self.all: dict[Question, PodCounter] = {}
        self._questions: selector_index.SelectorIndex[Question] = selector_index.SelectorIndex()
        for row in range(len(columns)) if rows is None else rows:
            for pod in columns.infos[row].pods.values():
                self._add(row, pod)

    @classmethod
    def following(cls, earlier: PodCounters, columns: Columns, kept: KeptRows) -> PodCounters:
        """The counters of columns that follow others: pods on rows that are kept stay counted."""
        counters = cls(columns, kept.others)
        places = kept.places(len(earlier._columns))
        for key, kind in earlier._kinds.items():
            rows = {places[row]: number for row, number in kind.rows.items() if places[row] >= 0}
            if rows:
                found = counters._kinds.get(key)
                if found is None:
                    found = counters._take_up(key, kind.labels)
                found.rows.update(rows)
        return counters

    def answer(self, question: Question) -> PodCounter:
        """The counter of a question, which is kept up to date from then on."""
        counter = self.all.get(question)
        return self._begin(question) if counter is None else counter

    def count(self, row: int, pod: PodView, sign: int) -> None:
        """Count a pod in (1) or out (-1); it must go out as it came in."""
        if sign > 0:
            self._add(row, pod)
        else:
            self._remove(row, pod)

    def kind_of(self, pod: PodView) -> PodKind:
        """The kind that a pod is of."""
        key = _key_of(pod)
        return self._kinds.get(key) or self._take_up(key, pod.labels)

    def _add(self, row: int, pod: PodView) -> None:
        kind = self.kind_of(pod)
        kind.rows[row] = kind.rows.get(row, 0) + 1
        for counter in kind.counters:
            counter.count(row, 1)

    def _remove(self, row: int, pod: PodView) -> None:
        key = _key_of(pod)
        kind = self._kinds[key]
        for counter in kind.counters:
            counter.count(row, -1)
        left = kind.rows[row] - 1
        if left:
            kind.rows[row] = left
            return
        del kind.rows[row]
        if not kind.rows:
            self._drop(key)

    def _begin(self, question: Question) -> PodCounter:
        counter = PodCounter(self._columns, question.topology_key)
        self.version += 1
        self.all[question] = counter
        selector = question.terms[0].selector
        self._questions.put(question, selector)
        pair = selector_index.required_pair(selector)
        kinds: Collection[PodKind] = (
            self._kinds.values() if pair is None else self._kinds_by_pair.get(pair, ())
        )
        for kind in kinds:
            if question.is_about(kind.namespace, kind.labels, kind.terminating):
                kind.counters.append(counter)
                counter.count_all(kind.rows)
        return counter

    def _take_up(self, key: _KindKey, labels: Mapping[str, str]) -> PodKind:
        kind = self._kinds[key] = PodKind(key[0], labels, key[2])
        for pair in kind.labels.items():
            self._kinds_by_pair.setdefault(pair, {})[kind] = None
        kind.counters = [
            self.all[question]
            for question in self._questions.candidates(kind.labels)
            if question.is_about(kind.namespace, kind.labels, kind.terminating)
        ]
        return kind

    def _drop(self, key: _KindKey) -> None:
        kind = self._kinds.pop(key)
        kind.is_dropped = True
        for pair in kind.labels.items():
            kinds = self._kinds_by_pair[pair]
            del kinds[kind]
            if not kinds:
                del self._kinds_by_pair[pair]


def _key_of(pod: PodView) -> _KindKey:
    return pod.namespace, frozenset(pod.labels.items()), pod.deletion_ns is not None
