"""Requirements as sets of values: the algebra equals that of Python's sets."""

from __future__ import annotations

import operator as operator_functions
import pickle
from typing import TYPE_CHECKING, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.requirements import requirement

if TYPE_CHECKING:
    from kubestage.controllers.karpenter.requirements.requirement import Requirement

UNIVERSE = ("a", "b", "c", "1", "2", "3", "5", "8", "-1", "+2", "007", "")

_values = st.lists(st.sampled_from(UNIVERSE), max_size=4)
_bound = st.sampled_from(["-2", "0", "1", "2", "3", "5", "9", "no number"])
_Stated: TypeAlias = "tuple[str, list[str]]"
_requirements: st.SearchStrategy[_Stated] = st.one_of(
    st.tuples(st.sampled_from(["In", "NotIn"]), _values),
    st.tuples(st.sampled_from(["Exists", "DoesNotExist"]), st.just([])),
    st.tuples(st.sampled_from(["Gt", "Lt", "Gte", "Lte"]), st.tuples(_bound).map(list)),
)


def _new(stated: tuple[str, list[str]]) -> Requirement:
    return requirement.new("key", stated[0], stated[1])


def _allowed(stated: tuple[str, list[str]]) -> set[str]:
    """The values of the universe that a requirement allows, from its definition."""
    operator, values = stated
    if operator in ("In", "DoesNotExist"):
        return set(values)
    if operator == "NotIn":
        return set(UNIVERSE) - set(values)
    if operator == "Exists":
        return set(UNIVERSE)
    bound = 0 if values[0] == "no number" else int(values[0])
    compare = {
        "Gt": operator_functions.gt,
        "Lt": operator_functions.lt,
        "Gte": operator_functions.ge,
        "Lte": operator_functions.le,
    }[operator]
    numbers = {text: int(text) for text in UNIVERSE if text.lstrip("+-").isdigit()}
    return {text for text, number in numbers.items() if compare(number, bound)}


def _has(each: Requirement) -> set[str]:
    return {value for value in UNIVERSE if each.has(value)}


@given(_requirements)
def test_a_requirement_allows_what_its_operator_says(stated: tuple[str, list[str]]) -> None:
    assert _has(_new(stated)) == _allowed(stated)


@given(_requirements, _requirements)
def test_an_intersection_allows_what_both_allow(
    one: tuple[str, list[str]], other: tuple[str, list[str]]
) -> None:
    both = _new(one).intersection(_new(other))
    assert _has(both) == _allowed(one) & _allowed(other)
    assert both == _new(other).intersection(_new(one))
    assert both.intersection(both) == both


@given(st.lists(_requirements, min_size=3, max_size=3))
def test_the_order_of_intersections_does_not_matter(
    stated: list[tuple[str, list[str]]],
) -> None:
    one, two, three = map(_new, stated)
    first = one.intersection(two).intersection(three)
    second = one.intersection(two.intersection(three))
    assert _has(first) == _has(second)


@given(_requirements, _requirements)
def test_there_is_an_intersection_where_a_value_is_left(
    one: tuple[str, list[str]], other: tuple[str, list[str]]
) -> None:
    both = _new(one).intersection(_new(other))
    assert _new(one).has_intersection(_new(other)) is not both.is_empty


@given(_requirements)
def test_what_is_stated_reads_as_the_same(stated: tuple[str, list[str]]) -> None:
    before = _new(stated)
    rows = [requirement.of_json(row) for row in before.node_selector_requirements()]
    after = rows[0]
    for row in rows[1:]:
        after = after.intersection(row)
    assert _has(after) == _has(before)


@given(_requirements)
def test_requirements_survive_pickling(stated: tuple[str, list[str]]) -> None:
    assert pickle.loads(pickle.dumps(_new(stated))) == _new(stated)


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        (("In", ["b", "a"]), "key In [a b]"),
        (("NotIn", ["a"]), "key NotIn [a]"),
        (("Exists", []), "key Exists"),
        (("DoesNotExist", []), "key DoesNotExist"),
        (("Gt", ["5"]), "key Exists >=6"),
        (("Lt", ["5"]), "key Exists <=4"),
        (("Gte", ["5"]), "key Exists >=5"),
        (("Lte", ["5"]), "key Exists <=5"),
        (("In", list("abcdefg")), "key In [a b c d e and 2 others]"),
    ],
)
def test_a_requirement_is_shown_as_upstream(stated: tuple[str, list[str]], text: str) -> None:
    assert str(_new(stated)) == text


def test_bounds_with_excluded_values_are_shown_and_stated_as_upstream() -> None:
    both = requirement.new("k", "Gt", ["1"]).intersection(requirement.new("k", "Lt", ["9"]))
    holes = both.intersection(requirement.new("k", "NotIn", ["3", "a"]))
    assert str(holes) == "k NotIn [3] >=2 <=8"
    assert holes.node_selector_requirements() == [
        {"key": "k", "operator": "Gte", "values": ["2"]},
        {"key": "k", "operator": "Lte", "values": ["8"]},
    ]


def test_bounds_that_exclude_each_other_leave_nothing() -> None:
    none = requirement.new("k", "Gt", ["5"]).intersection(requirement.new("k", "Lt", ["5"]))
    assert none.operator == "DoesNotExist"
    assert requirement.new("k", "Gt", [str((1 << 63) - 1)]).operator == "DoesNotExist"


def test_the_higher_minimum_of_values_counts() -> None:
    few = requirement.new("k", "In", ["a", "b", "c"], 2)
    many = requirement.new("k", "Exists", (), 3)
    assert few.intersection(many).min_values == 3
    assert str(few) == "k In [a b c] minValues 2"
    assert few.node_selector_requirements()[0]["minValues"] == 2


def test_one_value_is_the_first_by_name_or_the_lower_bound() -> None:
    assert requirement.new("k", "In", ["b", "a"]).any() == "a"
    assert requirement.new("k", "Gt", ["5"]).any() == "6"
    assert requirement.new("k", "Exists", ()).any() == "0"
    assert requirement.new("k", "DoesNotExist", ()).any() == ""
    drawn = requirement.new("k", "Gte", ["5"]).intersection(requirement.new("k", "Lte", ["7"]))
    assert drawn.any(lambda low, high: low + high) == "13"


def test_labels_of_old_stand_for_their_successors() -> None:
    old = requirement.new("failure-domain.beta.kubernetes.io/zone", "In", ["z"])
    assert old.key == labels.ZONE
