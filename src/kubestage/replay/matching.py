"""Which of our objects stands for which recorded one, where names are random."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

A = TypeVar("A")
B = TypeVar("B")


def pair(
    wanted: Sequence[A], given: Sequence[B], distance: Callable[[A, B], int]
) -> list[tuple[A | None, B | None]]:
    """Pairs of which as many as possible are alike; what remains goes to its nearest, or alone."""
    costs = [[distance(want, got) for got in given] for want in wanted]
    taken: dict[int, int] = {}
    for row in range(len(wanted)):
        _place(row, costs, taken, set())
    partner = {row: column for column, row in taken.items()}
    rest = sorted(
        (cost, row, column)
        for row, line in enumerate(costs)
        for column, cost in enumerate(line)
        if row not in partner and column not in taken
    )
    for _, row, column in rest:
        if row not in partner and column not in taken:
            partner[row], taken[column] = column, row
    pairs: list[tuple[A | None, B | None]] = [
        (want, given[partner[row]] if row in partner else None) for row, want in enumerate(wanted)
    ]
    pairs.extend((None, got) for column, got in enumerate(given) if column not in taken)
    return pairs


def _place(row: int, costs: list[list[int]], taken: dict[int, int], tried: set[int]) -> bool:
    """Find a partner that is alike, if need be by giving another one's partner away."""
    for column, cost in enumerate(costs[row]):
        if cost or column in tried:
            continue
        tried.add(column)
        if column not in taken or _place(taken[column], costs, taken, tried):
            taken[column] = row
            return True
    return False
