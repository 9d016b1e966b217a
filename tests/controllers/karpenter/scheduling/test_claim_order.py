"""The order of future nodes is that of Go's sort, also where it is kept up without one."""

from __future__ import annotations

from typing import Any, cast

from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.karpenter.scheduling.claim_order import ClaimOrder
from kubestage.golang import sort


class _Claim:
    def __init__(self, number: int) -> None:
        self.number = number
        self.count = 1


@given(st.lists(st.one_of(st.none(), st.floats(0, 0.999)), max_size=400), st.integers(0, 80))
def test_nodes_are_ordered_as_go_orders_them(moves: list[float | None], begin: int) -> None:
    order, claims = ClaimOrder(), list[Any]()
    for move in [*([None] * begin), *moves]:
        order.restore()
        claims = sort.in_order(claims, lambda one, other: one.count < other.count)
        assert order.claims == claims
        if move is None or not claims:
            claim = _Claim(len(claims))
            claims.append(claim)
            order.append(cast("Any", claim))
        else:
            position = int(move * len(claims))
            claims[position].count += 1
            order.gained(position)
