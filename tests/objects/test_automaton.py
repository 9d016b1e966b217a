from __future__ import annotations

import re

import hypothesis
import pytest
from hypothesis import strategies as st

from kubestage.objects.automaton import Automaton, UnfitError

ATOMS = st.sampled_from(
    ["a", "b", "A", ".", "[ab]", "[^a]", r"\d", r"\w", r"\s", r"[\w-]", "1", "-", r"[^\d]", r"\."]
)
PLACES = st.sampled_from(["^", r"\A", r"\Z", r"\b", ""])
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
def test_it_finds_what_pythons_engine_finds(pattern: str, text: str) -> None:
    expected = re.compile(pattern, re.ASCII).search(text) is not None
    assert Automaton(pattern).is_found_in(text) is expected


@pytest.mark.parametrize("pattern", [r"(a+)+\Z", r"^(a|aa)+\Z", r"(a*)*b", r"^(([a-z])+.)+[A-Z]"])
def test_patterns_on_which_python_tries_for_ever_are_done_at_once(pattern: str) -> None:
    assert not Automaton(pattern).is_found_in("a" * 10_000 + "!")


@pytest.mark.parametrize("pattern", ["((a{90}){90}){90}", "(?=a)", r"(a)\1", "a*+"])
def test_what_would_take_too_much_or_looks_around_is_refused(pattern: str) -> None:
    with pytest.raises(UnfitError):
        Automaton(pattern)


def test_what_is_remembered_is_bounded() -> None:
    found = Automaton("x.{3}y")
    found.is_found_in("".join(map(chr, range(32, 20_000))))
    assert len(found._steps) <= 4096
