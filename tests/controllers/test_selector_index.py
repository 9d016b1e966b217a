"""Selectors are found by what they ask for, and none is missed."""

from __future__ import annotations

import hypothesis
from hypothesis import strategies as st

from kubestage.controllers.selector_index import SelectorIndex
from kubestage.objects import labels

_TEXTS = ("app=a", "app in (a,b)", "app=b,tier=x", "tier", "!tier", "tier!=x,app=c", "app==c", "")
_HELD: tuple[dict[str, str], ...] = (
    {"app": "a"},
    {"app": "b", "tier": "x"},
    {"app": "c", "tier": "y"},
    {"tier": "x"},
    {},
)


@hypothesis.given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from((*_TEXTS, None)))))
def test_what_matches_is_found_as_by_trying_all(steps: list[tuple[str, str | None]]) -> None:
    index, plain = SelectorIndex(), {}
    for key, text in steps:
        if text is not None:
            plain[key] = labels.parse(text)
            index.put(key, plain[key])
        elif key in plain:
            index.drop(key)
            del plain[key]
    for held in _HELD:
        expected = {key for key, selector in plain.items() if selector.matches(held)}
        found = index.matching(held)
        assert len(found) == len(expected)
        assert set(found) == expected


def test_what_selects_nothing_is_known_and_matches_nothing() -> None:
    index = SelectorIndex()
    index.put("x", labels.NOTHING)
    assert list(index.selectors) == ["x"]
    assert not index.matching({})
    index.put("x", labels.EVERYTHING)
    assert index.matching({}) == ["x"]
