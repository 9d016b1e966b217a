from __future__ import annotations

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
