"""What an API server does with more calls than it can serve: queues, refusals, shared cores."""

from __future__ import annotations

import pytest

from kubestage.cluster import profiles
from kubestage.cluster.access import Answer, Call, Resource, Selection
from kubestage.cluster.api_server import ApiServer, Turn
from kubestage.cluster.callers import Caller, of_account
from kubestage.cluster.listed import Listed
from kubestage.cluster.priority_levels import (
    CATCH_ALL,
    EXEMPT,
    GLOBAL_DEFAULT,
    LEADER_ELECTION,
    SYSTEM,
    WORKLOAD_HIGH,
    WORKLOAD_LOW,
    PriorityLevels,
)
from kubestage.cluster.profile import ApiSection, Profile
from kubestage.objects.kinds import KindTable
from kubestage.sim.streams import Streams
from tests.cluster import stages

MS = 1_000_000
SECOND = 1_000 * MS
POD = KindTable().of({"apiVersion": "v1", "kind": "Pod"})
PODS = Resource("v1", "Pod")


def server(**api: object) -> ApiServer:
    section = ApiSection(
        max_requests_inflight=245,
        max_mutating_requests_inflight=0,
        priority_levels=True,
        **api,  # type: ignore[arg-type] # of each test
    )
    return ApiServer(Profile(api=section), Streams(0))


def calls(
    api: ApiServer, count: int, level: str, flow: str, at_ns: int = 0, lists: int = 0
) -> list[Turn]:
    verb = "LIST" if lists else "POST"
    endpoint = api.endpoints.find(verb, POD, scope="cluster" if lists else "resource")
    return [
        api.take(endpoint, at_ns, level=level, flow=flow, lists=Listed(lists)) for _ in range(count)
    ]


def test_a_flow_fills_its_own_queues_and_leaves_those_of_others() -> None:
    api = server(create="10ms")
    flood = calls(api, 2_000, WORKLOAD_LOW, "a/default")
    assert sum(each.is_served for each in flood) == 100 + 6 * 50, "seats, and a hand of queues"
    assert all(each.is_served for each in calls(api, 50, WORKLOAD_LOW, "b/default"))
    assert not calls(api, 1, WORKLOAD_LOW, "a/default", 5 * MS)[0].is_served
    assert calls(api, 1, WORKLOAD_LOW, "a/default", 15 * MS)[0].is_served


def test_a_level_takes_no_more_than_all_its_queues_hold() -> None:
    api = server(create="1ms")
    served = [
        calls(api, 1, LEADER_ELECTION, f"controller-{number}")[0].is_served
        for number in range(1_000)
    ]
    assert sum(served) == 10 + 16 * 50


def test_what_nobody_classifies_is_refused_rather_than_queued() -> None:
    api = server(create="10ms")
    assert [each.is_served for each in calls(api, 7, CATCH_ALL, "x")] == [True] * 5 + [False] * 2
    [wide] = calls(api, 1, CATCH_ALL, "x", lists=5_000)
    assert not wide.is_served, "it would take more seats than are free"


def test_a_call_that_is_queued_for_a_quarter_of_the_timeout_is_refused() -> None:
    api = server(create="10s")
    turns = calls(api, 30, LEADER_ELECTION, "one")
    assert [turn.ends_ns // SECOND for turn in turns] == [10] * 10 + [20] * 10 + [15] * 10
    assert [turn.is_served for turn in turns] == [True] * 20 + [False] * 10


@pytest.mark.parametrize("level", [EXEMPT, SYSTEM, WORKLOAD_HIGH, GLOBAL_DEFAULT])
def test_a_flood_of_lists_makes_no_other_level_wait_for_its_end(level: str) -> None:
    api = ApiServer(profiles.named("gce-100"), Streams(0))
    flood = calls(api, 2_000, WORKLOAD_LOW, "a/default", lists=5_000)
    assert max(turn.ends_ns for turn in flood if turn.is_served) > 4 * SECOND
    took_ns = [turn.ends_ns - MS for turn in calls(api, 20, level, "other", MS)]
    assert max(took_ns) < 100 * MS, "it had been the end of the last list"


def test_long_lists_and_other_calls_share_the_cores() -> None:
    api = server(cores=2, create="1ms", list_per_object="1ms")
    assert calls(api, 1, SYSTEM, "node")[0].ends_ns == MS
    lists = calls(api, 2, WORKLOAD_LOW, "a/default", 10 * MS, lists=100)
    assert [turn.ends_ns // MS for turn in lists] == [110, 110]
    [beside] = calls(api, 1, SYSTEM, "node", 20 * MS)
    assert beside.ends_ns == 20 * MS + 1.5 * MS + 10 * MS, "two thirds of a core, after a slice"
    of_others = calls(api, 2, GLOBAL_DEFAULT, "user", 50 * MS, lists=100)
    assert [turn.ends_ns // MS for turn in of_others] == [200, 250], "three, then four share two"
    assert calls(api, 1, SYSTEM, "node", 400 * MS)[0].ends_ns == 401 * MS


@pytest.mark.parametrize(
    ("seats", "level", "widest"),
    [(600, WORKLOAD_LOW, 10), (600, GLOBAL_DEFAULT, 8), (600, LEADER_ELECTION, 4), (60, SYSTEM, 1)],
)
def test_a_list_takes_no_more_seats_than_its_level_allows(
    seats: int, level: str, widest: int
) -> None:
    assert PriorityLevels(seats).by_name[level].widest == widest


def test_refused_calls_are_no_samples_of_latency() -> None:
    tight = ApiSection(
        max_requests_inflight=10, max_mutating_requests_inflight=0, priority_levels=True, list="20s"
    )
    stage, cluster = stages.empty(Profile(api=tight))
    answers: list[Answer] = []
    caller = Caller(CATCH_ALL, "someone")
    for _ in range(3):
        cluster.call(Call(verb="list", resource=PODS), answers.append, caller)
    stage.run("30s")
    refused = [each.error for each in answers if each.error is not None]
    assert [each.details for each in refused] == [{"retryAfterSeconds": 1}] * 2
    endpoint = cluster.api.endpoints.find("LIST", stage.store.kind(("v1", "Pod")), scope="cluster")
    assert (endpoint.codes, endpoint.terminated) == ({200: 1}, 2)
    pages = {family.name: family for family in cluster.api.endpoints.families()}
    [(_, value)] = pages["apiserver_request_terminations_total"].values.items()  # type: ignore[attr-defined] # a counter
    assert value == 2


def test_a_watch_whose_list_is_refused_asks_again() -> None:
    tight = ApiSection(
        max_requests_inflight=10, max_mutating_requests_inflight=0, priority_levels=True, list="2s"
    )
    stage, cluster = stages.empty(Profile(api=tight))
    caller = Caller(CATCH_ALL, "someone")
    cluster.call(Call(verb="list", resource=PODS), lambda answer: None, caller)
    opened = cluster.watch(Selection(PODS), lambda event: None, caller=caller)
    synced = []
    for time in ("3500ms", "4500ms"):
        stage.run(time)
        synced.append(opened.is_synced)
    assert synced == [False, True]
    endpoint = cluster.api.endpoints.find("LIST", stage.store.kind(("v1", "Pod")), scope="cluster")
    assert (endpoint.codes, endpoint.terminated) == ({200: 2}, 2)


def test_what_components_do_at_once_is_late_and_not_refused() -> None:
    api = server(create="10ms", cores=1)
    for _ in range(1_000):
        api.count(api.endpoints.find("POST", POD), 0, SYSTEM)
    assert api.levels is not None
    system = api.levels.by_name[SYSTEM]
    assert (system.dispatched, system.refused.total) == (1_000, 0)


def test_service_accounts_of_the_system_are_more_important() -> None:
    assert of_account("kube-system", "proxy") == Caller(WORKLOAD_HIGH, "kube-system/proxy")
    assert of_account("shop", "default") == Caller(WORKLOAD_LOW, "shop/default")
