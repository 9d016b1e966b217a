"""Counters of pods for the questions of plugins, kept up to date as pods come and go.

Inter-pod affinity and topology spread ask the same questions again and again: how many pods that
match this selector are on each node, or in each zone? An answer is an array, patched by one cell
when a pod arrives. Pods with the same namespace and labels answer every question alike, so each
question is put once to each kind of pod and not to each pod.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.objects import selector_index
from kubestage.scheduler.cells import PodCounter

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from kubestage.objects.affinity import AffinityTerm
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.arrays import Codes, Ints
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.kept_rows import KeptRows

_NO_LABELS: Final[dict[str, str]] = {}
# When nodes have come and gone so many times, they are numbered from 0 again.
_MOST_NUMBERS: Final = 16
_MOST_TOUCHED: Final = 4096

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


@functools.lru_cache(maxsize=4096)
def _of_nodes(question: Question) -> Question:
    """The same question about each node; found again, as its hash takes long to compute."""
    return msgspec.structs.replace(question, topology_key=None)


class PodKind:
    """Pods to which the same questions apply, and how many of them are on which nodes.

    When the last of them goes it is dropped, and the next pod like it makes another.
    """

    __slots__ = ("counters", "is_dropped", "labels", "namespace", "nodes", "terminating")

    def __init__(self, namespace: str, labels: Mapping[str, str], terminating: bool) -> None:
        self.is_dropped = False
        self.namespace = namespace
        self.labels = labels
        self.terminating = terminating
        self.nodes: dict[int, int] = {}
        self.counters: list[PodCounter] = []

    def leave(self, nodes: Collection[int]) -> None:
        """Count out all that are on some nodes."""
        if len(nodes) < len(self.nodes):
            for node in nodes:
                self.nodes.pop(node, None)
        else:
            self.nodes = {node: count for node, count in self.nodes.items() if node not in nodes}


class PodCounters:
    """The counters of all questions so far over one set of columns.

    `all` are for reading. `version` changes when a question comes up for the first time: then
    kinds have more counters. Kinds count by numbers of nodes, `node_on` each row, which stay when
    rows change. `touched` are the kinds that have more counters or were dropped since it was
    emptied, or None if that may be any.
    """

    __slots__ = (
        "_columns", "_kinds", "_kinds_by_pair", "_next_node", "_questions", "_row_of", "all",
        "node_on", "touched", "version",
    )  # fmt: skip

    def __init__(self, columns: Columns, *, is_following: bool = False) -> None:
        self._columns = columns
        self.version = 0
        self.touched: dict[PodKind, None] | None = None
        self._kinds: dict[_KindKey, PodKind] = {}
        self._kinds_by_pair: dict[tuple[str, str], dict[PodKind, None]] = {}
        self.all: dict[Question, PodCounter] = {}
        self._questions: selector_index.SelectorIndex[Question] = selector_index.SelectorIndex()
        self._next_node = len(columns)
        self.node_on = list(range(len(columns)))
        self._row_of: Ints | None = None
        if not is_following:
            self._add_all(range(len(columns)))

    @classmethod
    def following(cls, earlier: PodCounters, columns: Columns, kept: KeptRows) -> PodCounters:
        """The counters of columns that follow others: pods on rows that are kept stay counted.

        The earlier ones cannot be used any more.

        NOTE: with 1,000 nodes and 10,000 pods, columns follow others in 0.6 ms, where they took
        2.2 ms with all pods counted under their new rows; an upgrade does that for each node
        (benchmarks/rehearse.py).
        """
        if earlier._next_node > _MOST_NUMBERS * len(columns):
            return cls(columns)
        counters = cls(columns, is_following=True)
        counters._kinds, counters._kinds_by_pair = earlier._kinds, earlier._kinds_by_pair
        gone = counters._renumber(earlier, kept)
        for key, kind in list(counters._kinds.items()):
            kind.counters = []
            kind.leave(gone)
            if not kind.nodes:
                counters._drop(key)
        counters._add_all(kept.others)
        return counters

    def _renumber(self, earlier: PodCounters, kept: KeptRows) -> set[int]:
        """Number the nodes of rows that are kept as before, and others as no node was before.

        Returns the numbers that no row has any more.
        """
        before, first = np.array(earlier.node_on, np.int64), earlier._next_node
        numbers: Ints = np.empty(len(self.node_on), np.int64)
        numbers[kept.after] = before[kept.before]
        numbers[kept.others] = np.arange(first, first + len(kept.others))
        self.node_on = numbers.tolist()
        self._next_node = first + len(kept.others)
        return set(np.delete(before, kept.before).tolist())

    def answer(self, question: Question) -> PodCounter:
        """The counter of a question, which is kept up to date from then on."""
        counter = self.all.get(question)
        return self._begin(question) if counter is None else counter

    def forget_questions(self) -> None:
        """Count for no question any more; pods stay counted by their kinds.

        NOTE: with 150,000 pods it takes half a second to count all of them again, and every 800
        Deployments of a cluster with 5,000 nodes there is too much to keep (benchmarks/load.py).
        """
        self.version += 1
        self.touched = None
        self.all = {}
        self._questions = selector_index.SelectorIndex()
        for kind in self._kinds.values():
            kind.counters = []

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
        kind, node = self.kind_of(pod), self.node_on[row]
        kind.nodes[node] = kind.nodes.get(node, 0) + 1
        for counter in kind.counters:
            counter.count(row, 1)

    def _add_all(self, rows: Iterable[int]) -> None:
        for row in rows:
            for pod in self._columns.infos[row].pods.values():
                self._add(row, pod)

    def _remove(self, row: int, pod: PodView) -> None:
        key = _key_of(pod)
        kind = self._kinds[key]
        for counter in kind.counters:
            counter.count(row, -1)
        node = self.node_on[row]
        left = kind.nodes[node] - 1
        if left:
            kind.nodes[node] = left
            return
        del kind.nodes[node]
        if not kind.nodes:
            self._drop(key)

    def _begin(self, question: Question) -> PodCounter:
        counter = PodCounter(self._columns, question.topology_key)
        by_node = None
        if question.topology_key is not None:
            by_node = self.all.get(_of_nodes(question))
        if by_node is not None:
            counter.add_up(by_node)
        self.version += 1
        self.all[question] = counter
        selector = question.terms[0].selector
        self._questions.put(question, selector)
        # NOTE: the label that fewest kinds have; one that all pods of a load have led to all kinds
        # (benchmarks/load.py).
        kinds: Collection[PodKind] = min(
            (self._kinds_by_pair.get(pair, ()) for pair in selector_index.required_pairs(selector)),
            key=len,
            default=self._kinds.values(),
        )
        for kind in kinds:
            if question.is_about(kind.namespace, kind.labels, kind.terminating):
                kind.counters.append(counter)
                self._touch(kind)
                if by_node is None:
                    counter.count_all(*self._by_row(kind))
        return counter

    def _touch(self, kind: PodKind) -> None:
        if self.touched is not None:
            self.touched[kind] = None
            if len(self.touched) > _MOST_TOUCHED:
                self.touched = None

    def _by_row(self, kind: PodKind) -> tuple[Ints, Codes]:
        """The rows that pods of a kind are on, and how many are on each."""
        row_of, nodes = self._row_of, kind.nodes
        if row_of is None:
            row_of = self._row_of = np.zeros(self._next_node, np.int64)
            row_of[self.node_on] = np.arange(len(self.node_on))
        count = len(nodes)
        return (
            row_of[np.fromiter(nodes, np.int64, count)],
            np.fromiter(nodes.values(), np.int32, count),
        )

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
        self._touch(kind)
        for pair in kind.labels.items():
            kinds = self._kinds_by_pair[pair]
            del kinds[kind]
            if not kinds:
                del self._kinds_by_pair[pair]


def _key_of(pod: PodView) -> _KindKey:
    return pod.namespace, frozenset(pod.labels.items()), pod.deletion_ns is not None
