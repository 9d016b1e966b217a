from __future__ import annotations

import hypothesis
import numpy as np
from hypothesis import strategies as st

from kubestage.scheduler.distinct_values import distinct


@hypothesis.given(st.lists(st.integers(-3, 3) | st.integers(-(2**63), 2**63 - 1)))
def test_each_value_is_there_once_and_in_order(values: list[int]) -> None:
    assert distinct(np.array(values, np.int64)).tolist() == sorted(set(values))
