"""One evaluation of an expression: what it has cost so far."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from kubestage.errors import KubestageError

CANCELLED: Final = "operation cancelled: actual cost limit exceeded"


class CostExceeded(KubestageError):
    """An evaluation cost more than it may."""


class Run:
    """The cost of one evaluation."""

    __slots__ = ("cost", "limit")

    def __init__(self, limit: int) -> None:
        self.cost = 0
        self.limit = limit

    def spend(self, cost: int) -> None:
        """Add to the cost; `CostExceeded` if that is too much."""
        self.cost += cost
        if self.cost > self.limit:
            raise CostExceeded


class Result(NamedTuple):
    """A value or a `Failure`, what it cost, and whether that was too much."""

    value: Any
    cost: int
    is_too_much: bool = False
