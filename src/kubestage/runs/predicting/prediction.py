"""What was predicted of one pod, with the reasons.

A prediction stays as it is when the cluster goes on: whether it came true is known later.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Final

import msgspec
import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.attempt import Attempt

_MOST_PLUGINS: Final = 3


class Rejection(msgspec.Struct, frozen=True):
    """Why a pod does not fit on a node; without a plugin, the whole pod was rejected."""

    plugin: str
    reasons: Sequence[str]

    def __str__(self) -> str:
        """In words."""
        reasons = ", ".join(self.reasons) or "no reason given"
        return f"{self.plugin} rejects it: {reasons}" if self.plugin else reasons


class Preemption(msgspec.Struct, frozen=True):
    """Room that would have to be made."""

    node: str
    victims: Sequence[str]
    """``namespace/name`` of the pods that would go."""
    tied: Sequence[str]
    """Nodes on which the harm would be the same, that one included."""


class Prediction:
    """Where a pod would go.

    The real scheduler breaks ties at random, and of 100 nodes or more evaluates a part: `best` are
    the nodes with the highest total score, and `possible` those that are best in some part that
    it may have evaluated. `node` is the one of `best` that the configured tie-break takes.
    """

    def __init__(self, attempt: Attempt | None, *, pod: str, sample: int = 0,
                 preemption: Preemption | None = None, message: str = "") -> None:  # fmt: skip
        self.pod = pod
        """``namespace/name``."""
        self.message = message
        """Why there is no node, in the words of the scheduler's Event."""
        self.preemption = preemption
        """Which pods would have to go, if none but preemption helps."""
        self._sample = sample
        self._attempt = attempt
        # NOTE: arrays of an attempt may be parts of columns, which the next change patches.
        self._totals: Ints | None = None
        self._scores: dict[str, Ints] = {}
        self._rows: Ints = np.empty(0, np.int64)
        if attempt is not None:
            self._rows = np.array(attempt.feasible)
            if attempt.totals is not None:
                self._totals = np.array(attempt.totals)
            self._scores = {each.plugin: np.array(each.final) for each in attempt.scores}

    @property
    def node(self) -> str:
        """The predicted node; empty if there is none."""
        return "" if self._attempt is None else self._attempt.node_name or ""

    @functools.cached_property
    def feasible(self) -> tuple[str, ...]:
        """The nodes that pass all filters."""
        return self._names(self._rows)

    @functools.cached_property
    def best(self) -> frozenset[str]:
        """The nodes that are equally good: all with the highest score."""
        if self._totals is None:
            return frozenset(self.feasible)
        return frozenset(self._names(self._rows[self._totals == self._totals.max()]))

    @property
    def is_sampled(self) -> bool:
        """Whether the scheduler would not have evaluated all nodes on which the pod fits."""
        return self._totals is not None and 0 < self._sample < len(self._rows)

    @functools.cached_property
    def possible(self) -> frozenset[str]:
        """The nodes that are among the best of some part of the nodes, in the order of the cache.

        Which part is evaluated depends on all attempts before. Scores are those among all nodes.
        """
        if not self.is_sampled:
            return self.best
        totals, sample = self._totals, self._sample
        assert totals is not None
        ring = np.concatenate((totals, totals[: sample - 1]))
        parts = np.lib.stride_tricks.sliding_window_view(ring, sample)
        best = parts.max(axis=1)
        # A node is possible if one of the parts that it is in has nothing better.
        around = np.concatenate((best[len(best) - sample + 1 :], best))
        least = np.lib.stride_tricks.sliding_window_view(around, sample).min(axis=1)
        return frozenset(self._names(self._rows[totals >= least]))

    def is_feasible(self, node: str) -> bool:
        """Whether a node passes all filters."""
        return self._place(node) is not None

    def total(self, node: str) -> int | None:
        """The score of a node, all plugins together; None if it is not scored."""
        place = self._place(node)
        return None if place is None or self._totals is None else int(self._totals[place])

    def scores(self, node: str) -> Mapping[str, int]:
        """The score of a node by plugin, with its weight; empty if it is not scored."""
        place = self._place(node)
        if place is None:
            return {}
        return {plugin: int(scores[place]) for plugin, scores in self._scores.items()}

    def rejection(self, node: str) -> Rejection | None:
        """Which filter rejects a node; None if it passes."""
        if self.is_feasible(node):
            return None
        if self._attempt is None:
            return Rejection("", (self.message,))
        if node not in self._attempt.columns.row_of:
            return Rejection("", ("the node is not there",))
        if self._attempt.is_error:
            return Rejection("", (self._attempt.failure,))
        status = self._attempt.diagnosis.status_of(node)
        return Rejection(status.plugin, status.reasons)

    def compared_with(self, node: str) -> str:
        """Why another node was predicted than this one, in words; empty if it is as good."""
        rejected = self.rejection(node)
        if rejected is not None:
            return str(rejected)
        best = self.node
        if not best or node in self.best:
            return ""
        difference = (self.total(best) or 0) - (self.total(node) or 0)
        mine, other = self.scores(node), self.scores(best)
        by_plugin = sorted(((other[each] - mine[each], each) for each in mine), reverse=True)
        named = [
            f"{plugin} {gain:+d} ({other[plugin]} and {mine[plugin]})"
            for gain, plugin in by_plugin
            if gain > 0
        ]
        return f"{best} scores {difference} more: {', '.join(named[:_MOST_PLUGINS])}"

    def _names(self, rows: Ints) -> tuple[str, ...]:
        if self._attempt is None:
            return ()
        names = self._attempt.columns.names
        return tuple([names[row] for row in rows.tolist()])

    def _place(self, node: str) -> int | None:
        row = None if self._attempt is None else self._attempt.columns.row_of.get(node)
        if row is None:
            return None
        found = (self._rows == row).nonzero()[0]
        return int(found[0]) if len(found) else None
