from __future__ import annotations

import pytest

from kubestage.objects import time_zones


@pytest.mark.parametrize("name", ["", "UTC", "Local", "Europe/Berlin", "Etc/GMT+5", "EST"])
def test_zones_that_exist(name: str) -> None:
    time_zones.check(name)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("Nowhere/City", "unknown time zone Nowhere/City"),
        ("europe/berlin", "unknown time zone europe/berlin"),
        ("../UTC", "time: invalid location name"),
        ("/etc/localtime", "time: invalid location name"),
    ],
)
def test_zones_that_do_not(name: str, problem: str) -> None:
    with pytest.raises(time_zones.UnknownTimeZone) as error:
        time_zones.check(name)
    assert str(error.value) == problem


def test_the_offset_follows_the_season() -> None:
    winter, summer = 1_767_225_600, 1_782_864_000
    assert time_zones.offset_seconds("UTC", summer) == 0
    assert time_zones.offset_seconds("America/New_York", winter) == -5 * 3600
    assert time_zones.offset_seconds("America/New_York", summer) == -4 * 3600


def test_a_wall_clock_is_read_back() -> None:
    # 2026-03-29 02:30 does not exist in Berlin, and 2026-10-25 02:30 comes twice.
    noon = 1_782_907_200
    assert time_zones.to_unix_seconds("Europe/Berlin", noon) == noon - 2 * 3600
    skipped = 1_774_751_400
    assert time_zones.to_unix_seconds("Europe/Berlin", skipped) == skipped - 3600
    twice = 1_792_895_400
    assert time_zones.to_unix_seconds("Europe/Berlin", twice) == twice - 3600
