"""When a sweep has enough seeds: the goals of ``--until``, looked at after each batch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import wording
from kubestage.sweep.statistics import goals as goal_texts
from kubestage.sweep.statistics import sequential
from kubestage.sweep.statistics.sequential import More, Procedure

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.sweep.rows import Table
    from kubestage.sweep.statistics.goals import Goal


class Stopping:
    """Called with the table after each batch; returns how many seeds are to be added.

    `first` is the number of seeds that the sweep starts with: the first look is at them.
    """

    def __init__(self, goals: Sequence[Goal], first: int, most: int) -> None:
        start = first if first > 1 else sequential.FIRST
        self.procedure = Procedure(first=start, most=max(most, start))
        self.more: More | None = None
        """What the last look has shown."""
        self._goals = tuple(goals)
        self._seeds = 0

    def __call__(self, table: Table) -> int:
        """Look at the results."""
        goals = goal_texts.checked(self._goals, table.measures)
        self.more = sequential.needs_more(table, goals, self.procedure)
        self._seeds = len({row.seed for row in table.rows})
        return self.more.seeds

    @property
    def looks(self) -> int:
        """How often results were looked at, for the level of a report."""
        return 0 if self.more is None else self.more.look

    def notes(self) -> list[str]:
        """What came of it, in words."""
        if self.more is None:
            return []
        seeds, look = wording.plural(self._seeds, "seed"), wording.plural(self.looks, "look")
        if self.more.is_met:
            texts = " and ".join(each.text for each in self._goals)
            found = [f"{texts}: met with {seeds}, after {look}"]
        else:
            found = [f"{each}, with {seeds} (--max-seeds)" for each in self.more.open]
        return [*found, *(f"{each}: nothing to wait for" for each in self.more.hopeless)]
