"""Counts of pods by what is asked about them, kept up to date as pods come and go.

Inter-pod affinity and topology spread ask the same questions again and again: how many pods that
match this selector are on each node, or in each zone? An answer is an array, patched by one cell
when a pod arrives. Pods with the same namespace and labels answer every question alike, so each
question is put once to each kind of pod and not to each pod.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

from kubestage.scheduler import selector_index

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from kubestage.objects.affinity import AffinityTerm
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Codes, Columns

_NO_LABELS: Final[dict[str, str]] = {}
_MAX_CELLS: Final = 16_000_000

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
        """Whether a pod is one of those asked about."""
        if terminating and self.without_terminating:
            return False
        return all(term.matches(namespace, labels, _NO_LABELS) for term in self.terms)


class Tally:
    """A number per slot: the values of a node label, then one for nodes without it; or nodes."""

    __slots__ = ("_slots", "counts", "placed")

    def __init__(self, columns: Columns, topology_key: str | None) -> None:
        if topology_key is not None:
            label = columns.label(topology_key)
            self._slots = label.codes
            # ABSENT is -1, so nodes without the label meet in the last slot.
            self.counts: Codes = np.zeros(len(label.values) + 1, np.int32)
        else:
            self._slots = np.arange(len(columns), dtype=np.int32)
            self.counts = np.zeros(len(columns), np.int32)
        self.placed = 0

    def count(self, row: int, number: int) -> None:
        """Count pods of a node in, or out if the number is negative."""
        slot = self._slots[row]
        self.counts[slot] += number
        if slot >= 0:
            self.placed += number


class _Kind:
    """Pods that no question can tell apart, and how many of them are on which rows."""

    __slots__ = ("labels", "namespace", "rows", "tallies", "terminating")

    def __init__(self, pod: PodView, terminating: bool) -> None:
        self.namespace = pod.namespace
        self.labels = pod.labels
        self.terminating = terminating
        self.rows: dict[int, int] = {}
        self.tallies: list[Tally] = []


class PodTallies:
    """The answers to all questions asked so far over one set of columns.

    When all arrays together grow past `max_cells`, they are dropped and begun anew.
    """

    __slots__ = (
        "_asked", "_cells", "_columns", "_kinds", "_kinds_by_pair", "_max_cells", "_tallies",
    )  # fmt: skip

    def __init__(self, columns: Columns, max_cells: int = _MAX_CELLS) -> None:
        self._columns = columns
        self._max_cells = max_cells
        self._kinds: dict[_KindKey, _Kind] = {}
        self._kinds_by_pair: dict[tuple[str, str], dict[_Kind, None]] = {}
        self._tallies: dict[Question, Tally] = {}
        self._asked: selector_index.SelectorIndex[Question] = selector_index.SelectorIndex()
        self._cells = 0
        for row, info in enumerate(columns.infos):
            for pod in info.pods.values():
                self._add(row, pod)

    def answer(self, question: Question) -> Tally:
        """The tally of a question, which stays true from then on."""
        tally = self._tallies.get(question)
        return self._begin(question) if tally is None else tally

    def count(self, row: int, pod: PodView, sign: int) -> None:
        """Count a pod in (1) or out (-1); it must go out as it came in."""
        if sign > 0:
            self._add(row, pod)
        else:
            self._remove(row, pod)

    def _add(self, row: int, pod: PodView) -> None:
        key = _key_of(pod)
        kind = self._kinds.get(key) or self._take_up(key, pod)
        kind.rows[row] = kind.rows.get(row, 0) + 1
        for tally in kind.tallies:
            tally.count(row, 1)

    def _remove(self, row: int, pod: PodView) -> None:
        key = _key_of(pod)
        kind = self._kinds[key]
        for tally in kind.tallies:
            tally.count(row, -1)
        left = kind.rows[row] - 1
        if left:
            kind.rows[row] = left
            return
        del kind.rows[row]
        if not kind.rows:
            self._drop(key)

    def _begin(self, question: Question) -> Tally:
        tally = Tally(self._columns, question.topology_key)
        if self._cells > self._max_cells:
            self._forget()
        self._cells += len(tally.counts)
        self._tallies[question] = tally
        selector = question.terms[0].selector
        self._asked.add(selector, question)
        pair = selector_index.required_pair(selector)
        kinds: Collection[_Kind] = (
            self._kinds.values() if pair is None else self._kinds_by_pair.get(pair, ())
        )
        for kind in kinds:
            if question.is_about(kind.namespace, kind.labels, kind.terminating):
                kind.tallies.append(tally)
                for row, number in kind.rows.items():
                    tally.count(row, number)
        return tally

    def _take_up(self, key: _KindKey, pod: PodView) -> _Kind:
        kind = self._kinds[key] = _Kind(pod, key[2])
        for pair in kind.labels.items():
            self._kinds_by_pair.setdefault(pair, {})[kind] = None
        kind.tallies = [
            self._tallies[question]
            for question in self._asked.candidates(kind.labels)
            if question.is_about(kind.namespace, kind.labels, kind.terminating)
        ]
        return kind

    def _drop(self, key: _KindKey) -> None:
        kind = self._kinds.pop(key)
        for pair in kind.labels.items():
            kinds = self._kinds_by_pair[pair]
            del kinds[kind]
            if not kinds:
                del self._kinds_by_pair[pair]

    def _forget(self) -> None:
        """Drop all answers; those still wanted are worked out again when asked for."""
        self._tallies.clear()
        self._asked = selector_index.SelectorIndex()
        self._cells = 0
        for kind in self._kinds.values():
            kind.tallies.clear()


def _key_of(pod: PodView) -> _KindKey:
    return pod.namespace, frozenset(pod.labels.items()), pod.deletion_ns is not None
