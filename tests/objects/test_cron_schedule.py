from __future__ import annotations

import datetime as dt
import pickle

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from kubestage.golang import durations
from kubestage.objects import cron_schedule, cron_times, time_zones
from kubestage.objects.cron_schedule import ScheduleError


def ns(text: str) -> int:
    return int(dt.datetime.fromisoformat(text).timestamp()) * durations.SECOND


def after(schedule: str, moment: str, zone: str = "UTC") -> str | None:
    found = cron_schedule.parse(schedule).next_ns(ns(moment), zone)
    if found is None:
        return None
    return dt.datetime.fromtimestamp(found // durations.SECOND, dt.UTC).isoformat()[:-6]


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("* * * * *", "2026-03-04T05:07:00"),
        ("*/15 * * * *", "2026-03-04T05:15:00"),
        ("5 * * * *", "2026-03-04T06:05:00"),
        ("0 2 * * *", "2026-03-05T02:00:00"),
        ("30 6-8/2 * * *", "2026-03-04T06:30:00"),
        ("0 0 29 2 *", "2028-02-29T00:00:00"),
        ("0 0 * * sun", "2026-03-08T00:00:00"),
        ("0 0 13 * FRI", "2026-03-06T00:00:00"),
        ("0 0 13 * ?", "2026-03-13T00:00:00"),
        ("0 0 1 jan-mar *", "2027-01-01T00:00:00"),
        ("@hourly", "2026-03-04T06:00:00"),
        ("@daily", "2026-03-05T00:00:00"),
        ("@midnight", "2026-03-05T00:00:00"),
        ("@weekly", "2026-03-08T00:00:00"),
        ("@monthly", "2026-04-01T00:00:00"),
        ("@yearly", "2027-01-01T00:00:00"),
        ("@annually", "2027-01-01T00:00:00"),
        ("@every 1h30m", "2026-03-04T06:36:07"),
        ("@every 1ms", "2026-03-04T05:06:08"),
        ("TZ=Asia/Tokyo 0 2 * * *", "2026-03-04T17:00:00"),
        ("CRON_TZ=UTC @daily", "2026-03-05T00:00:00"),
    ],
)
def test_the_next_moment(schedule: str, expected: str) -> None:
    assert after(schedule, "2026-03-04T05:06:07+00:00") == expected


def test_the_given_moment_itself_is_past() -> None:
    assert after("0 2 * * *", "2026-03-04T02:00:00+00:00") == "2026-03-05T02:00:00"
    schedule = cron_schedule.parse("@every 10s")
    assert schedule.next_ns(5_700_000_000) == 15_000_000_000
    assert cron_schedule.parse("* * * * *").next_ns(59_999_999_999) == 60_000_000_000


@pytest.mark.parametrize("schedule", ["0 0 31 2 *", ", * * * *", "* , * * *", "* * * , *"])
def test_what_never_comes_is_none(schedule: str) -> None:
    assert after(schedule, "2026-03-04T05:06:07+00:00") is None


@pytest.mark.parametrize(
    ("schedule", "moment", "zone", "expected"),
    [
        # 02:30 is skipped on the day on which the clock is put forward.
        ("30 2 * * *", "2026-03-07T12:00:00+00:00", "America/New_York", "2026-03-09T06:30:00"),
        # 01:30 comes twice on the day on which it is put back.
        ("30 1 * * *", "2026-11-01T05:00:00+00:00", "America/New_York", "2026-11-01T05:30:00"),
        ("30 1 * * *", "2026-11-01T05:30:00+00:00", "America/New_York", "2026-11-01T06:30:00"),
        ("30 1 * * *", "2026-11-01T06:30:00+00:00", "America/New_York", "2026-11-02T06:30:00"),
        ("0 9 * * *", "2026-03-28T12:00:00+00:00", "Europe/Berlin", "2026-03-29T07:00:00"),
        # Midnight did not exist in Brazil on this day.
        ("0 0 * * *", "2018-11-03T12:00:00+00:00", "America/Sao_Paulo", "2018-11-05T02:00:00"),
        ("0 2 * * *", "2026-03-04T05:06:07+00:00", "Asia/Kolkata", "2026-03-04T20:30:00"),
    ],
)
def test_the_clock_on_the_wall_decides(
    schedule: str, moment: str, zone: str, expected: str
) -> None:
    assert after(schedule, moment, zone) == expected


@pytest.mark.parametrize(
    ("schedule", "problem"),
    [
        ("", "empty spec string"),
        ("* * * *", "expected exactly 5 fields, found 4: [* * * *]"),
        ("0 * * * * *", "expected exactly 5 fields, found 6: [0 * * * * *]"),
        ("61 * * * *", "end of range (61) above maximum (59): 61"),
        ("0 0 0 * *", "beginning of range (0) below minimum (1): 0"),
        ("5-2 * * * *", "beginning of range (5) beyond end of range (2): 5-2"),
        ("*/0 * * * *", "step of range should be a positive number: */0"),
        ("1-2-3 * * * *", "too many hyphens: 1-2-3"),
        ("1/2/3 * * * *", "too many slashes: 1/2/3"),
        (
            "x * * * *",
            'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax',
        ),
        (
            "-1 * * * *",
            'failed to parse int from : strconv.Atoi: parsing "": invalid syntax',
        ),
        ("*/-1 * * * *", "negative number (-1) not allowed: -1"),
        (
            "99999999999999999999 * * * *",
            (
                "failed to parse int from 99999999999999999999: strconv.Atoi: parsing "
                '"99999999999999999999": value out of range'
            ),
        ),
        ("0 0 L * *", 'failed to parse int from L: strconv.Atoi: parsing "L": invalid syntax'),
        ("@often", "unrecognized descriptor: @often"),
        ("@every x", 'failed to parse duration @every x: time: invalid duration "x"'),
        ("TZ=UTC", "invalid schedule format: runtime error: slice bounds out of range [:-1]"),
        ("TZ=Nowhere * * * * *", "provided bad location Nowhere: unknown time zone Nowhere"),
        ("TZ=../x * * * * *", "provided bad location ../x: time: invalid location name"),
        ("TZ=UTC ", "expected exactly 5 fields, found 0: []"),
    ],
)
def test_what_cannot_be_read_is_said_in_the_words_of_the_library(
    schedule: str, problem: str
) -> None:
    with pytest.raises(ScheduleError) as error:
        cron_schedule.parse(schedule)
    assert str(error.value) == problem


def test_oddities_that_are_accepted() -> None:
    parse = cron_schedule.parse
    assert parse("*-7 * * * *") == parse("* * * * *")
    assert parse("+5 * * * *") == parse("5, * * * *")
    assert parse("50/4 * * * *") == parse("50-59/4 * * * *")
    assert parse("TZ=Local 0 2 * * *") == parse("\t0  2 * * *")


def test_a_schedule_pickles() -> None:
    schedule = cron_schedule.parse("TZ=Europe/Berlin 0 2 * * *")
    assert pickle.loads(pickle.dumps(schedule)) == schedule


class _Clock:
    """A time in a zone, for the slow walk."""

    def __init__(self, unix: int, zone: str) -> None:
        self.unix, self.zone = unix, zone
        self.local = dt.datetime(1970, 1, 1) + dt.timedelta(  # noqa: DTZ001 - a wall clock
            seconds=unix + time_zones.offset_seconds(zone, unix)
        )

    def plus(self, seconds: int) -> _Clock:
        return _Clock(self.unix + seconds, self.zone)

    def show(self, local: dt.datetime) -> _Clock:
        seconds = (local - dt.datetime(1970, 1, 1)) // dt.timedelta(seconds=1)  # noqa: DTZ001
        return _Clock(time_zones.to_unix_seconds(self.zone, seconds), self.zone)

    def months_later(self) -> _Clock:
        local = self.local
        first = local.replace(
            day=1, year=local.year + local.month // 12, month=local.month % 12 + 1
        )
        return self.show(first + dt.timedelta(days=local.day - 1))


def _slow_day(clock: _Clock) -> _Clock:
    clock = clock.show(clock.local + dt.timedelta(days=1))
    hour = clock.local.hour
    if hour:
        clock = clock.plus(3600 * (24 - hour if hour > 12 else -hour))
    return clock


def _slow_step(fields: cron_times.CronFields, clock: _Clock, fresh: bool) -> _Clock | None:
    """One step of the cron library's walk; None if all fits."""
    local = clock.local
    if not fields.month >> local.month & 1:
        start = local.replace(day=1, hour=0, minute=0, second=0)
        return (clock.show(start) if fresh else clock).months_later()
    if not fields.fits_day(local.date()):
        start = local.replace(hour=0, minute=0, second=0)
        return _slow_day(clock.show(start) if fresh else clock)
    if not fields.hour >> local.hour & 1:
        return (clock.show(local.replace(minute=0, second=0)) if fresh else clock).plus(3600)
    if not fields.minute >> local.minute & 1:
        return (clock.plus(-(clock.unix % 60)) if fresh else clock).plus(60)
    return clock.plus(1) if local.second else None


def _slow_next(fields: cron_times.CronFields, unix: int, zone: str) -> int | None:
    clock, fresh = _Clock(unix + 1, zone), True
    limit = clock.local.year + 5
    while clock.local.year <= limit:
        step = _slow_step(fields, clock, fresh)
        if step is None:
            return clock.unix
        clock, fresh = step, False
    return None


def _field(low: int, high: int) -> st.SearchStrategy[str]:
    number = st.integers(low, high)
    return st.one_of(
        st.just("*"),
        number.map(str),
        st.integers(2, 30).map("*/{}".format),
        st.tuples(number, number).map(lambda pair: f"{min(pair)}-{max(pair)}"),
    )


_SCHEDULES = st.tuples(
    _field(0, 59), _field(0, 23), _field(1, 31), _field(1, 12), _field(0, 6)
).map(" ".join)
_ZONES = st.sampled_from(
    ["UTC", "America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Asia/Beirut",
     "Europe/London", "Africa/Cairo", "America/Havana", "Asia/Kathmandu", "America/Asuncion"]
)  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(_SCHEDULES, st.integers(1_400_000_000, 1_800_000_000), _ZONES)
@example("0 0 * * *", 1541246400, "America/Sao_Paulo")
@example("0 0 1 * *", 1506729600, "America/Asuncion")
def test_strides_lead_where_the_walk_leads(schedule: str, unix: int, zone: str) -> None:
    parsed = cron_schedule.parse(schedule)
    assert parsed.fields is not None
    found = parsed.next_ns(unix * durations.SECOND, zone)
    expected = _slow_next(parsed.fields, unix, zone)
    assert found == (None if expected is None else expected * durations.SECOND)
