"""How many more seeds a sweep needs: looks at results while they come in, at a level that holds.

Who looks after every batch and stops at the first good answer finds one too often. So each look
has a part of the probability of error, and the parts of all looks together are at most the whole:
look `k` has ``1 / (k * (k + 1))`` of it. Looks are at numbers of seeds that grow by half, so that
there are few of them.
"""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Final

import msgspec

from kubestage.sweep.statistics import comparisons
from kubestage.sweep.statistics.comparisons import ComparisonOptions

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from kubestage.sweep.rows import Table
    from kubestage.sweep.statistics.goals import Goal

FIRST: Final = 5
_SHOWN: Final = 3


class Procedure(msgspec.Struct, frozen=True, kw_only=True):
    """When to look, how sure to be, and when to give up.

    `first` is the number of seeds at the first look, `most` that after which no more are added.
    """

    first: int = FIRST
    growth: float = 1.5
    most: int = 1000
    comparison: ComparisonOptions = ComparisonOptions()

    def __post_init__(self) -> None:
        assert self.first >= 2, "one seed decides nothing"
        assert self.growth > 1

    def looks(self) -> Iterator[int]:
        """The numbers of seeds at which results are looked at."""
        seeds = self.first
        while True:
            yield seeds
            seeds = max(seeds + 1, math.ceil(seeds * self.growth))

    def look(self, seeds: int) -> int:
        """The number of the last look at or before so many seeds; 0 before the first."""
        return sum(1 for _ in itertools.takewhile(lambda each: each <= seeds, self.looks()))

    def level(self, look: int) -> float:
        """The confidence level of a look."""
        return level_of_look(self.comparison.level, look)


class More(msgspec.Struct, frozen=True, kw_only=True):
    """What is missing: how many seeds to add to every setting, and why.

    `seeds` is 0 if all goals are met, and also if no more are allowed: `open` has what is not.
    """

    seeds: int
    look: int
    level: float
    open: tuple[str, ...] = ()
    hopeless: tuple[str, ...] = ()
    """Settings of which no run has a value: nothing is expected of them."""

    @property
    def is_met(self) -> bool:
        """Whether every goal is met."""
        return not self.open


def level_of_look(level: float, look: int) -> float:
    """The level at which the intervals of a look are computed; that of the last look is kept."""
    return 1 - (1 - level) / (look * (look + 1)) if look else level


def needs_more(
    table: Table,
    goals: Sequence[Goal],
    procedure: Procedure = Procedure(),  # noqa: B008
) -> More:
    """How many seeds to add to every setting before the next look."""
    there = len({row.seed for row in table.rows})
    look = procedure.look(there)
    level = procedure.level(look)
    if not look:
        missing = f"{there} of {procedure.first} seeds for a first look"
        return More(seeds=procedure.first - there, look=0, level=level, open=(missing,))
    unmet, hopeless = _unmet(table, goals, procedure, level)
    seeds = 0
    if unmet:
        following = next(each for each in procedure.looks() if each > there)
        seeds = max(0, min(following, procedure.most) - there)
    return More(seeds=seeds, look=look, level=level, open=unmet, hopeless=hopeless)


def _unmet(
    table: Table, goals: Sequence[Goal], procedure: Procedure, level: float
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    options = msgspec.structs.replace(procedure.comparison, level=level)
    settings = table.settings()
    cells = comparisons.compare(table, list({each.measure: None for each in goals}), options)
    unmet: list[str] = []
    hopeless: dict[str, None] = {}
    for goal in goals:
        found: list[str] = []
        for setting, cell in zip(settings, cells[goal.measure], strict=True):
            name = named(setting.parameters)
            if not cell.sample.values:
                hopeless[f"{name}: no run has {goal.measure}"] = None
            elif not _is_met(goal, cell, table.measures[goal.measure].unit):
                found.append(name)
        if found:
            shown = "; ".join(found[:_SHOWN])
            more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
            unmet.append(f"{goal.text}: not at {shown}{more}")
    return tuple(unmet), tuple(hopeless)


def _is_met(goal: Goal, cell: comparisons.Cell, unit: str | None) -> bool:
    if goal.limit is None:
        return cell.verdict is None or cell.verdict.is_decided
    mean, reach = cell.estimate.mean, cell.estimate.half_width
    if mean is None or reach is None:
        return False
    # All values the same: there is no interval, and nothing that more seeds would narrow.
    return not reach or reach < goal.reach(mean, unit)


def named(parameters: dict[str, str | int | float | bool | None]) -> str:
    """A setting in words: ``nodes=10, config=a.yaml``."""
    return ", ".join(f"{name}={value}" for name, value in parameters.items()) or "the base"
