from __future__ import annotations

import pytest

from kubestage.objects import labels
from kubestage.scheduler.selector_index import SelectorIndex, required_pair

SELECTORS = {
    text: labels.parse(text)
    for text in ("app=web", "app=db", "app in (web,db)", "tier,app=web", "!app", "")
}


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
    assert required_pair(labels.parse(text)) == pair


@pytest.mark.parametrize("found", [{"app": "web"}, {"app": "db", "tier": "a"}, {"tier": "a"}, {}])
def test_no_selector_that_matches_is_missed(found: dict[str, str]) -> None:
    index: SelectorIndex[str] = SelectorIndex()
    for text, selector in SELECTORS.items():
        index.add(selector, text)
    candidates = index.candidates(found)
    assert len(candidates) == len(set(candidates))
    assert {text for text, selector in SELECTORS.items() if selector.matches(found)} <= set(
        candidates
    )


def test_selectors_for_another_value_are_not_tried() -> None:
    index: SelectorIndex[str] = SelectorIndex()
    index.add(SELECTORS["app=web"], "web")
    index.add(SELECTORS["app=db"], "db")
    assert index.candidates({"app": "web", "tier": "a"}) == ["web"]


def test_nothing_is_found_of_what_selects_nothing_or_was_removed() -> None:
    index: SelectorIndex[str] = SelectorIndex()
    index.add(labels.NOTHING, "nothing")
    assert not index
    for text, selector in SELECTORS.items():
        index.add(selector, text)
    assert index
    for text, selector in SELECTORS.items():
        index.remove(selector, text)
    index.remove(labels.NOTHING, "nothing")
    assert not index
    assert index.candidates({"app": "web"}) == []
