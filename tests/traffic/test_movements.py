"""Requests as movements: their names, their stocks, and their order at one instant."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage.sim import ArrayStock, CountsOnly, Entity, Environment
from kubestage.traffic.fast.engine import FastRequests
from kubestage.traffic.movements import MovementRequests
from kubestage.traffic.record import Record
from kubestage.traffic.requests import DISCIPLINES, Service
from tests.traffic.feeds import Listed, each
from tests.traffic.test_equality import SERVICES, TIGHT, outcome

if TYPE_CHECKING:
    from kubestage.traffic.requests import Requests


class Changer(ArrayStock[Entity]):
    """Changes replicas when an entity comes in, as whoever follows pods does."""

    def __init__(self, requests: Requests) -> None:
        super().__init__("Changer", "Change")
        self._requests = requests

    def add(self, entity: Entity) -> None:
        what, name = entity.name.split()
        self._requests.advance(self._requests.environment.clock.now_ns)  # type: ignore[attr-defined]
        change(self._requests, what, name)


def change(requests: Requests, what: str, name: str) -> None:
    if what == "add":
        requests.add_replica(name, 1.5)
    elif what == "drain":
        requests.drain(name)
    else:
        requests.remove_replica(name)


def trace(environment: Environment) -> list[tuple[int, str, str, str, str]]:
    return [
        (done.occurs_at, done.movement.kind, done.movement.from_stock.name,
         done.movement.to_stock.name, done.movement.notes)
        for done in environment.completed_movements
        if done.entity.kind == "Request"
    ]  # fmt: skip


def test_a_request_moves_through_its_stocks() -> None:
    environment = Environment()
    requests = MovementRequests(environment, "web", Service(), each((10, 5, 1), (20, 1, 0)))
    requests.add_replica("a", 1.0)
    environment.run(19)
    requests.drain("a")
    environment.run(30)
    assert trace(environment) == [
        (10, "arrive_at_routing", "TrafficSource", "RequestsRouting", ""),
        (10, "send_to_replica", "RequestsRouting", "RequestsProcessing-a", ""),
        (16, "complete_request", "RequestsProcessing-a", "RequestsComplete", ""),
        (20, "arrive_at_routing", "TrafficSource", "RequestsRouting", ""),
        (20, "request_failed", "RequestsRouting", "RequestsFailed", "NoReplica"),
    ]


def test_failures_at_a_replica_say_why() -> None:
    environment = Environment()
    service = Service(timeout_ns=10, max_requests=1)
    feed = each((10, 50, 0), (11, 1, 0), (30, 9, 0))
    requests = MovementRequests(environment, "web", service, feed)
    requests.add_replica("a", 1.0)
    environment.run(35)
    requests.remove_replica("a")
    environment.run(40)
    failed = [row for row in trace(environment) if row[1] == "request_failed"]
    assert [(row[0], row[2], row[4]) for row in failed] == [
        (11, "RequestsRouting", "Overloaded"),
        (20, "RequestsProcessing-a", "Timeout"),
        (35, "RequestsProcessing-a", "Interrupted"),
    ]


def test_those_of_one_instant_arrive_before_they_are_sent() -> None:
    environment = Environment()
    requests = MovementRequests(environment, "web", Service(), each((10, 5, 0), (10, 5, 0)))
    requests.add_replica("a", 1.0)
    environment.run(10)
    kinds = [row[1] for row in trace(environment)]
    assert kinds == ["arrive_at_routing"] * 2 + ["send_to_replica"] * 2


def test_nothing_is_scheduled_past_the_halt() -> None:
    environment = Environment(halt_time=40)
    requests = MovementRequests(environment, "web", Service(), each((10, 50, 0), (45, 1, 0)))
    requests.add_replica("a", 1.0)
    environment.run()
    requests.check()
    assert environment.ignored_count == 0
    assert requests.in_flight == 1


@pytest.mark.parametrize("known_at", [1, 9])
def test_a_replica_that_comes_at_the_instant_of_an_arrival_gets_it(known_at: int) -> None:
    environment = Environment()
    requests = MovementRequests(environment, "web", Service(), each((10, 5, 0)))
    pool: ArrayStock[Entity] = ArrayStock("Pool", "Change")
    pool.add(Entity("add a", "Change"))
    environment.run(known_at)
    environment.schedule("change", 10, pool, Changer(requests))
    environment.run(20)
    assert requests.replicas()["a"].completed == 1


CHANGES = st.lists(
    st.tuples(
        st.integers(1, 60), st.sampled_from(["add", "drain", "remove"]), st.sampled_from("abc")
    ),
    max_size=8,
)


@settings(deadline=None, max_examples=200)
@given(service=SERVICES, rows=TIGHT, changes=CHANGES, foreseen=st.booleans())
def test_changes_come_after_departures_and_before_arrivals_of_their_instant(
    service: Service, rows: list[Any], changes: list[tuple[int, str, str]], foreseen: bool
) -> None:
    changes = [(1, "add", "a"), *sorted(changes, key=lambda row: row[0])]
    environment = Environment(recorder=CountsOnly())
    moved = MovementRequests(
        environment, "web", service, Listed(rows), record=Record(keep_requests=True)
    )
    changer = Changer(moved)
    pool: ArrayStock[Entity] = ArrayStock("Pool", "Change")
    for at_ns, what, name in changes:
        entity = Entity(f"{what} {name}", "Change")
        pool.add(entity)
        if not foreseen:
            environment.run(at_ns - 1)
        environment.schedule("change", at_ns, pool, changer, entity)
    environment.run(201)
    fast = FastRequests(service, Listed(rows), record=Record(keep_requests=True), compiled=False)
    for at_ns, what, name in changes:
        fast.advance(at_ns)
        change(fast, what, name)
    fast.advance(201)
    assert outcome(moved) == outcome(fast)


def test_a_fork_has_requests_of_its_own() -> None:
    for discipline in DISCIPLINES:
        environment = Environment(recorder=CountsOnly())
        service = Service(discipline)
        MovementRequests(environment, "web", service, each(*[(at, 3, 2) for at in range(2, 90)]))
        environment.models["web"].add_replica("a", 1.0)  # type: ignore[attr-defined]
        environment.run(50)
        fork = environment.fork()
        for each_one in (fork, environment):
            each_one.run(100)
        summaries = [
            of.models["web"].record.summary()  # type: ignore[attr-defined]
            for of in (environment, fork)
        ]
        assert summaries[0] == summaries[1]
        assert summaries[0]["requests"] == 88
