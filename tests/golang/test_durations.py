"""Durations: recorded cases, Go's own examples, and what holds for every span."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.golang import durations
from kubestage.objects import ages
from tests.golden import vectors

SPANS = st.integers(-(1 << 63), (1 << 63) - 1)


def test_recorded_durations_agree_with_kubectl_and_go() -> None:
    entries = vectors.load("naming", "humanDuration")
    wrong = []
    for entry in entries:
        span = entry["in"]["nanoseconds"]
        answer = {
            "human": ages.human(span),
            "short": ages.short_human(span),
            "goString": durations.go_string(span),
            "rounded": durations.go_string(durations.round_to(span, durations.SECOND)),
        }
        if answer != entry["out"]:
            wrong.append(entry["id"])
    assert entries
    assert not wrong


@given(SPANS)
def test_what_go_prints_is_read_back(span: int) -> None:
    # Go reads fractions through float64, which is exact for what it prints itself.
    assert durations.parse_duration(durations.go_string(span)) == span


@given(SPANS, st.sampled_from((durations.MILLISECOND, durations.SECOND, durations.HOUR)))
def test_rounding_stays_within_half_a_unit_and_settles(span: int, unit: int) -> None:
    rounded = durations.round_to(span, unit)
    assert abs(rounded - span) * 2 <= unit
    if abs(rounded) < 1 << 62:
        assert durations.round_to(rounded, unit) == rounded


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("0", 0),
        ("-0", 0),
        ("1.s", durations.SECOND),
        (".5s", durations.SECOND // 2),
        ("+5s", 5 * durations.SECOND),
        ("-1.5h", -3 * durations.HOUR // 2),
        ("1h1m1s1ms1us1ns", 3661001001001),
        ("3µs4μs", 7000),
        ("0.3333333333333333333h", 20 * durations.MINUTE),
        ("0.9223372036854775807h", 3320413933267),
        ("0.100000000000000000000h", 6 * durations.MINUTE),
        ("9007199254.740993ms", (1 << 53) + 1),
        ("0.000000000000000000000000000001h", 0),
        ("00000000000000000000000000001s", durations.SECOND),
        ("-9223372036854775808ns", -(1 << 63)),
    ],
)
def test_go_notation_is_read(text: str, span: int) -> None:
    assert durations.parse_duration(text) == span


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'time: invalid duration ""'),
        ("-", 'time: invalid duration "-"'),
        ("3", 'time: missing unit in duration "3"'),
        ("1h3", 'time: missing unit in duration "1h3"'),
        (".s", 'time: invalid duration ".s"'),
        ("s", 'time: invalid duration "s"'),
        ("1d", 'time: unknown unit "d" in duration "1d"'),
        ("3000000h", 'time: invalid duration "3000000h"'),
        ("9223372036854775808ns", 'time: invalid duration "9223372036854775808ns"'),
        ("9223372036854775809ns", 'time: invalid duration "9223372036854775809ns"'),
        ("2562047h47m16.854775808s", 'time: invalid duration "2562047h47m16.854775808s"'),
        ('é"\\', 'time: invalid duration "\\xc3\\xa9\\"\\\\"'),
        ("1\t", 'time: unknown unit "\\x09" in duration "1\\x09"'),
    ],
)
def test_other_texts_are_refused_in_the_words_of_go(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^time: ") as caught:
        durations.parse_duration(text)
    assert str(caught.value) == message


def test_a_unit_of_nothing_rounds_nothing() -> None:
    assert durations.round_to(7, 0) == 7


def test_rounding_saturates() -> None:
    assert durations.round_to((1 << 63) - 1, durations.HOUR) == (1 << 63) - 1
