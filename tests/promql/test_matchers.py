from __future__ import annotations

import pytest

from kubestage.promql.matchers import Matcher


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
    assert Matcher("a", "=~", pattern).matches(text) is is_match
    assert Matcher("a", "!~", pattern).matches(text) is not is_match


@pytest.mark.parametrize("pattern", ["(", "a(?=b)", "(?<!a)b", r"(a)\1", "a++", "[z-a]"])
def test_what_re2_does_not_know_is_refused(pattern: str) -> None:
    with pytest.raises(ValueError, match="error parsing regexp"):
        Matcher("a", "=~", pattern)


def test_an_escaped_backslash_before_a_digit_is_no_reference() -> None:
    assert Matcher("a", "=~", r"\\1").matches(r"\1")
