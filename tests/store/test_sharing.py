from __future__ import annotations

import copy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kubestage.store.sharing import same, share

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["", "a", "b"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("xyz"), inner),
    max_leaves=12,
)


@given(JSON, JSON)
def test_sharing_changes_neither_meaning_nor_inputs(new: Any, old: Any) -> None:
    new_before, old_before = copy.deepcopy(new), copy.deepcopy(old)
    assert same(share(new, old), new_before)
    assert same(new, new_before)
    assert same(old, old_before)


@given(JSON)
def test_an_equal_value_is_the_old_one_itself(value: Any) -> None:
    assert share(copy.deepcopy(value), value) is value


def test_equal_parts_are_the_old_parts() -> None:
    old: dict[str, Any] = {
        "spec": {"a": [1, 2]},
        "status": {"x": {"deep": [1]}, "y": 1},
        "list": [{"k": 1}],
    }
    new = copy.deepcopy(old)
    new["status"]["y"] = 2
    new["list"].append({"k": 2})
    shared = share(new, old)
    assert shared["spec"] is old["spec"]
    assert shared["status"]["x"] is old["status"]["x"]
    assert shared["list"][0] is old["list"][0]
    assert shared["list"] == [{"k": 1}, {"k": 2}]


def test_true_is_not_one() -> None:
    assert share({"a": True}, {"a": 1})["a"] is True
    assert not same(1, 1.0)
