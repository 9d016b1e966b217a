"""All plans side by side in a few arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from kubestage.scheduler.quick import layout
from kubestage.scheduler.quick.kernels import NodeScores
from kubestage.scheduler.quick.layout import PlanArrays

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kubestage.scheduler.arrays import Ints, Mask
    from kubestage.scheduler.quick.kernels import Amounts

_FIRST_PLANS: Final = 4


class TemplateRequest(NamedTuple):
    """All that a plan is made of.

    Scores that are relative to the best node (taints that are disliked, nodes that are preferred)
    are left out if they are the same for all. `takes` is what a pod adds to each line of the
    tables `requested` and `nonzero`.
    """

    amounts: Amounts
    is_open: Mask
    fixed: Ints
    disliked: Ints | None
    preferred: Ints | None
    relative_weights: tuple[int, int]
    takes: Mapping[int, tuple[int, int]]

    @property
    def is_plain(self) -> bool:
        """Whether a node's score does not depend on other nodes."""
        return self.disliked is None and self.preferred is None

    @property
    def identity(self) -> tuple[Any, ...]:
        """Equal for plans that are."""
        return (
            *(each.tobytes() if isinstance(each, np.ndarray) else each for each in self.amounts),
            *(None if each is None else each.tobytes() for each in self[1:5]),
            self.relative_weights,
            tuple(self.takes.items()),
        )


class PlanTable:
    """The plans of one set of columns; equal ones share a number."""

    __slots__ = ("_count", "_nodes", "_number_of", "_raw_count", "arrays")

    def __init__(self, nodes: int, lines: int) -> None:
        self._nodes = nodes
        self._count = self._raw_count = 0
        self._number_of: dict[tuple[Any, ...], int] = {}
        self.arrays = _empty(_FIRST_PLANS, nodes, lines)

    def __len__(self) -> int:
        return self._count

    def add(self, request: TemplateRequest) -> int:
        """The number of a plan."""
        identity = request.identity
        number = self._number_of.get(identity)
        if number is None:
            number = self._number_of[identity] = self._count
            self._count += 1
            self._make_room(request)
            self._write(number, request)
        return number

    def scores(self, number: int) -> NodeScores:
        """What is kept for each node."""
        arrays = self.arrays
        return NodeScores(
            arrays.is_open[number],
            arrays.fixed[number],
            arrays.feasible[number],
            arrays.totals[number],
        )

    def _make_room(self, request: TemplateRequest) -> None:
        arrays = self.arrays
        plans, lines = arrays.seen.shape[0], arrays.adds.shape[2]
        amounts = request.amounts
        size = 1 + max(*request.takes, len(amounts.lines), len(amounts.score_lines))
        if self._count > plans or size > lines:
            grown = _empty(max(2 * plans, self._count), self._nodes, max(size, lines))
            grown = grown._replace(raw=arrays.raw)
            for old, new in zip(arrays, grown, strict=True):
                new[tuple(slice(0, length) for length in old.shape)] = old
            self.arrays = grown
        raws = (request.disliked is not None) + (request.preferred is not None)
        if self._raw_count + raws > self.arrays.raw.shape[0]:
            more = np.zeros((2 * self._raw_count + raws, self._nodes), np.int64)
            more[: self._raw_count] = self.arrays.raw[: self._raw_count]
            self.arrays = self.arrays._replace(raw=more)

    def _write(self, number: int, request: TemplateRequest) -> None:
        arrays, amounts = self.arrays, request.amounts
        count, scored = len(amounts.lines), len(amounts.score_lines)
        arrays.sizes[number] = count, scored
        arrays.lines[number, :count] = amounts.lines
        arrays.least[number, :count] = amounts.least
        arrays.scoring[number, :, :scored] = amounts.score_lines, amounts.scored, amounts.weights
        arrays.balancing[number] = amounts.balance_lines, amounts.balanced
        arrays.weights[number] = (
            amounts.fit_weight,
            amounts.balance_weight,
            amounts.strategy,
            *request.relative_weights,
        )
        for line, (requested, nonzero) in request.takes.items():
            arrays.adds[number, :, line] = requested, nonzero
        arrays.is_open[number] = request.is_open
        arrays.fixed[number] = request.fixed
        for place, raw in enumerate((request.disliked, request.preferred)):
            arrays.relative[number, place] = -1
            if raw is not None:
                arrays.relative[number, place] = self._raw_count
                arrays.raw[self._raw_count] = raw
                self._raw_count += 1
        arrays.seen[number] = -1


def _empty(plans: int, nodes: int, lines: int) -> PlanArrays:
    def integers(*shape: int) -> Any:
        return np.zeros((plans, *shape), np.int64)

    return PlanArrays(
        sizes=integers(2),
        lines=integers(lines),
        least=integers(lines),
        scoring=integers(3, lines),
        balancing=integers(2, 2),
        weights=integers(layout.WEIGHTS),
        relative=integers(2),
        adds=integers(2, lines),
        seen=integers(),
        is_open=np.zeros((plans, nodes), np.bool_),
        fixed=integers(nodes),
        feasible=np.zeros((plans, nodes), np.bool_),
        totals=integers(nodes),
        raw=np.zeros((0, nodes), np.int64),
    )
