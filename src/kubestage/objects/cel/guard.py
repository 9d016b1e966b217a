"""Compiled expressions that are refused where they could cost too much."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.errors import LimitExceeded
from kubestage.objects.cel import costs

if TYPE_CHECKING:
    from collections.abc import Mapping


class Guarded:
    """A compiled expression, and the sizes of data for which its cost is known."""

    def __init__(self, program: Any) -> None:
        self._program = program
        self._serialized: bytes = program.serialize()
        # NOTE: nearly all expressions are of these two kinds, and need not measure their data.
        self._is_cheap = costs.is_plain(self._serialized) or costs.is_affordable(
            self._serialized, costs.LARGEST_OBJECT
        )
        self._affordable: dict[int, bool] = {}
        self._most_costs: dict[int, float] = {}

    def eval(self, data: Mapping[str, Any]) -> tuple[str, Any]:
        """The type and the value of the expression; `LimitExceeded` if it could cost too much."""
        if not self._is_cheap:
            # Sizes are rounded up, so that few of them are to be looked at.
            bits = costs.size_of(list(data.values())).bit_length()
            known = self._affordable.get(bits)
            if known is None:
                known = self._affordable[bits] = costs.is_affordable(self._serialized, 1 << bits)
            if not known:
                raise LimitExceeded(costs.TOO_COSTLY)
        result = self._program.eval(data=data)
        return result.type().name(), result.plain_value()

    def most_cost(self, data_size: int) -> float:
        """What an evaluation on data of a size can cost at most, as the API server counts it."""
        bits = data_size.bit_length()
        known = self._most_costs.get(bits)
        if known is None:
            known = self._most_costs[bits] = costs.most_cost(self._serialized, 1 << bits)
        return known
