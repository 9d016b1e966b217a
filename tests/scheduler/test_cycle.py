"""One attempt at one pod: filter, score, choose."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest

from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cache import Cache
from kubestage.scheduler.cycle import NO_NODES_MESSAGE, Cycle
from kubestage.scheduler.framework import (
    SKIP,
    SUCCESS,
    Codes,
    Columns,
    CycleState,
    Ints,
    NodeInfo,
    Rows,
    Status,
    error,
    unresolvable,
    unschedulable,
)
from kubestage.scheduler.nominator import Nominator
from kubestage.scheduler.runtime import Profile
from kubestage.testing import make_node, make_pod

PodView = pod_views.PodView


class Refuse:
    """Rejects the nodes it is given, one node at a time."""

    def __init__(self, *names: str, status: Status | None = None, name: str = "Refuse") -> None:
        self.name = name
        self.names = names
        self.refusal = status or unschedulable("not this one")
        self.asked: list[str] = []

    def filter_node(self, _: CycleState, __: PodView, node: NodeInfo) -> Status:
        self.asked.append(node.name)
        return self.refusal if node.name in self.names else SUCCESS


class Restrict:
    """A PreFilter with a fixed answer."""

    def __init__(self, name: str, status: Status, nodes: frozenset[str] | None = None) -> None:
        self.name = name
        self.answer = status, nodes

    def pre_filter(
        self, _: CycleState, __: PodView, ___: Columns
    ) -> tuple[Status, frozenset[str] | None]:
        return self.answer

    def filter(self, _: CycleState, __: PodView, columns: Columns, rows: Rows) -> Codes:
        return np.ones(len(columns), np.int32)[rows]

    def status(self, _: CycleState, __: PodView, ___: int) -> Status:
        return unschedulable("its filter ran")


class ByName:
    """Scores a node by a table, one node at a time, and brings scores to the scale."""

    name = "ByName"

    def __init__(self, **scores: int) -> None:
        self.scores = scores

    def score_node(self, _: CycleState, __: PodView, node: NodeInfo) -> int:
        return self.scores.get(node.name, 0)

    def normalize(self, _: CycleState, __: PodView, scores: Ints, ___: Columns, ____: Ints) -> Ints:
        return scores * 100 // max(int(scores.max()), 1)


def _attempt(nodes: int, points: dict[str, list[Any]], **options: Any) -> Any:
    cache = Cache()
    for number in range(nodes):
        cache.add_node(node_views.of(make_node(f"n{number}")))
    profile = Profile("test", points, {"ByName": 3})
    cycle = options.pop("cycle", None) or Cycle(Nominator(), random.Random(0), **options)
    pod = pod_views.of(make_pod("p"))
    return cycle.schedule(profile, pod, cache.columns)


def test_without_nodes_there_is_nothing_to_choose() -> None:
    assert _attempt(0, {}).failure == NO_NODES_MESSAGE


def test_the_best_score_wins_and_weights_count() -> None:
    attempt = _attempt(3, {"score": [ByName(n1=20, n2=10)]})
    assert attempt.node_name == "n1"
    assert attempt.totals.tolist() == [0, 300, 150]
    scores = attempt.scores[0]
    assert (scores.raw.tolist(), scores.normalized.tolist()) == ([0, 20, 10], [0, 100, 50])


def test_one_feasible_node_is_taken_unscored() -> None:
    attempt = _attempt(3, {"filter": [Refuse("n0", "n2")], "score": [ByName(n0=9)]})
    assert attempt.node_name == "n1"
    assert attempt.totals is None


def test_the_message_counts_reasons_in_order_of_their_text() -> None:
    first = Refuse("n0", "n1", status=unschedulable("too small", "too far"), name="First")
    second = Refuse("n0", "n2", status=unresolvable("wrong colour"), name="Second")
    attempt = _attempt(3, {"filter": [first, second], "score": [ByName()]})
    assert attempt.failure == ("0/3 nodes are available: 1 wrong colour, 2 too far, 2 too small.")
    assert attempt.diagnosis.unschedulable_plugins == {"First", "Second"}
    assert attempt.diagnosis.status_of("n2").plugin == "Second"


def test_a_plugin_is_not_asked_about_nodes_that_another_has_rejected() -> None:
    second = Refuse(name="Second")
    _attempt(3, {"filter": [Refuse("n1", name="First"), second], "score": [ByName()]})
    assert second.asked == ["n0", "n2"]


def test_a_plugin_that_skips_is_not_asked_to_filter() -> None:
    plugin = Restrict("Quiet", SKIP)
    assert _attempt(2, {"preFilter": [plugin], "filter": [plugin]}).node_name == "n0"


def test_a_pre_filter_that_rejects_speaks_for_all_nodes() -> None:
    attempt = _attempt(2, {"preFilter": [Restrict("Gate", unresolvable("no way"))]})
    assert attempt.failure == "0/2 nodes are available: no way."
    assert attempt.diagnosis.status_of("n1").message == "no way"


def test_a_pre_filter_may_restrict_the_nodes() -> None:
    plugin = Restrict("Only", SUCCESS, frozenset({"n1", "gone"}))
    attempt = _attempt(3, {"preFilter": [plugin], "filter": [Refuse("n1")]})
    assert attempt.evaluated.tolist() == [1]
    assert attempt.failure == (
        "0/3 nodes are available: 1 not this one, 2 node(s) didn't satisfy plugin(s) [Only]."
    )


def test_restrictions_that_leave_nothing_are_told() -> None:
    plugins = [
        Restrict("One", SUCCESS, frozenset({"n0"})), Restrict("Two", SUCCESS, frozenset({"n1"}))
    ]  # fmt: skip
    attempt = _attempt(2, {"preFilter": plugins})
    assert attempt.failure == (
        "0/2 nodes are available: node(s) didn't satisfy plugin(s) [One Two] simultaneously."
    )


@pytest.mark.parametrize(
    ("points", "failure"),
    [
        (
            {"preFilter": [Restrict("Bad", error("broken"))]},
            'running PreFilter plugin "Bad": broken',
        ),
        (
            {"filter": [Refuse("n0", status=error("broken"), name="Bad")], "score": [ByName()]},
            'running "Bad" filter plugin: broken',
        ),
    ],
)
def test_a_plugin_that_fails_ends_the_attempt(points: dict[str, list[Any]], failure: str) -> None:
    attempt = _attempt(3, points)
    assert attempt.is_error
    assert attempt.node_name is None
    assert attempt.failure == failure


def test_the_search_stops_when_enough_nodes_are_found_and_goes_on_from_there() -> None:
    cycle = Cycle(Nominator(), random.Random(0), percentage_of_nodes_to_score=50)
    refuse = Refuse("n1")
    points: dict[str, list[Any]] = {"filter": [refuse], "score": [ByName()]}
    first = _attempt(300, points, cycle=cycle)
    assert len(first.feasible) == 150
    assert first.evaluated_count == 151
    assert cycle.next_start == 151
    second = _attempt(300, points, cycle=cycle)
    assert second.evaluated.tolist()[0] == 151
    # Node n1 was looked at, too, before the search met one feasible node too many.
    assert cycle.next_start == 2


def test_without_scoring_the_first_feasible_node_is_taken() -> None:
    attempt = _attempt(300, {"filter": [Refuse("n0", "n1")]})
    assert attempt.node_name == "n2"


def test_a_nominated_node_that_still_fits_is_taken_without_looking_further() -> None:
    cache = Cache()
    for number in range(3):
        cache.add_node(node_views.of(make_node(f"n{number}")))
    raw = make_pod("p")
    raw["status"] = {"nominatedNodeName": "n2"}
    profile = Profile("test", {"score": [ByName(n0=9)]}, {})
    attempt = Cycle(Nominator(), random.Random(0)).schedule(
        profile, pod_views.of(raw), cache.columns
    )
    assert attempt.node_name == "n2"
    assert attempt.evaluated.tolist() == [2]


class OnePodEach:
    """Takes a node only while nobody is on it; works on columns."""

    name = "OnePodEach"

    def filter(self, _: CycleState, __: PodView, columns: Columns, rows: Rows) -> Codes:
        return (columns.pod_count[rows] > 0).astype(np.int32)

    def status(self, _: CycleState, __: PodView, ___: int) -> Status:
        return unschedulable("taken")


@pytest.mark.parametrize(("priority", "chosen"), [(0, "n1"), (10, "n1"), (20, "n0")])
def test_a_node_must_also_fit_with_pods_nominated_there_unless_they_are_weaker(
    priority: int, chosen: str
) -> None:
    cache, nominator = Cache(), Nominator()
    for number in range(2):
        cache.add_node(node_views.of(make_node(f"n{number}")))
    waiting = make_pod("waiting", priority=10)
    waiting["metadata"]["uid"] = "waiting"
    nominator.add(pod_views.of(waiting), "n0")
    profile = Profile("test", {"filter": [OnePodEach()], "score": [ByName(n0=9)]}, {})
    cycle = Cycle(nominator, random.Random(0))
    pod = pod_views.of(make_pod("p", priority=priority))
    assert cycle.schedule(profile, pod, cache.columns).node_name == chosen
