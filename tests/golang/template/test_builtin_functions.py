from __future__ import annotations

import operator
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.golang import template as gotemplate
from kubestage.golang.template import TemplateError, builtin_functions, comparison
from tests.golang.template.running import evaluate

if TYPE_CHECKING:
    from collections.abc import Callable

_numbers = st.integers(-3, 3)
_texts = st.text("ab", max_size=2)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("eq 1 2 1", "true"),
        ("eq `a` `b`", "false"),
        ("eq .none nil", "true"),
        ("eq .none 1", "false"),
        ("ne 1 2", "true"),
        ("eq .list nil", "false"),
        ("index `abc` 1", "98"),
        ("len `é`", "2"),
        ("slice `abc` 1 2", "b"),
        ("urlquery `a b&c/é`", "a+b%26c%2F%C3%A9"),
        ("html `<a href='x'>&`", "&lt;a href=&#39;x&#39;&gt;&amp;"),
        ("js `'<\n=é`", "\\'\\u003C\\u000A\\u003Dé"),
        ("html .none", "&lt;no value&gt;"),
    ],
)
def test_a_built_in_function_gives_what_go_gives(expression: str, expected: str) -> None:
    template = gotemplate.parse(f"{{{{{expression}}}}}")
    assert template.execute({"list": [1]}) == expected


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("eq 1", "missing argument for comparison"),
        ("eq 1 1.0", "incompatible types for comparison: int and float64"),
        ("eq .list .list", "non-comparable type [%!s(int=1)]: []interface {}"),
        ("lt true false", "invalid type for comparison"),
        ("lt .none 1", "invalid type for comparison"),
        ("index .list -1", "index out of range: -1"),
        ("index .list `a`", "cannot index slice/array with type string"),
        ("index .list nil", "cannot index slice/array with nil"),
        ("index .map 1", "value has type int; should be string"),
        ("index 1 1", "can't index item of type int"),
        ("len 3", "len of type int"),
        ("call .none", "call of nil"),
    ],
)
def test_what_a_function_refuses_it_explains(expression: str, problem: str) -> None:
    with pytest.raises(TemplateError) as refused:
        evaluate(expression, {"list": [1], "map": {}})
    name = expression.split(maxsplit=1)[0]
    assert str(refused.value).endswith(f"error calling {name}: {problem}")


@given(st.tuples(_numbers, _numbers) | st.tuples(_texts, _texts))
def test_comparisons_agree_with_the_order_of_values(
    pair: tuple[int, int] | tuple[str, str],
) -> None:
    checks: list[tuple[Callable[..., bool], Callable[..., bool]]] = [
        (comparison.eq, operator.eq),
        (comparison.ne, operator.ne),
        (comparison.lt, operator.lt),
        (comparison.le, operator.le),
        (comparison.gt, operator.gt),
        (comparison.ge, operator.ge),
    ]
    for ours, pythons in checks:
        assert ours(*pair) is pythons(*pair)


@given(st.text())
def test_escaped_html_holds_no_mark_of_html(text: str) -> None:
    assert not set(builtin_functions.html(text)) & set("<>'\"\0")
