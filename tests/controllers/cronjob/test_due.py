from __future__ import annotations

import pytest

from kubestage.controllers.cronjob import due
from kubestage.objects import timestamps
from kubestage.units import SECOND_NS


def _ns(text: str) -> int:
    return timestamps.parse_time(f"2026-01-{text}Z")


def _latest(since: str, now: str, schedule: str = "0 * * * *") -> tuple[int | None, int]:
    found = due.latest(_ns(since), schedule, _ns(now))
    return found.at_ns, found.missed


def test_nothing_is_due_before_the_first_moment() -> None:
    assert _latest("01T00:00:00", "01T00:59:59") == (None, 0)


def test_the_one_moment_that_has_come_is_due() -> None:
    assert _latest("01T00:00:00", "01T01:00:00") == (_ns("01T01:00:00"), 0)
    assert _latest("01T00:00:00", "01T01:59:59") == (_ns("01T01:00:00"), 0)


def test_of_several_the_latest_is_due_and_all_are_counted() -> None:
    assert _latest("01T00:00:00", "01T03:30:00") == (_ns("01T03:00:00"), 3)


def test_more_than_a_hundred_are_too_many() -> None:
    assert not due.latest(_ns("01T00:00:00"), "0 * * * *", _ns("05T04:30:00")).too_many
    assert due.latest(_ns("01T00:00:00"), "0 * * * *", _ns("05T05:00:00")).too_many


def test_the_latest_of_an_irregular_schedule_is_found() -> None:
    schedule = "30 6-16/4 * * 1-5"
    assert _latest("02T00:00:00", "05T11:00:00", schedule)[0] == _ns("05T10:30:00")


def test_every_counts_from_the_last_start() -> None:
    assert _latest("01T00:00:10", "01T00:40:00", "@every 15m")[0] == _ns("01T00:30:10")


def test_a_deadline_leaves_out_what_is_older() -> None:
    spec = {"startingDeadlineSeconds": 600}
    since_ns, now_ns = _ns("01T00:00:00"), _ns("01T05:30:00")
    assert due.latest_startable(since_ns, spec, "0 * * * *", now_ns).at_ns is None
    assert due.latest_startable(since_ns, {}, "0 * * * *", now_ns).at_ns == _ns("01T05:00:00")


def test_a_schedule_without_moments_is_invalid() -> None:
    with pytest.raises(due.InvalidSchedule, match="less than 1 second"):
        _latest("01T00:00:00", "02T00:00:00", "0 0 31 2 *")


@pytest.mark.parametrize(
    ("since", "now", "at"),
    [
        ("01T00:00:00", "01T00:10:00", "01T01:00:00"),
        ("01T00:00:00", "01T01:10:00", "01T02:00:00"),
        ("01T00:00:00", "01T09:10:00", "01T10:00:00"),
    ],
)
def test_the_next_look_is_a_margin_after_the_next_moment(since: str, now: str, at: str) -> None:
    wanted_ns = _ns(at) - _ns(now) + SECOND_NS // 10
    assert due.wait_ns(_ns(since), "0 * * * *", _ns(now)) == wanted_ns


def test_a_time_zone_becomes_part_of_the_schedule_unless_it_has_one_or_it_is_unknown() -> None:
    assert due.schedule_text({"schedule": "@daily"}) == "@daily"
    zoned = {"schedule": "@daily", "timeZone": "Asia/Tokyo"}
    assert due.schedule_text(zoned) == "TZ=Asia/Tokyo @daily"
    assert due.schedule_text({**zoned, "schedule": "TZ=UTC @daily"}) == "TZ=UTC @daily"
    assert due.schedule_text({**zoned, "timeZone": "Nowhere"}) == "@daily"
