"""Timestamps: Go's words for wrong ones, and round trips for right ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kubestage.objects import timestamps
from kubestage.units import SECOND_NS

# From year 1 to year 9999, the range that four digits and a calendar can hold.
TIMES = st.integers(-62_135_596_800 * SECOND_NS, 253_402_300_799 * SECOND_NS)


@given(TIMES)
def test_whole_seconds_survive_a_round_trip(time_ns: int) -> None:
    text = timestamps.format_time(time_ns)
    assert timestamps.parse_time(text) == time_ns // SECOND_NS * SECOND_NS
    assert len(text) == len("2026-01-01T00:00:00Z")


@given(TIMES)
def test_microseconds_survive_a_round_trip(time_ns: int) -> None:
    text = timestamps.format_micro_time(time_ns)
    assert timestamps.parse_micro_time(text) == time_ns // 1000 * 1000
    assert timestamps.parse_time(text) == time_ns // 1000 * 1000


@pytest.mark.parametrize(
    ("text", "time_ns"),
    [
        ("1970-01-01T00:00:00Z", 0),
        ("2026-01-01T00:00:00Z", 1_767_225_600 * SECOND_NS),
        ("2026-01-01T02:00:00+02:00", 1_767_225_600 * SECOND_NS),
        ("2025-12-31T18:30:00-05:30", 1_767_225_600 * SECOND_NS),
        ("1970-01-01T00:00:00.5Z", SECOND_NS // 2),
        ("1970-01-01T00:00:00,000000001999Z", 1),
        ("1970-01-01T5:00:00Z", 5 * 3600 * SECOND_NS),
        ("1972-02-29T00:00:00Z", 789 * 86_400 * SECOND_NS),
        ("0000-02-29T00:00:00Z", -62_162_121_600 * SECOND_NS),
    ],
)
def test_rfc_3339_is_read_as_go_reads_it(text: str, time_ns: int) -> None:
    assert timestamps.parse_time(text) == time_ns


LAYOUT = '"2006-01-02T15:04:05Z07:00"'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", f'parsing time "" as {LAYOUT}: cannot parse "" as "2006"'),
        ("now", f'parsing time "now" as {LAYOUT}: cannot parse "now" as "2006"'),
        ("2026-1-01", f'parsing time "2026-1-01" as {LAYOUT}: cannot parse "1-01" as "01"'),
        ("2026-01-01", f'parsing time "2026-01-01" as {LAYOUT}: cannot parse "" as "T"'),
        (
            "2026-01-01T00:00:00",
            f'parsing time "2026-01-01T00:00:00" as {LAYOUT}: cannot parse "" as "Z07:00"',
        ),
        ("2026-13-01T00:00:00Z", 'parsing time "2026-13-01T00:00:00Z": month out of range'),
        ("2026-02-29T00:00:00Z", 'parsing time "2026-02-29T00:00:00Z": day out of range'),
        ("2026-01-01T24:00:00Z", 'parsing time "2026-01-01T24:00:00Z": hour out of range'),
        ("2026-01-01T00:60:00Z", 'parsing time "2026-01-01T00:60:00Z": minute out of range'),
        ("2026-01-01T00:00:60Z", 'parsing time "2026-01-01T00:00:60Z": second out of range'),
        ("2026-01-01T00:00:00Zx", 'parsing time "2026-01-01T00:00:00Zx": extra text: "x"'),
        (
            "2026-01-01T00:00:00+25:00",
            'parsing time "2026-01-01T00:00:00+25:00": time zone offset hour out of range',
        ),
        (
            "2026-01-01T00:00:00+00:61",
            'parsing time "2026-01-01T00:00:00+00:61": time zone offset minute out of range',
        ),
    ],
)
def test_other_texts_are_refused_in_the_words_of_go(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=r"^parsing time") as caught:
        timestamps.parse_time(text)
    assert str(caught.value) == message


def test_a_micro_time_needs_its_six_digits() -> None:
    with pytest.raises(ValueError, match=r'cannot parse "Z" as "\.000000"$'):
        timestamps.parse_micro_time("2026-01-01T00:00:00Z")
