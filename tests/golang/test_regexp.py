"""Patterns mean what they mean in Go, and take no longer."""

from __future__ import annotations

import pickle
import re

import hypothesis
import pytest
from hypothesis import strategies as st

from kubestage.golang import regexp

ATOMS = st.sampled_from(
    ["a", "b", "A", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"[\w-]", "1", "-", r"[^\d]", r"\."]
)
PLACES = st.sampled_from(["^", r"\A", r"\z", r"\b", ""])
TIMES = st.sampled_from(["*", "+", "?", "{2}", "{1,3}", "{2,}", "*?", "+?"])
PATTERNS = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds("{}{}".format, inner, inner),
        st.builds("({}|{})".format, inner, inner),
        st.builds("(?:{}){}".format, inner, TIMES),
        st.builds("{}{}{}".format, PLACES, inner, PLACES),
        st.builds("(?i:{})".format, inner),
        st.builds("(?s:{})".format, inner),
        st.builds("(?m:^{})".format, inner),
    ),
    max_leaves=8,
)
TEXTS = st.text("abcA1-. \n_é", max_size=10)


@hypothesis.given(PATTERNS, TEXTS)
@hypothesis.settings(max_examples=400, deadline=None)
def test_where_the_languages_agree_it_finds_what_python_finds(pattern: str, text: str) -> None:
    expected = re.compile(pattern.replace(r"\z", r"\Z"), re.ASCII).search(text) is not None
    assert regexp.compile_pattern(pattern).is_found_in(text) is expected


@pytest.mark.parametrize("pattern", [r"(a+)+\z", r"^(a|aa)+\z", r"(a*)*b", r"^(([a-z])+.)+[A-Z]"])
def test_patterns_on_which_python_tries_for_years_are_done_at_once(pattern: str) -> None:
    assert not regexp.compile_pattern(pattern).is_found_in("a" * 10_000 + "!")


@pytest.mark.parametrize(
    ("pattern", "text", "matches"),
    [
        ("^a$", "a", True), ("^a$", "a\n", False), (r"^\d+$", "٣", False), (r"^\w+\z", "aé", False),
        ("^[[:alpha:]_]+$", "ab_", True), ("^[[:digit:]]+$", "a", False), ("[a&&b]", "&", True),
        (r"^\Qa.b\E$", "a.b", True), (r"^\Qa.b\E$", "axb", False), ("(?i)abc", "ABC", True),
        ("^(?<n>a)$", "a", True), (r"^\p{L}+$", "éa", True), (r"^\pN$", "5", True),
        ("^[]a]$", "]", True), (r"^[^\]]$", "]", False), ("a$|b", "ba", True),
        (r"^\p{Greek}+$", "λόγος", True), ("^.$", "é", True), ("a", "\ud800a", True),
    ],
)  # fmt: skip
def test_patterns_mean_what_they_mean_in_go(pattern: str, text: str, matches: bool) -> None:
    assert regexp.compile_pattern(pattern).is_found_in(text) is matches


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ("(?=a)", "invalid or unsupported Perl syntax: `(?=`"),
        ("(?<=a)", "invalid or unsupported Perl syntax: `(?<=`"),
        (r"(a)\1", r"invalid escape sequence: `\1`"),
        (r"a\C", r"invalid escape sequence: `\C`"),
        ("(a", "missing closing ): `(a`"),
        ("a)", "unexpected ): `a)`"),
        ("[a", "missing closing ]: `[a`"),
        ("[z-a]", "invalid character class range: `z-a`"),
        ("*a", "missing argument to repetition operator: `*`"),
        ("a**", "invalid nested repetition operator: `**`"),
        ("a{1001}", "invalid repeat count: `{1001}`"),
        ("((a{90}){90}){90}", "invalid repeat count: `{90}`"),
        ("(?P<n", "invalid named capture: `(?P<n`"),
        ("a\\", "trailing backslash at end of expression: ``"),
    ],
)
def test_patterns_that_go_refuses_are_refused(pattern: str, problem: str) -> None:
    with pytest.raises(regexp.RegexpError) as refused:
        regexp.compile_pattern(pattern)
    assert str(refused.value) == f"error parsing regexp: {problem}"


def test_an_empty_match_right_after_another_does_not_count() -> None:
    stars = regexp.compile_pattern("a*")
    assert stars.find_all("baac") == ["", "aa", ""]
    assert regexp.compile_pattern("x*").replace_all("aéx", "-") == "-a-é-"
    assert regexp.compile_pattern("").find_all("éa") == ["", "", ""]


@pytest.mark.parametrize(
    ("pattern", "text", "limit", "parts"),
    [
        ("a", "banana", -1, ["b", "n", "n", ""]),
        ("a", "banana", 0, []),
        ("a", "banana", 1, ["banana"]),
        ("a", "banana", 2, ["b", "nana"]),
        ("z+", "pizza", -1, ["pi", "a"]),
        ("", "abc", -1, ["a", "b", "c"]),
        ("a*", "baab", -1, ["b", "b"]),
        ("a", "", -1, [""]),
    ],
)
def test_a_text_is_split_as_go_splits_it(
    pattern: str, text: str, limit: int, parts: list[str]
) -> None:
    assert regexp.compile_pattern(pattern).split(text, limit) == parts


@pytest.mark.parametrize(
    ("replacement", "result"),
    [
        ("$1-$2", "web-7"),
        ("${1}x", "webx"),
        ("$1x", ""),
        ("$number", "7"),
        ("$9", ""),
        ("$$1", "$1"),
        ("plain", "plain"),
    ],
)
def test_a_replacement_is_filled_with_groups(replacement: str, result: str) -> None:
    match = regexp.compile_pattern(r"(\w+)-(?P<number>\d+)").full_match("web-7")
    assert match is not None
    assert match.expand(replacement) == result


def test_a_pattern_can_be_pickled() -> None:
    compiled = regexp.compile_pattern("a.c", dot_matches_newline=True)
    again = pickle.loads(pickle.dumps(compiled))
    assert again.full_match("a\nc") is not None


def test_quoted_text_matches_itself_only() -> None:
    assert regexp.quote_meta("a.b*") == r"a\.b\*"


@pytest.mark.parametrize("pattern", ["a" * 70_000, "(" * 70_000, "(?:(?:a?){1000}){500}"])
def test_a_pattern_that_is_too_large_is_refused(pattern: str) -> None:
    with pytest.raises(regexp.RegexpError, match=r"expression too large|invalid repeat count"):
        regexp.compile_pattern(pattern)


def test_a_text_is_not_longer_than_its_pattern_can_search() -> None:
    large = regexp.compile_pattern("[a-z]" * 10_000)
    assert not large.is_found_in("x" * 1000)
    with pytest.raises(regexp.RegexpError, match="too long for a pattern of this size"):
        large.is_found_in("x" * 100_000)
    assert regexp.compile_pattern("y").is_found_in("x" * 1_000_000 + "y")
    with pytest.raises(regexp.RegexpError, match="too long to find all matches"):
        regexp.compile_pattern("a.*b|a").find_all("a" * 1_000_000)
