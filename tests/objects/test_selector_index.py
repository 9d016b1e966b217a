"""Selectors are found by what they ask for, and none is missed."""

from __future__ import annotations

import hypothesis
import pytest
from hypothesis import strategies as st

from kubestage.objects import labels
from kubestage.objects.selector_index import SelectorIndex, required_pairs

SELECTORS = {
    text: labels.parse(text)
    for text in ("app=web", "app=db", "app in (web,db)", "tier,app=web", "!app", "")
}
_TEXTS = ("app=a", "app in (a,b)", "app=b,tier=x", "tier", "!tier", "tier!=x,app=c", "app==c", "")
_HELD: tuple[dict[str, str], ...] = (
    {"app": "a"},
    {"app": "b", "tier": "x"},
    {"app": "c", "tier": "y"},
    {"tier": "x"},
    {},
)


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("app=web", ("app", "web")),
        ("app in (web)", ("app", "web")),
        ("app in (web,db)", None),
        ("app!=web", None),
        ("!app", None),
        ("app notin (db),tier==a", ("tier", "a")),
    ],
)
def test_the_pair_is_one_that_all_selected_labels_have(
    text: str, pair: tuple[str, str] | None
) -> None:
    assert next(required_pairs(labels.parse(text)), None) == pair


@pytest.mark.parametrize("found", [{"app": "web"}, {"app": "db", "tier": "a"}, {"tier": "a"}, {}])
def test_no_selector_that_matches_is_missed(found: dict[str, str]) -> None:
    index: SelectorIndex[str] = SelectorIndex()
    for text, selector in SELECTORS.items():
        index.put(text, selector)
    candidates = index.candidates(found)
    assert len(candidates) == len(set(candidates))
    assert {text for text, selector in SELECTORS.items() if selector.matches(found)} <= set(
        candidates
    )


def test_selectors_for_another_value_are_not_tried() -> None:
    index: SelectorIndex[str] = SelectorIndex()
    index.put("web", SELECTORS["app=web"])
    index.put("db", SELECTORS["app=db"])
    assert index.candidates({"app": "web", "tier": "a"}) == ["web"]


def test_nothing_is_found_of_what_selects_nothing_or_was_removed() -> None:
    index: SelectorIndex[str] = SelectorIndex()
    index.put("nothing", labels.NOTHING)
    assert not index
    for text, selector in SELECTORS.items():
        index.put(text, selector)
    assert index
    for text in (*SELECTORS, "nothing"):
        index.drop(text)
    assert not index
    assert index.candidates({"app": "web"}) == []


@hypothesis.given(st.lists(st.tuples(st.sampled_from("xyz"), st.sampled_from((*_TEXTS, None)))))
def test_what_matches_is_found_as_by_trying_all(steps: list[tuple[str, str | None]]) -> None:
    index: SelectorIndex[str] = SelectorIndex()
    plain: dict[str, labels.Selector] = {}
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
    index: SelectorIndex[str] = SelectorIndex()
    index.put("x", labels.NOTHING)
    assert list(index.selectors) == ["x"]
    assert not index.matching({})
    index.put("x", labels.EVERYTHING)
    assert index.matching({}) == ["x"]
