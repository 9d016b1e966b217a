"""Skenario's CPU model, by hand: an idle replica of one core, 200 ms of CPU and of I/O each."""

from __future__ import annotations

from math import sqrt
from typing import Any

import pytest

from kubestage.traffic.requests import Service
from tests.traffic.feeds import Listed
from tests.traffic.test_requests import ByMovements, InBulk, one

MS = 1_000_000
SECOND = 1_000 * MS
SERVICE = Service("SkenarioCPU", timeout_ns=10 * SECOND)


@pytest.fixture(params=[InBulk, ByMovements])
def begin(request: pytest.FixtureRequest) -> Any:
    return request.param


def rows(count: int, uniform: float = 0.0, at_ns: int = 1) -> Listed:
    return Listed([(at_ns, 200.0 * MS, 200 * MS, uniform)] * count)


def test_each_further_request_takes_longer_as_less_is_free(begin: Any) -> None:
    run = one(begin, SERVICE, rows(4)).until(9 * SECOND)
    # Not 1400 and 8600: a third of a thousand is not a whole number, and milliseconds are.
    assert [(fate[1] - 1) // MS for fate in run.fates()] == [400, 600, 1399, 8599]


def test_a_request_that_would_take_too_long_fails_at_its_deadline(begin: Any) -> None:
    run = one(begin, SERVICE, rows(5)).until(11 * SECOND)
    assert run.fates()[4] == ("a", 10 * SECOND + 1, "Timeout")


def test_one_that_takes_as_long_as_it_may_is_complete(begin: Any) -> None:
    just = one(begin, Service("SkenarioCPU", timeout_ns=400 * MS), rows(1)).until(SECOND)
    late = one(begin, Service("SkenarioCPU", timeout_ns=400 * MS - 1), rows(1)).until(SECOND)
    assert [just.fates()[0][2], late.fates()[0][2]] == ["Completed", "Timeout"]


def test_one_that_would_take_too_long_holds_no_cpu(begin: Any) -> None:
    run = one(begin, SERVICE, rows(5)).until(9 * SECOND)
    before = run.requests.replicas()["a"].cpu_core_ns
    assert run.until(9 * SECOND + 900 * MS).requests.replicas()["a"].cpu_core_ns == before


def test_without_a_timeout_one_that_finds_nothing_free_is_turned_away(begin: Any) -> None:
    run = one(begin, Service("SkenarioCPU"), Listed([(1, 1e30, 0, 0.0), (2, 1.0, 0, 0.0)]))
    assert run.until(SECOND).fates() == [("a", 2, "Overloaded")]
    assert run.requests.in_flight == 1


def test_luck_decides_on_the_part_of_the_delay(begin: Any) -> None:
    run = one(begin, SERVICE, rows(1, uniform=0.75)).until(SECOND)
    delay_ns = 400 * MS * 0.5 ** (sqrt(202) - 1) / (100 * 0.5)
    assert run.fates()[0][1] - 1 - 400 * MS == int(0.75 * (1 + int(delay_ns)))


def test_utilisation_is_clamped_to_96_percent(begin: Any) -> None:
    run = one(begin, SERVICE, Listed([(1, 200.0 * MS, 0, 0.5)])).until(SECOND)
    longest_ns = 1 + int(200 * MS * 0.96 ** (sqrt(202) - 1) / (100 * (1 - 0.96)))
    assert run.fates()[0][1] - 1 - 200 * MS == pytest.approx(longest_ns / 2, abs=1)


def test_service_times_are_whole_milliseconds(begin: Any) -> None:
    run = one(begin, SERVICE, Listed([(1, 1.9 * MS, MS, 0.0)])).until(SECOND)
    assert run.fates()[0][1] == 2 * MS + 1


def test_cpu_is_held_from_arrival_to_end(begin: Any) -> None:
    run = one(begin, SERVICE, rows(2)).until(200 * MS + 1)
    expected = 200 * MS * (500 + 1000 / 3) / 1000
    assert run.requests.replicas()["a"].cpu_core_ns == pytest.approx(expected)


def test_random_routing_leaves_luck_for_the_delay(begin: Any) -> None:
    run = begin(Service("SkenarioCPU", routing="Random"), rows(1, uniform=0.5 + 0.75 / 2))
    run.requests.add_replica("a", 1.0)
    run.requests.add_replica("b", 1.0)
    alone = one(begin, Service("SkenarioCPU"), rows(1, uniform=0.75)).until(SECOND).fates()[0]
    assert run.until(SECOND).fates()[0] == ("b", *alone[1:])
