from __future__ import annotations

import numpy as np
import pytest

from kubestage.scheduler.quick.row_log import RowLog


@pytest.mark.parametrize("position", [-1, 0, 3, 1020, 1030, 2047, 2048, 2055, 2060])
def test_the_rows_that_are_marked_are_those_that_changed_since(position: int) -> None:
    log = RowLog(7)
    for number in range(2060):
        log.note(number * 5 % 7 if number < 2040 else number % 3)
    is_changed = np.zeros(7, np.bool_)
    assert log.mark(position, is_changed) == log.count == 2060
    assert np.flatnonzero(is_changed).tolist() == sorted(set(log.since(position).tolist()))
    if position == 2055:
        assert is_changed[:3].all()
        assert not is_changed[3:].any()
