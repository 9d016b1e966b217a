from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.golang.template import TemplateError, sprig
from tests.golang.template.running import evaluate


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("default `d` .none", "d"),
        ("`v` | default `d`", "v"),
        ("coalesce 0 `` `x`", "x"),
        ("ternary `a` `b` true", "a"),
        ("list 1 2 | join `-`", "1-2"),
        ("dict `a` 1 `b`", "map[a:1 b:]"),
        ("get (dict `a` 1) `a`", "1"),
        ("hasKey (dict `a` 1) `b`", "false"),
        ("keys (dict `b` 1 `a` 2)", "[a b]"),
        ("merge (dict `a` 1) (dict `a` 2 `b` 3)", "map[a:1 b:3]"),
        ("mergeOverwrite (dict `a` 1) (dict `a` 2)", "map[a:2]"),
        ("dig `a` `b` `no` (dict `a` (dict `b` 5))", "5"),
        ("dig `a` `c` `no` (dict `a` (dict `b` 5))", "no"),
        ("until 3", "[0 1 2]"),
        ("untilStep 6 0 -2", "[6 4 2]"),
        ("seq 2 5", "2 3 4 5"),
        ("add 1 `2` 3.9", "6"),
        ("div -7 2", "-3"),
        ("mod -7 2", "-1"),
        ("max 1 5 3", "5"),
        ("round 3.14159 2", "3.14"),
        ("addf 0.1 0.2", "0.3"),
        ("int `0x1f`", "31"),
        ("trunc 3 `abcdef`", "abc"),
        ("trunc -2 `abcdef`", "ef"),
        ("indent 2 `a\nb`", "  a\n  b"),
        ("nindent 1 `a`", "\n a"),
        ("replace `a` `b` `aca`", "bcb"),
        ("quote `a` 1", '"a" "1"'),
        ("squote `a`", "'a'"),
        ("splitList `,` `a,b`", "[a b]"),
        ("(split `/` `a/b`)._1", "b"),
        ("trimSuffix `-x` `a-x`", "a"),
        ("title `hello world`", "Hello World"),
        ("snakecase `FirstName`", "first_name"),
        ("camelcase `http_server`", "HttpServer"),
        ("contains `b` `abc`", "true"),
        ("b64enc `hi` | b64dec", "hi"),
        ("sha256sum `a` | trunc 8", "ca978112"),
        ("toJson (dict `a` (list 1 `<`))", '{"a":[1,"\\u003c"]}'),
        ('(fromJson `{"a": [1]}`).a', "[1]"),
        ("regexMatch `^a.c$` `abc`", "true"),
        ("regexReplaceAll `a(b)` `ab` `${1}x`", "bx"),
        ("regexFindAll `[0-9]` `1a2b3` 2", "[1 2]"),
        ("first (list 1 2)", "1"),
        ("rest (list 1 2)", "[2]"),
        ("uniq (list 1 1 `1`)", "[1 1]"),
        ("has 2 (list 1 2)", "true"),
        ("slice (list 1 2 3) 1", "[2 3]"),
        ("kindOf (list)", "slice"),
        ("typeOf 1.5", "float64"),
        ("empty 0", "true"),
        ("base `/a/b.yaml`", "b.yaml"),
        ("ext `a.yaml`", ".yaml"),
    ],
)
def test_a_function_gives_what_sprig_gives(expression: str, expected: str) -> None:
    assert evaluate(expression, {}) == expected


@pytest.mark.parametrize(
    ("expression", "problem"),
    [
        ("fail `enough`", "error calling fail: enough"),
        ("div 1 0", "error calling div: runtime error: integer divide by zero"),
        ("first 3", "error calling first: Cannot find first on type int"),
        ("regexMatch `(` `a`", "error parsing regexp"),
        ("upper 3", "expected string; found 3"),
    ],
)
def test_a_function_refuses_what_sprig_refuses(expression: str, problem: str) -> None:
    with pytest.raises(TemplateError) as refused:
        evaluate(expression, {})
    assert problem in str(refused.value)


def test_set_changes_the_map_that_it_is_given() -> None:
    assert evaluate("$d := dict}}{{$_ := set $d `a` 1}}{{$d", {}) == "map[a:1]"


def test_no_function_makes_runs_differ() -> None:
    random = {"now", "uuidv4", "randInt", "randAlphaNum", "env", "genPrivateKey", "shuffle"}
    assert not random & set(sprig.FUNCTIONS)


_json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(_json)
def test_json_reads_back_as_the_same(value: Any) -> None:
    assert json.loads(evaluate("toJson .", value)) == value


@given(st.integers(-(2**40), 2**40), st.integers(-(2**40), 2**40).filter(bool))
def test_quotient_and_remainder_make_the_number(number: int, divisor: int) -> None:
    data = {"a": number, "b": divisor}
    found = int(evaluate("add (mul (div .a .b) .b) (mod .a .b)", data))
    assert found == number
