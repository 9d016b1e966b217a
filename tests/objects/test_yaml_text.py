"""YAML and Go text as error messages quote them."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.golang import formatting
from kubestage.objects import yaml_text

TEXTS = st.text("ab1 0:#-'\"\\\n\té{}[]!?&*,.~é_\x07", max_size=8) | st.sampled_from(
    ["true", "No", "null", "~", "1e3", "0x1f", "1_000", "12:30", "2026-01-01", ".5", "-", "...", ""]
)
LONG = st.lists(TEXTS, min_size=10, max_size=40).map(" ".join)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | TEXTS | LONG,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=10,
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(VALUES)
def test_what_is_written_reads_back_the_same(value: Any) -> None:
    assert yaml.safe_load(yaml_text.dump(value)) == value


def test_sequences_stand_below_their_key_and_keys_are_in_natural_order() -> None:
    value = {"k10": [{"b": 1, "a": [[1, "2"], {}]}], "k2": {"x": None, "$y": []}}
    assert yaml_text.dump(value) == (
        'k2:\n  $y: []\n  x: null\nk10:\n- a:\n  - - 1\n    - "2"\n  - {}\n  b: 1\n'
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("plain", "plain"),
        ("", '""'),
        ("True", '"True"'),
        ("2026-01-01T00:00:00Z", '"2026-01-01T00:00:00Z"'),
        ("2026-13-01", "2026-13-01"),
        ("12:30", '"12:30"'),
        ("1.5Gi", "1.5Gi"),
        ("a: b", "'a: b'"),
        ("it's #1", "'it''s #1'"),
        ("*", "'*'"),
        ("tab\t", '"tab\\t"'),
        ("two\nlines", "|-\n  two\n  lines"),
        ("kept\n\n", "|+\n  kept\n"),
        (0.0005, "0.0005"),
        (1e-07, "1e-07"),
        (3.0, "3"),
    ],
)
def test_scalars_are_quoted_only_where_needed(value: Any, text: str) -> None:
    assert yaml_text.dump({"k": value}) == f"k: {text}\n"


def test_long_lines_are_folded_at_spaces_beyond_eighty_columns() -> None:
    words = " ".join(["word"] * 30)
    lines = yaml_text.dump({"key": words}).splitlines()
    assert lines == [f"key: {' '.join(['word'] * 16)}", f"  {' '.join(['word'] * 14)}"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.5, "-0.5"),
        (100000.5, "100000.5"),
        (1234567.0, "1.234567e+06"),
        (0.0001, "0.0001"),
        (0.00001234, "1.234e-05"),
        (1e100, "1e+100"),
        (float("inf"), "+Inf"),
        (float("nan"), "NaN"),
    ],
)
def test_floats_are_printed_in_go_s_shortest_form(number: float, text: str) -> None:
    assert formatting.show(number) == text


def test_values_are_printed_as_go_s_verbs_do() -> None:
    value = {"b": [1, None, "x y"], "a": {"c": True}}
    assert formatting.show(value) == "map[a:map[c:true] b:[1 <nil> x y]]"
    assert formatting.show_string(value) == (
        "map[a:map[c:%!s(bool=true)] b:[%!s(int64=1) %!s(<nil>) x y]]"
    )
