from __future__ import annotations

import pytest

from kubestage.promql import patterns


@pytest.mark.parametrize(
    ("pattern", "text", "is_match"),
    [
        ("log|exec", "log", True),
        ("log|exec", "catalog", False),
        ("", "", True),
        (".+", "", False),
        ("a.c", "a\nc", True),
        ("(?i)POST", "post", True),
        ("[[:digit:]]+", "42", True),
        ("[[:digit:]]+", "x", False),
        (r"a\.b", "a.b", True),
        (r"\d", "٣", False),
        (r"x\z", "x", True),
    ],
)
def test_a_pattern_has_to_match_all_of_a_value(pattern: str, text: str, is_match: bool) -> None:
    assert (patterns.compiled(pattern).fullmatch(text) is not None) is is_match


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", "(?<!a)b", r"(a)\1", "a++", "[z-a]"])
def test_what_re2_does_not_know_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="error parsing regexp"):
        patterns.compiled(pattern)


def test_an_escaped_backslash_before_a_digit_is_no_reference() -> None:
    assert patterns.compiled(r"\\1").fullmatch(r"\1")


@pytest.mark.parametrize(
    ("replacement", "result"),
    [
        ("$1-$2", "web-7"),
        ("${1}x", "webx"),
        ("$number", "7"),
        ("$9", ""),
        ("$$1", "$1"),
        ("plain", "plain"),
    ],
)
def test_a_replacement_is_filled_with_groups(replacement: str, result: str) -> None:
    match = patterns.compiled(r"(\w+)-(?P<number>\d+)").fullmatch("web-7")
    assert match is not None
    assert patterns.expanded(patterns.template(replacement), match) == result


def test_numbers_within_texts_are_ordered_as_numbers() -> None:
    assert sorted(["n10", "n9", "m", ""], key=patterns.natural) == ["", "m", "n9", "n10"]
