from __future__ import annotations

import pickle
import sys
from typing import Any

import hypothesis.strategies as st
from hypothesis import given

from kubestage.store.outlines import outline

FIELDS = st.dictionaries(st.text(max_size=5), st.integers() | st.text(max_size=3), max_size=40)


@given(FIELDS, FIELDS, st.lists(st.text(max_size=5), max_size=5))
def test_a_copy_is_a_dict_like_any_other(
    fields: dict[str, Any], written: dict[str, Any], removed: list[str]
) -> None:
    copy, twin = outline(fields).copy(), dict(fields)
    assert type(copy) is dict
    for changed in (copy, twin):
        changed.update(written)
        for name in removed:
            changed.pop(name, None)
    assert list(copy.items()) == list(twin.items())
    assert pickle.loads(pickle.dumps(copy)) == twin


@given(FIELDS, FIELDS)
def test_copies_and_their_outline_change_apart(
    fields: dict[str, Any], written: dict[str, Any]
) -> None:
    original = outline(fields)
    one, other = original.copy(), original.copy()
    one.update(written)
    assert list(original.items()) == list(other.items()) == list(fields.items())


def test_a_field_may_have_any_name() -> None:
    fields = {"__class__": "x", "__dict__": 1, "": 2, "copy": 3}
    assert outline(fields).copy() == fields


def test_outlines_of_the_same_fields_keep_their_own_values() -> None:
    one, other = outline({"a": 1, "b": 2}), outline({"a": 3, "b": 4})
    assert (one, other) == ({"a": 1, "b": 2}, {"a": 3, "b": 4})


def test_keys_are_kept_once_for_all_copies() -> None:
    fields = dict.fromkeys(map(str, range(14)))
    copy = outline(fields).copy()
    assert sys.getsizeof(copy) < sys.getsizeof(fields) / 2
    copy["3"] = "another"
    copy["14"] = "one more"
    assert sys.getsizeof(copy) < sys.getsizeof(fields) / 2


def test_a_dict_with_very_many_keys_is_no_larger_than_a_plain_one() -> None:
    for count in (20, 28, 29, 30, 31, 60):
        fields = dict.fromkeys(map(str, range(count)))
        assert sys.getsizeof(outline(fields).copy()) <= sys.getsizeof(fields)


@given(FIELDS, st.permutations(["x", "y", "z"]), st.integers(0, 3))
def test_optional_fields_come_in_any_order(
    fields: dict[str, Any], optional: list[str], count: int
) -> None:
    copy, twin = outline(fields, ("x", "y", "z")).copy(), dict(fields)
    for changed in (copy, twin):
        for name in optional[:count]:
            changed[name] = name
    assert list(copy.items()) == list(twin.items())


def test_a_dict_with_optional_fields_is_small() -> None:
    fields = dict.fromkeys("abcdefghijk")
    copy = outline(fields, ("x", "y")).copy()
    copy["y"] = copy["x"] = 1
    assert sys.getsizeof(copy) < sys.getsizeof({**fields, "x": 1, "y": 1}) / 2
