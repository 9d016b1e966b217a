"""Numbers are told as people say them."""

from __future__ import annotations

import pytest

from kubestage.results.life import wording


@pytest.mark.parametrize(
    ("value", "told"),
    [(None, "-"), (0.4, "0.4ms"), (12.4, "12ms"), (999.4, "999ms"), (1250, "1.25s")],
)
def test_response_times(value: float | None, told: str) -> None:
    assert wording.milliseconds(value) == told


@pytest.mark.parametrize(
    ("part", "whole", "told"),
    [(0, 0, "-"), (0, 9, "0%"), (1, 1_000_000, "< 0.01%"), (1, 3, "33.33%"), (1, 2, "50%")],
)
def test_shares(part: int, whole: int, told: str) -> None:
    assert wording.share(part, whole) == told


def test_reasons_are_those_that_there_were() -> None:
    failed = {"Timeout": 1200, "NoReplica": 3, "Overloaded": 0}
    assert wording.reasons(failed) == "1,200 timeout, 3 no replica"
    assert wording.reasons({"Timeout": 0}) == ""


def test_durations_may_have_days() -> None:
    assert [wording.moment(each) for each in (0, 75.5, 86400, 129600)] == [
        "0s",
        "1m15.5s",
        "1d",
        "1d12h0m0s",
    ]
