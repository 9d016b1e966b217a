"""Verdicts as arrays tell what a list of first rejections would."""

from __future__ import annotations

import hypothesis
import numpy as np
from hypothesis import strategies as st

from kubestage.scheduler.verdicts import NOBODY, Verdicts


@hypothesis.given(st.data(), st.integers(0, 8))
def test_the_first_to_reject_a_row_is_kept_with_its_code(data: st.DataObject, count: int) -> None:
    answers = data.draw(
        st.lists(st.lists(st.integers(0, 3), min_size=count, max_size=count), max_size=4)
    )
    verdicts = Verdicts(count)
    for place, codes in enumerate(answers):
        given = np.array(codes, np.int32)
        given.setflags(write=False)
        verdicts.reject(place, given)
    first = [
        next(((place, codes[at]) for place, codes in enumerate(answers) if codes[at]), None)
        for at in range(count)
    ]
    assert verdicts.rejecter.tolist() == [NOBODY if each is None else each[0] for each in first]
    assert verdicts.code.tolist() == [0 if each is None else each[1] for each in first]
    told = {
        at: (place, code) for place, code, rows in verdicts.rejections() for at in rows.tolist()
    }
    assert told == {at: each for at, each in enumerate(first) if each is not None}
    keys = [(place, code) for place, code, _ in verdicts.rejections()]
    assert keys == sorted(set(keys))


def test_verdicts_can_be_written_to_after_a_plugin_has_rejected() -> None:
    shared = np.array([1, 0], np.int32)
    verdicts = Verdicts(2)
    verdicts.reject(3, shared)
    verdicts.rejecter[1], verdicts.code[1] = 0, 7
    assert (verdicts.rejecter.tolist(), verdicts.code.tolist()) == ([3, 0], [1, 7])
    assert shared.tolist() == [1, 0]


def test_what_passes_follows_what_is_rejected_or_written_later() -> None:
    verdicts = Verdicts(4)
    verdicts.reject(0, np.array([1, 0, 0, 0], np.int32))
    assert (verdicts.passing.tolist(), verdicts.passing_count) == ([1, 2, 3], 3)
    verdicts.reject(1, np.array([0, 2, 0, 0], np.int32))
    assert verdicts.passing.tolist() == [2, 3]
    verdicts.rejecter[3] = 5
    assert (verdicts.passing.tolist(), verdicts.passing_count) == ([2], 1)
    assert verdicts.joined(Verdicts(1)).passing.tolist() == [2, 4]
