"""Replicas on silent nodes: requests get no answer, in both ways of working through them."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.traffic.requests import DISCIPLINES, Service
from tests.traffic.feeds import Listed, each
from tests.traffic.test_requests import ByMovements, InBulk, Run

MS = 1_000_000


@pytest.fixture(params=[InBulk, ByMovements])
def begin(request: pytest.FixtureRequest) -> Any:
    return request.param


def served(begin: Any, service: Service, feed: Listed, names: str = "a") -> Run:
    run: Run = begin(service, feed)
    for name in names:
        run.requests.add_replica(name, 1.0)
    return run


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_what_is_there_and_what_is_sent_fails_at_its_timeout(begin: Any, discipline: Any) -> None:
    service = Service(discipline, timeout_ns=100 * MS)
    feed = each((10 * MS, 50 * MS, 0), (12 * MS, 20 * MS, 0), (30 * MS, 5 * MS, 0))
    run = served(begin, service, feed).until(20 * MS)
    run.requests.set_silent("a", True)
    assert run.until(40 * MS).requests.in_flight == 3
    assert run.until(500 * MS).fates() == [
        ("a", 110 * MS, "Timeout"), ("a", 112 * MS, "Timeout"), ("a", 130 * MS, "Timeout"),
    ]  # fmt: skip
    assert run.requests.replicas()["a"][3:6] == (3, 0, 3)


@pytest.mark.parametrize("discipline", DISCIPLINES)
def test_who_has_no_timeout_fails_at_once(begin: Any, discipline: Any) -> None:
    feed = each((10 * MS, 20 * MS, 30 * MS), (12 * MS, 20 * MS, 30 * MS), (30 * MS, 5 * MS, 0))
    run = served(begin, Service(discipline), feed).until(20 * MS)
    run.requests.set_silent("a", True)
    assert run.until(500 * MS).fates() == [
        ("a", 20 * MS, "NoAnswer"), ("a", 20 * MS, "NoAnswer"), ("a", 30 * MS, "NoAnswer"),
    ]  # fmt: skip
    assert run.requests.in_flight == 0


def test_no_cpu_is_used_meanwhile(begin: Any) -> None:
    run = served(begin, Service(timeout_ns=100), each((10, 50, 0), (30, 5, 0))).until(20)
    run.requests.set_silent("a", True)
    assert run.until(200).requests.replicas()["a"].cpu_core_ns == 10


@pytest.mark.parametrize("discipline", ["ProcessorSharing", "FCFS"])
def test_a_replica_that_is_back_serves_again_but_what_was_lost_is_lost(
    begin: Any, discipline: Any
) -> None:
    service = Service(discipline, timeout_ns=100)
    run = served(begin, service, each((10, 50, 0), (25, 5, 0), (50, 5, 0))).until(20)
    run.requests.set_silent("a", True)
    run.until(40).requests.set_silent("a", False)
    assert run.until(500).fates() == [
        ("a", 110, "Timeout"), ("a", 125, "Timeout"), ("a", 55, "Completed"),
    ]  # fmt: skip
    assert run.requests.replicas()["a"].cpu_core_ns == 15


def test_nobody_refuses_requests_on_a_silent_node_and_what_was_lost_fills_no_place(
    begin: Any,
) -> None:
    service = Service(max_requests=1, timeout_ns=100)
    run = served(begin, service, each((10, 50, 0), (25, 5, 0), (50, 5, 0), (52, 5, 0))).until(20)
    run.requests.set_silent("a", True)
    run.until(40).requests.set_silent("a", False)
    assert [fate[2] for fate in run.until(500).fates()] == [
        "Timeout", "Timeout", "Completed", "Overloaded",
    ]  # fmt: skip


def test_requests_are_sent_there_in_turn_until_it_is_drained(begin: Any) -> None:
    feed = each(*[(10 + 10 * at, 1, 0) for at in range(6)])
    run = served(begin, Service(timeout_ns=5), feed, "ab")
    run.requests.set_silent("a", True)
    run.until(45).requests.drain("a")
    assert [fate[::2] for fate in run.until(500).fates()] == [
        ("a", "Timeout"), ("b", "Completed"), ("a", "Timeout"), ("b", "Completed"),
        ("b", "Completed"), ("b", "Completed"),
    ]  # fmt: skip


def test_least_requests_counts_those_that_wait_for_an_answer(begin: Any) -> None:
    feed = each(*[(10 + 10 * at, 1, 0) for at in range(6)])
    run = served(begin, Service(timeout_ns=1_000, routing="LeastRequests"), feed, "ab")
    run.requests.set_silent("a", True)
    assert [fate[0] for fate in run.until(5_000).fates()] == ["a", "b", "b", "b", "b", "b"]


def test_who_waited_for_a_worker_has_waited_to_the_end(begin: Any) -> None:
    service = Service("FCFS", workers=1, timeout_ns=100)
    run = served(begin, service, each((10, 50, 0), (12, 50, 0), (30, 5, 0))).until(20)
    run.requests.set_silent("a", True)
    run.until(500)
    assert run.requests.record.requests()["waited_ns"] == [0, 100, 100]


def test_one_that_is_removed_is_not_silent_when_its_name_comes_back(begin: Any) -> None:
    run = served(begin, Service(timeout_ns=1_000), each((10, 50, 0), (60, 5, 0))).until(20)
    run.requests.set_silent("a", True)
    run.until(30).requests.remove_replica("a")
    run.requests.add_replica("a", 1.0)
    assert run.until(5_000).fates() == [("a", 30, "Interrupted"), ("a", 65, "Completed")]


def test_one_that_nobody_knows_cannot_fall_silent(begin: Any) -> None:
    run = served(begin, Service(), each((10, 5, 0)))
    run.requests.set_silent("b", True)
    assert run.until(100).fates() == [("a", 15, "Completed")]
