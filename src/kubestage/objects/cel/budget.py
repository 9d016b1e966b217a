"""How much expressions may cost together, as the API server limits it.

What an evaluation costs is counted only where it could matter. Until then, what it can cost at most
counts; if that is too much together, all is done again and counted exactly.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeVar

from kubestage.errors import KubestageError
from kubestage.objects.cel.run import CANCELLED

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.objects.cel.run import Result

Found = TypeVar("Found")

CALL_LIMIT: Final = 1_000_000
"""What one evaluation may cost."""
LIMIT: Final = 10_000_000
"""What all evaluations for one object may cost, or those of one binding of a policy."""
CONDITIONS_LIMIT: Final = 2_500_000
"""What all conditions of one webhook or policy may cost."""


class BudgetExceeded(KubestageError):
    """Expressions cost more together than they may."""


class CallExceeded(KubestageError):
    """One expression costs more than it may."""

    def __init__(self) -> None:
        super().__init__(CANCELLED)


class CountingNeeded(KubestageError):
    """What expressions cost must be counted exactly."""


class Budget:
    """What is left for expressions: at least `left`, and more if less was spent than could be."""

    def __init__(self, limit: int = LIMIT, *, is_exact: bool = True) -> None:
        self.left = limit
        self.is_exact = is_exact
        self.is_over = False
        self._surely_spent = 0
        self._limit = limit

    def admits(self, most_cost: float) -> bool:
        """Whether an evaluation that costs so much at most needs no counting; it is paid for."""
        if self.is_exact or most_cost > CALL_LIMIT:
            return False
        self._pay(int(most_cost) + 1)
        return True

    def pay(self, result: Result) -> None:
        """Pay for an evaluation that was counted."""
        self._surely_spent += result.cost
        self._pay(result.cost)
        if result.is_too_much:
            self.is_over = True
            raise CallExceeded

    def _pay(self, cost: int) -> None:
        if cost <= self.left:
            self.left -= cost
        elif self.is_exact or self._surely_spent > self._limit:
            self.is_over = True
            raise BudgetExceeded
        else:
            raise CountingNeeded


def within(limit: int, work: Callable[[Budget], Found]) -> Found:
    """Do what evaluates expressions; it is done again if their costs must be counted."""
    try:
        return work(Budget(limit, is_exact=False))
    except CountingNeeded:
        return work(Budget(limit))
