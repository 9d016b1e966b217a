from __future__ import annotations

import importlib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.controllers.kwok import queries, requirements
from kubestage.controllers.kwok.stage_types import SelectorJq

jq: Any = importlib.import_module("jq")

_values = st.recursive(
    st.none() | st.booleans() | st.integers(0, 2) | st.sampled_from(["", "x", "Ready"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["a", "b", "type"]), inner, max_size=3)
    ),
    max_leaves=10,
)
_steps = st.sampled_from([".a", ".b", '["a"]', ".[]", "[]", "[0]", "[-1]", ".type"])
_stages = st.lists(_steps, max_size=3).map(lambda steps: ("." + "".join(steps)).replace("..", "."))
_selects = st.sampled_from(
    ['select(.type == "Ready")', "select( .a != 1 )", "select(.a==true)", "select(.b == null)"]
)
_expressions = st.lists(_stages | _selects, min_size=1, max_size=3).map(" | ".join)


def _by_jq(expression: str, value: Any) -> list[Any] | None:
    try:
        found = jq.compile(expression).input_value(value).all()
    except ValueError:
        return None
    return [each for each in found if each is not None]


@given(_expressions, _values)
def test_the_quick_way_answers_what_jq_answers(expression: str, value: Any) -> None:
    answer = queries.ask(expression, value)
    expected = _by_jq(expression, value)
    if expected is None or answer is None:
        assert answer == expected
    else:
        # jq lists the parts of a map as they were written, KWOK's jq by name.
        assert sorted(map(repr, answer)) == sorted(map(repr, expected))


@pytest.mark.parametrize(
    "expression",
    [
        ".metadata.deletionTimestamp",
        '.metadata.labels["a/b.c"]',
        '.status.conditions.[] | select( .type == "Ready" ) | .status',
        ".status.containerStatuses.[].state.running.startedAt",
        ".spec.containers[0].name",
        '."odd name"',
        ".",
    ],
)
def test_common_expressions_need_no_jq(expression: str) -> None:
    assert queries.read(expression) is not None


@pytest.mark.parametrize(
    "expression", [".a + 1", ".a, .b", "length", ".a?", "if . then 1 else 2 end", ".[1:2]", "..",
                   '"\\(.a)"', 'select(.a == "x" and .b)', ".a as $x | $x"],
)  # fmt: skip
def test_all_else_is_left_to_jq(expression: str) -> None:
    assert queries.read(expression) is None


@pytest.mark.parametrize(
    ("operator", "key", "values", "expected"),
    [
        ("In", ".phase", ["Running", "Pending"], True),
        ("In", ".none", ["x"], False),
        ("In", ".list.[]", ["b"], True),
        ("In", ".list", ["a"], False),
        ("In", ".yes", ["true"], True),
        ("In", ".number", ["3"], False),
        ("In", ".list | length", ["2"], True),
        ("NotIn", ".phase", ["Running"], False),
        ("NotIn", ".none.[]", ["x"], True),
        ("NotIn", ".none", ["x"], True),
        ("Exists", ".phase", None, True),
        ("Exists", ".empty", None, True),
        ("Exists", ".none", None, False),
        ("Exists", ".phase.[]", None, False),
        ("DoesNotExist", ".none", None, True),
        ("DoesNotExist", ".phase.x", None, True),
        ("DoesNotExist", ".list", None, False),
    ],
)
def test_a_requirement_holds_as_in_kwok(
    operator: str, key: str, values: list[str] | None, expected: bool
) -> None:
    obj = {"phase": "Running", "list": ["a", "b"], "yes": True, "number": 3, "empty": ""}
    requirement = SelectorJq(key=key, operator=operator, values=values)
    assert requirements.meets(requirement, obj) is expected
