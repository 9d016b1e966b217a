from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.scheduler import alike_rows

_LIMIT = 1 << 62
_numbers = st.one_of(
    st.integers(0, 2),
    st.integers(-3, 200),
    st.sampled_from([0, 1 << 30, 1 << 31, 1 << 32]),
    st.sampled_from([k << 58 for k in range(-15, 16)]),
    st.integers(-_LIMIT, _LIMIT),
)


@hypothesis.given(st.data(), st.integers(0, 30), st.integers(0, 5))
def test_rows_are_of_one_sort_if_they_are_the_same_in_all_columns(
    data: st.DataObject, count: int, width: int
) -> None:
    columns = [data.draw(st.lists(_numbers, min_size=count, max_size=count)) for _ in range(width)]
    parts = [np.array(column, np.int64) for column in columns]
    firsts, sorts = alike_rows.alike(parts, count)
    rows = list(zip(*columns, strict=True)) if columns else [()] * count
    assert [rows[firsts[sort]] for sort in sorts.tolist()] == rows
    assert len(firsts) == len(set(rows))
    assert sorted(set(sorts.tolist())) == list(range(len(firsts)))


@pytest.mark.parametrize("bits", [(60,), (30, 30), (20, 20, 20), (31, 29)])
def test_numbers_that_are_too_large_together_are_told_apart(bits: tuple[int, ...]) -> None:
    ranks = np.arange(32)
    wide = [np.where(ranks == 1, (1 << each) - 1, 0) for each in bits]
    firsts, _ = alike_rows.alike([ranks, *wide], len(ranks))
    assert firsts.tolist() == ranks.tolist()
