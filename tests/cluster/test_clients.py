"""Clients hold calls back as the limits of ClusterLoader2's clients do."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from kubestage.cluster import clients
from kubestage.cluster.access import Answer, Call, Page, Resource, Selection, WatchEvent
from kubestage.cluster.clients import Clients
from kubestage.cluster.stage_moments import StageMoments
from kubestage.sim.environment import Environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.cluster.access import Moments, Subscription

POD = Resource("v1", "Pod")
MS = 1_000_000


class Sent:
    """A watch that tells nothing."""

    is_synced = True

    def stop(self) -> None:
        """Nothing to stop."""


class Noting:
    """A cluster that notes what it is asked, and when."""

    is_stage = True

    def __init__(self, moments: Moments) -> None:
        self.moments = moments
        self.sent: list[tuple[int, str]] = []
        self.watched: list[Selection] = []

    def call(self, call: Call, done: Callable[[Answer], None]) -> None:
        now_ns = self.moments.now_ns
        self.sent.append((now_ns, call.name))
        done(Answer({}, None, now_ns, now_ns))

    def watch(self, selection: Selection, seen: Callable[[WatchEvent], None]) -> Subscription:
        del seen
        self.watched.append(selection)
        return Sent()

    def raw(self, path: str, done: Callable[[Page], None]) -> None:
        done(Page(200, path))


class Asked:
    """Calls through clients at the beginning of a simulation, and their answers."""

    def __init__(self, number: int, qps: float, burst: int) -> None:
        self.environment = Environment()
        self.environment.run(1)
        self.cluster = Noting(StageMoments(self.environment))
        self.clients = Clients(self.cluster, number, qps, burst)
        self.answers: list[Answer] = []

    def ask(self, *names: int) -> None:
        for name in names:
            call = Call(verb="get", resource=POD, name=str(name))
            self.clients.call(call, self.answers.append)

    def run(self) -> list[tuple[int, str]]:
        """What was sent, by the milliseconds since the beginning."""
        self.environment.run()
        return [((at_ns - 1) // MS, name) for at_ns, name in self.cluster.sent]


def test_a_burst_goes_at_once_and_the_rest_at_the_rate_in_order() -> None:
    asked = Asked(1, qps=100, burst=2)
    asked.ask(*range(5))
    assert asked.clients.held_back == 3
    assert asked.run() == [(0, "0"), (0, "1"), (10, "2"), (20, "3"), (30, "4")]
    assert asked.clients.held_back == 0


def test_calls_go_round_robin_and_each_client_has_a_limit_of_its_own() -> None:
    asked = Asked(2, qps=100, burst=1)
    asked.ask(*range(5))
    assert asked.run() == [(0, "0"), (0, "1"), (10, "2"), (10, "3"), (20, "4")]


def test_an_answer_says_when_the_limit_let_its_call_go() -> None:
    asked = Asked(1, qps=10, burst=1)
    asked.ask(0, 1)
    asked.run()
    assert [answer.sent_ns for answer in asked.answers] == [1, 1 + 100 * MS]


def test_one_who_comes_while_others_wait_waits_behind_them() -> None:
    asked = Asked(1, qps=10, burst=1)
    asked.ask(0, 1, 2)
    asked.environment.run(1 + 50 * MS)
    asked.ask(3)
    assert [name for _, name in asked.run()] == ["0", "1", "2", "3"]
    assert asked.cluster.sent[-1][0] == 1 + 300 * MS


def test_a_rate_is_kept_to_over_a_long_time() -> None:
    asked = Asked(1, qps=100, burst=200)
    asked.ask(*range(5_200))
    assert asked.run()[-1][0] == pytest.approx(50_000, abs=1)


def test_watches_and_raw_pages_pass() -> None:
    asked = Asked(1, qps=1, burst=1)
    asked.ask(0, 1)
    pages: list[Page] = []
    asked.clients.raw("/metrics", pages.append)
    subscription = asked.clients.watch(Selection(POD), print)
    assert pages == [Page(200, "/metrics")]
    assert subscription.is_synced
    assert asked.cluster.watched == [Selection(POD)]
    assert asked.clients.is_stage
    assert asked.clients.moments is asked.cluster.moments


@pytest.mark.parametrize(("nodes", "number"), [(0, 1), (1, 1), (100, 1), (101, 2), (5000, 50)])
def test_there_is_a_client_for_every_hundred_nodes(nodes: int, number: int) -> None:
    assert clients.number_for(nodes) == number


def test_calls_that_wait_are_pickled_with_their_clients() -> None:
    asked = Asked(1, qps=10, burst=1)
    asked.ask(0, 1, 2)
    again: Asked = pickle.loads(pickle.dumps(asked))
    assert again.run() == asked.run()
