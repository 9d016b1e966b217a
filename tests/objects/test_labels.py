"""Label selectors: recorded cases, and what holds for every selector."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import labels
from kubestage.objects.labels import Requirement, SelectorError
from tests.golden import vectors

if TYPE_CHECKING:
    import random

KEYS = st.sampled_from(("app", "tier", "x.io/y", "in", "n"))
VALUES = st.sampled_from(("", "web", "db", "10", "-3", "notin"))
LABELS = st.dictionaries(KEYS, st.sampled_from(("", "web", "db", "10", "5", "99")), max_size=4)


@st.composite
def requirement_texts(draw: st.DrawFn) -> str:
    key = draw(KEYS)
    form = draw(st.sampled_from(("{k}", "!{k}", "{k}={v}", "{k}=={v}", "{k}!={v}", "{k} in ({s})",
                                 "{k} notin ({s})", "{k}>{n}", "{k}<{n}")))  # fmt: skip
    values = [value for value in draw(st.lists(VALUES, min_size=1, max_size=3)) if value != "-3"]
    number = draw(st.integers(-20, 20).filter(lambda number: number >= 0))
    return form.format(k=key, v=(values or [""])[0], s=",".join(values), n=number)


SELECTORS = st.lists(requirement_texts(), max_size=4).map(",".join)


def _parsed(selector: labels.Selector) -> dict[str, Any]:
    return {
        "empty": selector.empty,
        "selectable": selector.selectable,
        "requirements": [
            {
                "key": item.key,
                "operator": item.operator,
                "string": str(item),
                "values": sorted(set(item.values)),
            }
            for item in selector.requirements
        ],
    }


def _answer(op: str, given_in: dict[str, Any]) -> Any:
    sets = given_in.get("labelSets", ())
    if op == "parseToLabelSelector":
        return labels.parse_to_label_selector(given_in["selector"])
    if op == "validatedSetSelector":
        selector = labels.validated_selector_from_set(given_in["set"])
        extra: dict[str, Any] = {"formatLabels": labels.format_labels(given_in["set"])}
    elif op == "labelSelector":
        selector = labels.from_label_selector(given_in["labelSelector"])
        shown = labels.format_label_selector(given_in["labelSelector"])
        extra = {"format": shown, "parsed": _parsed(selector)}
    else:
        selector = labels.parse(given_in["selector"])
        extra = {"parsed": _parsed(selector)}
    matches = [selector.matches(item) for item in sets]
    return {"matches": matches, "string": str(selector), **extra}


@pytest.mark.parametrize(
    "op", ["labels.Parse", "labelSelector", "parseToLabelSelector", "validatedSetSelector"]
)
def test_recorded_selectors_agree_with_the_api(op: str) -> None:
    wrong = []
    entries = vectors.load("selectors", op)
    for entry in entries:
        try:
            answer = {"out": _answer(op, entry["in"])}
        except SelectorError as error:
            answer = {"error": str(error)}
        if answer != {key: entry[key] for key in ("out", "error") if key in entry}:
            wrong.append(entry["id"])
    assert entries
    assert not wrong


@given(SELECTORS)
def test_text_survives_a_round_trip(text: str) -> None:
    selector = labels.parse(text)
    assert labels.parse(str(selector)) == selector


@given(st.lists(requirement_texts(), max_size=4), LABELS, st.randoms(use_true_random=False))
def test_the_order_of_requirements_does_not_matter(
    items: list[str], given_labels: dict[str, str], shuffler: random.Random
) -> None:
    shuffled = list(items)
    shuffler.shuffle(shuffled)
    first, second = labels.parse(",".join(items)), labels.parse(",".join(shuffled))
    assert first.matches(given_labels) == second.matches(given_labels)


@given(SELECTORS, LABELS)
def test_object_and_text_select_the_same(text: str, given_labels: dict[str, str]) -> None:
    selector = labels.parse(text)
    try:
        as_object = labels.parse_to_label_selector(text)
    except SelectorError:
        return
    # Two exact values for one key cannot both be kept in an object.
    keys = [item.key for item in selector.requirements if item.operator in ("=", "==")]
    if len(keys) == len(set(keys)):
        again = labels.from_label_selector(as_object)
        assert again.matches(given_labels) == selector.matches(given_labels)


@given(LABELS)
def test_a_set_selects_itself(given_labels: dict[str, str]) -> None:
    selector = labels.selector_from_set(given_labels)
    assert selector.matches(given_labels)
    assert selector == labels.validated_selector_from_set(given_labels)
    for key, value in given_labels.items():
        assert selector.requires_exact_match(key) == value


@given(SELECTORS, requirement_texts(), LABELS)
def test_adding_a_requirement_means_and(
    text: str, extra: str, given_labels: dict[str, str]
) -> None:
    selector, added = labels.parse(text), labels.parse(extra)
    both = selector.add(*added.requirements)
    assert both.matches(given_labels) == (
        selector.matches(given_labels) and added.matches(given_labels)
    )


def test_nothing_stays_nothing() -> None:
    assert not labels.NOTHING.matches({})
    assert labels.NOTHING.add(Requirement("a", "exists")) is labels.NOTHING
    assert not labels.NOTHING.empty


def test_everything_is_empty_and_matches() -> None:
    assert labels.EVERYTHING.empty
    assert labels.EVERYTHING.matches({"a": "b"})
    assert labels.from_label_selector({}) is labels.EVERYTHING


def test_an_exact_match_needs_one_value_and_an_equality() -> None:
    selector = labels.parse("a in (x,y),b in (z),c!=d,e")
    assert [selector.requires_exact_match(key) for key in "abcez"] == [None, "z", None, None, None]


def test_several_problems_are_reported_together_and_once() -> None:
    expressions = [{"key": "a b", "operator": "In", "values": ["-", "-"]}]
    with pytest.raises(SelectorError) as caught:
        labels.from_label_selector({"matchExpressions": expressions})
    assert str(caught.value).startswith('[key: Invalid value: "a b": name part must consist of')
    assert len(caught.value.problems) == 3


def test_a_nul_ends_a_word_and_alone_the_selector() -> None:
    assert str(labels.parse("a=b\0,c")) == "a=b,c"
    assert str(labels.parse("a=b \0,c")) == "a=b"


def test_a_selector_can_be_pickled_and_hashed() -> None:
    selector = labels.parse("a in (x,y),n>5")
    again = pickle.loads(pickle.dumps(selector))
    assert again == selector
    assert hash(again) == hash(selector)
    assert again.matches({"a": "x", "n": "6"})
