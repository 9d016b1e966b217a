"""A plugin that checks all nodes at once: cheap ones first, expensive ones not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage.scheduler.framework import MAX_NODE_SCORE, SKIP, SUCCESS, Status, unschedulable

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.framework import Codes, Columns, CycleState, Ints, Rows
    from kubestage.scheduler.handle import Handle

LIMIT = "example.com/max-cents-per-hour"


class CheapestNode:
    """Reads prices from a label of nodes, and a pod's maximum price from an annotation."""

    name = "CheapestNode"

    def __init__(self, args: dict[str, Any], handle: Handle) -> None:
        self.label: str = args["label"]

    def pre_filter(
        self, state: CycleState, pod: PodView, columns: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        if LIMIT not in pod.annotations:
            return SKIP, None
        state[self.name] = int(pod.annotations[LIMIT])
        return SUCCESS, None

    def filter(self, state: CycleState, pod: PodView, columns: Columns, rows: Rows) -> Codes:
        too_expensive = self._prices(columns)[rows] > int(state[self.name])
        return too_expensive.astype(np.int32)

    def status(self, state: CycleState, pod: PodView, code: int) -> Status:
        return unschedulable("node(s) cost more than the pod may pay")

    def score(self, state: CycleState, pod: PodView, columns: Columns, rows: Ints) -> Ints:
        return self._prices(columns)[rows]

    def normalize(
        self, state: CycleState, pod: PodView, scores: Ints, columns: Columns, rows: Ints
    ) -> Ints:
        return MAX_NODE_SCORE - scores * MAX_NODE_SCORE // max(int(scores.max()), 1)

    def _prices(self, columns: Columns) -> Ints:
        """The price of every node, computed again only when a node changes."""
        return columns.derived((self.name, self.label), self._read_prices)

    def _read_prices(self, columns: Columns) -> Ints:
        column = columns.label(self.label)
        # A node without the label has the code -1, and so the last price: zero.
        prices = np.array([*map(int, column.values), 0], np.int64)
        return prices[column.codes]
