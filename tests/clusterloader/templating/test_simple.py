"""The vision's simple templates beside Go's."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.clusterloader.templating import simple
from kubestage.clusterloader.templating.draws import Draws
from kubestage.errors import InputError
from tests.clusterloader.templating.cases import Zeros, objects, rendered

DRAWS = Draws(random.Random(1))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("N", 7),
        ("i", 7),
        ("N+i%5", 9),
        ("(N+i)%5", 4),
        ("N%4%2", 1),
        ("N+1+2", 10),
        ("10%N+1", 4),
        ("( ( N ) )", 7),
        (" N + 3 ", 10),
        ("RAND%1+5", 5),
        ("3+RAND()%1", 3),
        ("RAND ( ) % 1", 0),
    ],
)
def test_a_remainder_is_taken_before_a_sum_and_both_from_left_to_right(
    expression: str, value: int
) -> None:
    assert simple.evaluated(expression, 7, DRAWS) == value


@pytest.mark.parametrize(
    "text",
    [
        "{{ 5 }}",
        "{{.N}}",
        "{{ +5 }}",
        "{{ N+ }}",
        "{{ (N }}",
        "{{ N N }}",
        "{{ NAN }}",
        "{ N }",
        "{{}}",
    ],
)
def test_anything_else_is_left_to_go(text: str) -> None:
    assert simple.translated(text) == text


def test_simple_and_go_templates_stand_in_one_file() -> None:
    text = (
        "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{.Name}}\n"
        "data:\n  a: secret-{{ N+i%5 }}\n  b: '{{ RAND%3+5 }}'\n  c: {{AddInt .Index 1}}\n"
    )
    (found,) = objects(text, Name="x-7", Index=7)
    assert found["data"]["a"] == "secret-9"
    assert found["data"]["b"] in ("5", "6", "7")
    assert found["data"]["c"] == 8


def test_marks_that_trim_space_work_too() -> None:
    assert rendered("a: {{- N -}}  \nb", Zeros(), Index=3) == "a:3b"


def test_the_number_is_the_objects_also_where_the_dot_is_another() -> None:
    assert rendered("{{range Loop 2}}{{ N }},{{end}}", Index=4) == "4,4,"


def test_a_number_is_asked_for_where_there_is_no_object() -> None:
    with pytest.raises(InputError, match="N is known in object templates only"):
        rendered("x: {{ N }}")


def test_a_division_by_zero_is_an_error() -> None:
    with pytest.raises(InputError, match="integer divide by zero"):
        rendered("x: {{ 5%N }}", Index=0)


OPERANDS = st.one_of(st.integers(1, 99).map(str), st.sampled_from(("N", "i")))
EXPRESSIONS = st.recursive(
    OPERANDS,
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from("+%"), inner).map("".join), inner.map("({})".format)
    ),
    max_leaves=8,
)


@given(EXPRESSIONS, st.integers(1, 500))
def test_an_expression_comes_to_what_python_makes_of_it(expression: str, number: int) -> None:
    try:
        expected = eval(expression, {"N": number, "i": number})
    except ZeroDivisionError:
        return
    assert simple.evaluated(expression, number, DRAWS) == expected
