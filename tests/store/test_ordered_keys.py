from __future__ import annotations

import pickle

from hypothesis import given
from hypothesis import strategies as st

from kubestage.store.ordered_keys import OrderedKeys


@given(st.lists(st.tuples(st.sampled_from("abcdefgh"), st.booleans())))
def test_reads_what_a_sorted_set_would_hold(steps: list[tuple[str, bool]]) -> None:
    keys, model = OrderedKeys(), set[str]()
    for key, read in steps:
        if key in model:
            model.remove(key)
            keys.remove(key)
        else:
            model.add(key)
            keys.add(key)
        assert len(keys) == len(model)
        if read:
            assert keys.read() == sorted(model)
    assert keys.read() == sorted(model)


def test_a_list_that_was_handed_out_does_not_change() -> None:
    keys = OrderedKeys()
    keys.add("b")
    before = keys.read()
    keys.add("a")
    keys.remove("b")
    assert keys.read() == ["a"]
    assert before == ["b"]


@given(st.lists(st.tuples(st.integers(0, 300), st.booleans()), min_size=200, max_size=600))
def test_keys_that_went_unread_do_not_come_back(steps: list[tuple[int, bool]]) -> None:
    """Many come and go before anybody asks."""
    keys, model = OrderedKeys(), set[str]()
    for number, stays in steps:
        key = f"{number:03d}"
        if key not in model:
            model.add(key)
            keys.add(key)
        if not stays:
            model.remove(key)
            keys.remove(key)
        assert len(keys) == len(model)
    assert keys.read() == sorted(model)


def test_churn_leaves_nothing_behind() -> None:
    keys = OrderedKeys()
    for number in range(10_000):
        keys.add(f"key-{number}")
        keys.remove(f"key-{number}")
    assert len(pickle.dumps(keys)) < 10_000
