"""The fast path: growth, compiling when it pays, bounded memory, and the utilisation law."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from kubestage.traffic.fast import kernel
from kubestage.traffic.fast.compiling import COMPILED, Compiled
from kubestage.traffic.fast.engine import FastRequests
from kubestage.traffic.record import Record
from kubestage.traffic.requests import DISCIPLINES, ROUTINGS, Service
from tests.traffic.feeds import SECOND, Listed, Poisson, each

MS = 1_000_000


@pytest.mark.parametrize("compiled", [False, True])
def test_there_is_room_for_as_many_requests_as_come(compiled: bool) -> None:
    feed = each(*[(10, 1.0, 0)] * 5_000, *[(20_000, 1.0, 0)] * 3_000)
    requests = FastRequests(Service("FCFS"), feed, compiled=compiled)
    requests.add_replica("a", 1.0)
    requests.advance(15)
    assert requests.in_flight == 4_995
    requests.advance(30_000)
    requests.check()
    assert requests.record.completed == 8_000


@pytest.mark.parametrize("compiled", [False, True])
def test_there_is_room_for_as_many_replicas_as_come(compiled: bool) -> None:
    feed = each(*[(at + 10, 500.0, 0) for at in range(100)])
    requests = FastRequests(Service(), feed, compiled=compiled)
    for at in range(100):
        requests.add_replica(f"r{at}", 1.0)
    requests.advance(2_000)
    assert {replica.completed for replica in requests.replicas().values()} == {1}
    assert requests.record.summary()["response_ms"]["max"] == 500 / MS


@pytest.mark.parametrize("compiled", [False, True])
def test_replicas_that_go_leave_room_for_others(compiled: bool) -> None:
    feed = each(*[(at * 10 + 5, 15.0, 0) for at in range(500)])
    requests = FastRequests(Service(), feed, record=Record(keep_requests=True), compiled=compiled)
    for at in range(500):
        requests.add_replica(f"r{at}", 1.0)
        requests.advance(at * 10 + 11)
        requests.remove_replica(f"r{at}")
    found = requests.record.requests()
    assert found["replica"] == [f"r{at}" for at in range(500)]
    assert set(found["outcome"]) == {"Interrupted"}
    assert len(requests._state.stations) == len(FastRequests(Service(), feed)._state.stations)


def test_it_goes_on_with_arrays_in_the_middle_of_the_work() -> None:
    rows = [(at * 5 * MS + 1, 9.0 * MS, at % 3 * MS, 0.5) for at in range(400)]
    plain = FastRequests(Service(), Listed(rows), record=Record(keep_requests=True), compiled=False)
    other = FastRequests(Service(), Listed(rows), record=Record(keep_requests=True), compiled=False)
    for requests in (plain, other):
        requests.add_replica("a", 2.0)
        requests.advance(SECOND)
    other._compiled = True
    for requests in (plain, other):
        requests.advance(4 * SECOND)
    assert other._state.is_compiled
    assert other.record.requests() == plain.record.requests()
    assert other.replicas() == plain.replicas()


def test_the_kernel_is_loaded_when_that_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    from kubestage.traffic.fast import compiled as module

    monkeypatch.setattr(module, "is_cached", lambda: True)
    compiled = Compiled(pays_after=100)
    assert compiled.get(60) is kernel
    assert compiled.get(40) is kernel
    assert compiled.get(1) is not kernel


def test_more_work_is_needed_where_the_kernel_is_not_on_disk_yet(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    from kubestage.traffic.fast import compiled as module

    monkeypatch.setattr(module, "is_cached", lambda: False)
    compiled = Compiled(pays_after=100, compiling_pays_after=1_000)
    assert compiled.get(101) is kernel
    assert compiled.get(899) is kernel
    assert compiled.get(1) is not kernel
    at_once = Compiled(pays_after=100, compiling_pays_after=1_000)
    assert at_once.get(1_001) is not kernel


def test_whoever_waits_for_the_compiler_can_be_told() -> None:
    compiled, told = Compiled(), list[Any]()
    compiled.on_load = told.append
    assert compiled.load()
    assert [module.run for module in told] == [compiled.get(0).run]


def test_requests_at_hand_are_a_reason_to_compile() -> None:
    assert COMPILED.load()
    requests = FastRequests(Service(), each((10, 1, 0)))
    requests.advance(20)
    assert requests._state.is_compiled


def test_a_copy_of_compiled_work_goes_on_identically() -> None:
    requests = FastRequests(Service(timeout_ns=SECOND), Poisson(50, 0.1), compiled=True)
    for name in "abcdef":
        requests.add_replica(name, 1.0)
    requests.advance(20 * SECOND)
    copy = pickle.loads(pickle.dumps(requests))
    for one in (copy, requests):
        one.advance(60 * SECOND)
        one.check()
    assert copy.record.table() == requests.record.table()
    assert copy.replicas() == requests.replicas()


def test_memory_does_not_grow_with_the_number_of_requests() -> None:
    requests = FastRequests(Service(), Poisson(2_000, 0.001), compiled=True)
    for name in "abcd":
        requests.add_replica(name, 1.0)
    requests.advance(30 * SECOND)
    size = len(pickle.dumps(requests))
    requests.advance(55 * SECOND)
    assert requests.record.arrived > 100_000
    assert len(pickle.dumps(requests)) <= 1.1 * size


@pytest.mark.parametrize("discipline", DISCIPLINES[:2])
@pytest.mark.parametrize("routing", ROUTINGS)
def test_the_utilisation_law_holds(discipline: Any, routing: Any) -> None:
    requests = FastRequests(Service(discipline, routing=routing), Poisson(10, 0.2), compiled=True)
    for name in "abcd":
        requests.add_replica(name, 1.0)
    requests.advance(4_000 * SECOND)
    used = sum(replica.cpu_core_ns for replica in requests.replicas().values())
    assert used / (4 * 4_000 * SECOND) == pytest.approx(0.5, rel=0.03)
