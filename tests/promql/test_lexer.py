from __future__ import annotations

import pytest

from kubestage.promql import lexer
from kubestage.promql.query_errors import QueryError


def _tokens_(text: str) -> list[tuple[str, str]]:
    return [(token.kind, token.text) for token in lexer.tokens(text)[:-1]]


def test_words_are_told_apart() -> None:
    assert _tokens_('a:b{c=~"d"}[5m] >= 1.5e3 # why\n') == [
        ("name", "a:b"),
        ("operator", "{"),
        ("name", "c"),
        ("operator", "=~"),
        ("string", "d"),
        ("operator", "}"),
        ("operator", "["),
        ("duration", "5m"),
        ("operator", "]"),
        ("operator", ">="),
        ("number", "1.5e3"),
    ]


def test_a_colon_parts_a_range_from_its_step_and_belongs_to_names_elsewhere() -> None:
    assert [text for _, text in _tokens_("[1h:5m]")] == ["[", "1h", ":", "5m", "]"]
    assert [text for _, text in _tokens_("[1h:]")] == ["[", "1h", ":", "]"]
    assert _tokens_(":a") == [("name", ":a")]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('"a\\nb"', "a\nb"),
        ("'it\\'s'", "it's"),
        ("`a\\n`", "a\\n"),
        ('"\\x41\\u00e9\\U0001F600\\101"', "Aé😀A"),
        ('"\\xc3\\xa9"', "é"),
    ],
)
def test_strings_are_unquoted(text: str, value: str) -> None:
    assert _tokens_(text) == [("string", value)]


@pytest.mark.parametrize(
    ("text", "place", "problem"),
    [
        ('a == "b', "1:6", "unterminated quoted string"),
        ("a\n  ?", "2:3", "unexpected character: '?'"),
        ("rate(a[5x])", "1:8", "bad number or duration"),
        ('"\\q"', "1:2", "unknown escape sequence"),
    ],
)
def test_a_mistake_says_where_it_is(text: str, place: str, problem: str) -> None:
    with pytest.raises(QueryError, match=problem) as caught:
        lexer.tokens(text)
    assert caught.value.path == place
