"""Each rule of how requests are routed, served and lost, in both ways of working through them."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from kubestage.errors import InputError, SimulationError
from kubestage.sim import Environment
from kubestage.traffic.fast.engine import FastRequests
from kubestage.traffic.movements import MovementRequests
from kubestage.traffic.record import Record
from kubestage.traffic.requests import Service
from tests.traffic.feeds import Listed, each

if TYPE_CHECKING:
    from kubestage.traffic.requests import Requests


class Run(Protocol):
    """Begins requests, goes on with them, and tells how they fared."""

    requests: Any

    def until(self, at_ns: int) -> Run: ...

    def fates(self) -> list[tuple[str, int, str]]: ...


class InBulk:
    def __init__(self, service: Service, feed: Listed) -> None:
        record = Record(keep_requests=True)
        self.requests: Requests = FastRequests(service, feed, record=record, compiled=False)

    def until(self, at_ns: int) -> Run:
        self.requests.advance(at_ns, is_over=True)
        return self

    def fates(self) -> list[tuple[str, int, str]]:
        self.requests.check()
        found = self.requests.record.requests()
        return list(zip(found["replica"], found["ended_ns"], found["outcome"], strict=True))


class ByMovements(InBulk):
    def __init__(self, service: Service, feed: Listed) -> None:
        self.environment = Environment()
        record = Record(keep_requests=True)
        self.requests = MovementRequests(self.environment, "web", service, feed, record=record)

    def until(self, at_ns: int) -> Run:
        self.environment.run(at_ns)
        return self


@pytest.fixture(params=[InBulk, ByMovements])
def begin(request: pytest.FixtureRequest) -> Any:
    return request.param


def one(begin: Any, service: Service, feed: Listed, cores: float = 1.0) -> Run:
    run: Run = begin(service, feed)
    run.requests.add_replica("a", cores)
    return run


def test_a_request_without_an_active_replica_fails_at_once(begin: Any) -> None:
    run = begin(Service(), each((10, 5, 0)))
    assert run.until(100).fates() == [("", 10, "NoReplica")]


def test_who_arrives_at_an_instant_comes_after_what_is_changed_then_unless_it_is_over() -> None:
    requests = FastRequests(Service(), each((10, 5, 0), (20, 5, 0)), record=Record())
    requests.add_replica("a", 1.0)
    requests.advance(10)
    assert (requests.record.arrived, requests.in_flight) == (0, 0)
    requests.remove_replica("a")
    requests.advance(20, is_over=True)
    assert requests.record.arrived == 2
    assert requests.record.summary()["failed"]["NoReplica"] == 2


def test_a_replica_that_nobody_knows_can_be_neither_changed_nor_removed(begin: Any) -> None:
    run = one(begin, Service(), each((10, 5, 0)))
    run.requests.set_capacity("b", 2.0)
    run.requests.drain("b")
    run.requests.remove_replica("b")
    assert run.until(100).fates() == [("a", 15, "Completed")]
    assert list(run.requests.replicas()) == ["a"]


def test_a_full_replica_turns_requests_away(begin: Any) -> None:
    run = one(begin, Service(max_requests=2), each((10, 5, 0), (10, 5, 0), (10, 5, 0), (21, 5, 0)))
    assert run.until(100).fates() == [
        ("a", 20, "Completed"), ("a", 20, "Completed"), ("a", 10, "Overloaded"),
        ("a", 26, "Completed"),
    ]  # fmt: skip
    assert run.requests.replicas()["a"][3:6] == (4, 3, 1)


def test_round_robin_takes_turns_in_the_order_of_activation(begin: Any) -> None:
    run = begin(Service(), each(*[(10 + at, 1, 0) for at in range(5)]))
    for name in "bac":
        run.requests.add_replica(name, 1.0)
    assert "".join(fate[0] for fate in run.until(100).fates()) == "bacba"


def test_least_requests_takes_the_emptiest_and_ties_in_turn(begin: Any) -> None:
    feed = each((10, 100, 0), (10, 1, 0), (10, 1, 0), (20, 1, 0), (20, 1, 0), (30, 1, 0))
    run = begin(Service(routing="LeastRequests"), feed)
    for name in "abc":
        run.requests.add_replica(name, 1.0)
    assert "".join(fate[0] for fate in run.until(500).fates()) == "abcbcc"


def test_random_routing_goes_by_luck(begin: Any) -> None:
    rows = [(10 + at, 1.0, 0, uniform) for at, uniform in enumerate([0.0, 0.3, 0.34, 0.67, 0.999])]
    run = begin(Service(routing="Random"), Listed(rows))
    for name in "abc":
        run.requests.add_replica(name, 1.0)
    assert "".join(fate[0] for fate in run.until(100).fates()) == "aabcc"


def test_sharing_slows_all_down_when_there_are_more_requests_than_cores(begin: Any) -> None:
    run = one(begin, Service(), each((10, 10, 0), (15, 2, 0)))
    assert run.until(100).fates() == [("a", 22, "Completed"), ("a", 19, "Completed")]
    assert run.requests.replicas()["a"].cpu_core_ns == 12


def test_sharing_gives_nobody_more_than_one_core(begin: Any) -> None:
    run = one(begin, Service(), each((10, 10, 0), (15, 2, 0)), cores=4.0)
    assert run.until(100).fates() == [("a", 20, "Completed"), ("a", 17, "Completed")]


def test_sharing_is_as_exact_after_a_long_time_as_before(begin: Any) -> None:
    run = one(begin, Service(), each((10, 1e17, 0), (10**17 + 100, 5, 0)))
    assert [fate[1] for fate in run.until(10**17 + 200).fates()] == [10**17 + 10, 10**17 + 105]


def test_io_is_a_delay_after_the_cpu_phase_and_takes_no_cpu(begin: Any) -> None:
    run = one(begin, Service(), each((10, 4, 20), (14, 4, 0)))
    assert run.until(15).requests.replicas()["a"].cpu_core_ns == 5
    assert run.until(100).fates() == [("a", 34, "Completed"), ("a", 18, "Completed")]
    assert run.requests.replicas()["a"].cpu_core_ns == 8


def test_fcfs_serves_in_the_order_of_arrival(begin: Any) -> None:
    run = one(begin, Service("FCFS"), each((10, 10, 5), (11, 1, 0), (12, 2, 0)))
    assert [fate[1] for fate in run.until(100).fates()] == [25, 26, 28]
    assert run.requests.record.requests()["waited_ns"] == [0, 14, 14]
    assert run.requests.replicas()["a"].cpu_core_ns == 13


def test_fcfs_has_a_worker_for_each_core_rounded_up_which_share_the_cores(begin: Any) -> None:
    run = one(begin, Service("FCFS"), each((10, 6, 0), (10, 6, 0), (10, 6, 0)), cores=1.5)
    assert [fate[1] for fate in run.until(100).fates()] == [18, 18, 26]


def test_fcfs_with_more_workers_than_cores_is_slower_in_each(begin: Any) -> None:
    run = one(begin, Service("FCFS", workers=4), each((10, 6, 3), (10, 6, 3)), cores=2.0)
    assert [fate[1] for fate in run.until(100).fates()] == [25, 25]
    assert run.requests.replicas()["a"].cpu_core_ns == 12


def test_fcfs_counts_the_cpu_of_a_request_as_it_is_used(begin: Any) -> None:
    run = one(begin, Service("FCFS"), each((10, 6, 3)))
    assert [run.until(at).requests.replicas()["a"].cpu_core_ns for at in (12, 16, 18)] == [2, 6, 6]


def test_those_that_leave_at_one_instant_do_so_in_the_order_of_arrival(begin: Any) -> None:
    run = one(begin, Service("FCFS"), each((10, 0.3, 0), (10, 0.2, 0), (10, 0.1, 0)), cores=3.0)
    used = run.until(20).requests.replicas()["a"].cpu_core_ns
    assert used == 0.3 + 0.2 + 0.1 != 0.1 + 0.3 + 0.2


@pytest.mark.parametrize("discipline", ["ProcessorSharing", "FCFS"])
def test_a_request_fails_at_its_deadline_and_frees_what_it_holds(
    begin: Any, discipline: Any
) -> None:
    run = one(begin, Service(discipline, timeout_ns=20), each((10, 50, 0), (29, 5, 0)))
    fates = run.until(100).fates()
    assert fates[0] == ("a", 30, "Timeout")
    assert fates[1] == ("a", 35, "Completed")


def test_a_request_that_is_complete_at_its_deadline_is_complete(begin: Any) -> None:
    run = one(begin, Service(timeout_ns=20), each((10, 15, 5), (50, 15, 6)))
    assert run.until(100).fates() == [("a", 30, "Completed"), ("a", 70, "Timeout")]


def test_one_that_waits_can_time_out_in_the_queue(begin: Any) -> None:
    run = one(begin, Service("FCFS", timeout_ns=20), each((10, 20, 0), (12, 9, 0), (13, 2, 0)))
    assert [fate[1:] for fate in run.until(100).fates()] == [
        (30, "Completed"), (32, "Timeout"), (33, "Timeout"),
    ]  # fmt: skip
    assert run.requests.record.requests()["waited_ns"] == [0, 18, 19]


def test_a_drained_replica_gets_no_more_and_finishes_what_it_has(begin: Any) -> None:
    run = one(begin, Service(), each((10, 10, 0), (12, 1, 0))).until(11)
    run.requests.drain("a")
    assert run.until(100).fates() == [("a", 20, "Completed"), ("", 12, "NoReplica")]


def test_a_drained_replica_can_take_part_again(begin: Any) -> None:
    run = one(begin, Service(), each((10, 10, 0), (14, 1, 0))).until(11)
    run.requests.drain("a")
    run.requests.add_replica("a", 2.0)
    assert run.until(100).fates() == [("a", 20, "Completed"), ("a", 15, "Completed")]


def test_what_is_in_flight_when_a_replica_goes_is_interrupted(begin: Any) -> None:
    run = one(begin, Service(), each((10, 10, 0), (12, 1, 90), (30, 1, 0))).until(17)
    run.requests.remove_replica("a")
    run.requests.add_replica("a", 1.0)
    assert run.until(100).fates() == [
        ("a", 17, "Interrupted"), ("a", 17, "Interrupted"), ("a", 31, "Completed"),
    ]  # fmt: skip
    assert run.requests.replicas()["a"] == (1, 0, 1.0, 1, 1, 0, 1)


def test_removing_a_replica_that_is_not_there_does_nothing(begin: Any) -> None:
    run = one(begin, Service(), each((10, 10, 0)))
    run.requests.remove_replica("b")
    assert run.until(100).fates() == [("a", 20, "Completed")]


def test_more_cores_speed_up_those_in_their_cpu_phase(begin: Any) -> None:
    run = one(begin, Service(), each((10, 10, 0), (10, 10, 0))).until(20)
    run.requests.set_capacity("a", 2.0)
    assert [fate[1] for fate in run.until(100).fates()] == [25, 25]


def test_more_cores_bring_more_workers(begin: Any) -> None:
    run = one(begin, Service("FCFS"), each((10, 10, 0), (10, 10, 0))).until(15)
    run.requests.set_capacity("a", 2.0)
    assert [fate[1] for fate in run.until(100).fates()] == [20, 25]


def test_nothing_arrives_after_a_stop(begin: Any) -> None:
    run = one(begin, Service(), each((10, 10, 0), (12, 1, 0))).until(11)
    run.requests.stop()
    assert run.until(100).fates() == [("a", 20, "Completed")]


def test_a_new_feed_takes_the_place_of_the_old_one(begin: Any) -> None:
    run = one(begin, Service(), each((10, 10, 0), (30, 10, 0))).until(15)
    run.requests.set_feed(each((40, 1, 0)))
    assert run.until(100).fates() == [("a", 20, "Completed"), ("a", 41, "Completed")]


def test_departures_come_before_arrivals_of_the_same_instant(begin: Any) -> None:
    run = one(begin, Service(max_requests=1), each((10, 10, 0), (20, 1, 0)))
    assert run.until(100).fates() == [("a", 20, "Completed"), ("a", 21, "Completed")]


def test_those_of_one_instant_are_all_sent_before_one_that_needs_nothing_leaves(
    begin: Any,
) -> None:
    run = one(begin, Service(max_requests=1), each((10, 0, 0), (10, 0, 0), (11, 0, 0)))
    assert [fate[1:] for fate in run.until(100).fates()] == [
        (10, "Completed"), (10, "Overloaded"), (11, "Completed"),
    ]  # fmt: skip


@pytest.mark.parametrize("discipline", ["ProcessorSharing", "FCFS", "SkenarioCPU"])
def test_a_copy_goes_on_identically(begin: Any, discipline: Any) -> None:
    ms = 1_000_000
    rows = [(at * 7 * ms + 1, at % 7 * 3.0 * ms, at % 3 * ms, at % 10 / 10) for at in range(200)]
    run = one(begin, Service(discipline, timeout_ns=90 * ms), Listed(rows)).until(501 * ms)
    copy = pickle.loads(pickle.dumps(run))
    assert len(run.fates()) == len(copy.fates()) < 200
    assert copy.until(2_000 * ms).fates() == run.until(2_000 * ms).fates()
    assert len(run.fates()) == 200


@pytest.mark.parametrize("cores", [0.0, -1.0, float("inf"), float("nan")])
def test_a_replica_needs_some_cpu(begin: Any, cores: float) -> None:
    with pytest.raises(InputError, match="a replica needs some CPU"):
        one(begin, Service(), each(), cores)


@pytest.mark.parametrize("name", ["workers", "max_requests", "timeout_ns"])
def test_the_numbers_of_a_service_are_positive(name: str) -> None:
    values: dict[str, Any] = {name: 0}
    with pytest.raises(InputError, match=f"{name}: must be 1 or more, not 0"):
        Service(**values)


def test_time_does_not_go_back() -> None:
    requests = FastRequests(Service(), each((10, 1, 0)))
    requests.advance(20)
    with pytest.raises(SimulationError, match="cannot go back to 19 ns: it is 20 ns"):
        requests.advance(19)
