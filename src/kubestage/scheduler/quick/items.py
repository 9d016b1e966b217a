"""The terms and constraints of a kind of pod, and those of others on it, for compiled code."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from kubestage.scheduler.plugins.spread_constraints import HOSTNAME_LABEL
from kubestage.scheduler.quick import layout
from kubestage.scheduler.quick.layout import (
    FIRST,
    LEAST,
    LINE,
    NO_COUNTER,
    OF_NODE,
    OWN,
    PRESENT,
    PRESENT_END,
    ROWS,
    ROWS_END,
    SIZE,
    SUMS,
    UNNAMED,
    WEIGHT,
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.scheduler.arrays import Ints
    from kubestage.scheduler.cells import PodCounter
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.plugins.spread_constraints import Spread
    from kubestage.scheduler.plugins.spread_domains import Domains
    from kubestage.scheduler.quick.layout import Slots

Item = list[int]


class Items:
    """The items of all kinds, as they are written one after the other."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._line_of: dict[str, int] = {}
        self._extra_at: dict[int, tuple[Any, int]] = {}
        self._extra: list[Ints] = []
        self._extra_count = 0
        self.all: list[Item] = []
        self.sums = 0
        self.most_values = 0

    @property
    def extra(self) -> Ints:
        """Domains and nodes that items refer to."""
        return np.concatenate((np.zeros(0, np.int64), *self._extra))

    @property
    def slots(self) -> Slots:
        """For each topology the slot of every node."""
        lines = [self._columns.label(key).codes for key in self._line_of]
        return np.array(lines, np.int32).reshape(-1, len(self._columns))

    def point_at(self, counters: Iterable[PodCounter]) -> None:
        """Items that only locate a counter."""
        self.weigh((counter, 0) for counter in counters)

    def weigh(self, counters: Iterable[tuple[PodCounter, int]]) -> None:
        """Items with a counter and its weight."""
        for counter, weight in counters:
            item = [0] * layout.FIELDS
            self._place(item, counter, counter.topology_key)
            item[WEIGHT] = weight
            self.all.append(item)

    def limit(self, spread: Spread, domains: Domains, is_own: bool) -> None:
        """An item for a hard constraint."""
        item = self._spread(spread, domains)
        item[OWN] = is_own
        item[LEAST] = spread.constraint.min_domains
        item[PRESENT], item[PRESENT_END] = self._refer(domains.present)
        self.all.append(item)

    def prefer(self, spread: Spread, domains: Domains) -> None:
        """An item for a soft constraint; pods per hostname are counted by node."""
        by_host = spread.topology_key == HOSTNAME_LABEL
        if by_host:
            item = [0] * layout.FIELDS
            counter = (
                None if spread.by_node is None else self._columns.counters.answer(spread.by_node)
            )
            self._place(item, counter, spread.topology_key)
            item[SUMS], item[WEIGHT] = -1, spread.constraint.max_skew
        else:
            item = self._spread(spread, domains)
        item[OWN] = by_host
        self.all.append(item)

    def _spread(self, spread: Spread, domains: Domains) -> Item:
        counters, item = self._columns.counters, [0] * layout.FIELDS
        counter = None
        if spread.by_node is not None and spread.by_domain is not None:
            counter = counters.answer(spread.by_domain if domains.are_plain else spread.by_node)
        self._place(item, counter, spread.topology_key)
        label = self._columns.label(spread.topology_key)
        item[SIZE] = len(label.values)
        item[UNNAMED] = label.code_of.get("", len(label.values))
        item[WEIGHT] = spread.constraint.max_skew
        item[SUMS] = -1
        if counter is not None and not domains.are_plain:
            item[SUMS] = self.sums
            self.sums += domains.size
            both = self._refer(domains.rows, domains.domain_of)
            item[ROWS], item[ROWS_END] = both
        return item

    def _place(self, item: Item, counter: PodCounter | None, topology_key: str | None) -> None:
        if topology_key is None:
            item[LINE] = OF_NODE
        else:
            item[LINE] = self._line_of.setdefault(topology_key, len(self._line_of))
            self.most_values = max(self.most_values, len(self._columns.label(topology_key).values))
        item[FIRST] = NO_COUNTER if counter is None else counter.first
        item[SIZE] = 0 if counter is None else counter.size

    def _refer(self, *numbers: Ints) -> tuple[int, int]:
        """Where numbers are among the extra ones; the same array is written down once."""
        known = self._extra_at.get(id(numbers[0]))
        if known is None:
            self._extra.extend(numbers)
            known = self._extra_at[id(numbers[0])] = numbers, self._extra_count
            self._extra_count += sum(map(len, numbers))
        first = known[1]
        return first, first + sum(map(len, numbers))
