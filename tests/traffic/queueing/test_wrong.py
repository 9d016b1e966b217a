"""A queue that works otherwise than it should does not pass: the intervals are narrow enough."""

from __future__ import annotations

import pytest

from kubestage.traffic.fast.compiling import COMPILED
from tests.traffic.queueing import wrong


@pytest.mark.parametrize("title", wrong.WRONG)
def test_what_works_otherwise_does_not_pass(title: str) -> None:
    if not COMPILED.load():
        pytest.skip("without a compiled kernel there are too few requests to tell")
    verdict = wrong.judge(wrong.WRONG[title])
    assert not verdict.is_inside, str(verdict)
