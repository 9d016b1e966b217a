"""API Priority and Fairness: levels that do not wait for one another, and lend each other seats."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.cluster import profiles
from kubestage.cluster.api_server import ApiServer
from kubestage.cluster.priority_levels import (
    EXEMPT,
    GLOBAL_DEFAULT,
    LEVELS,
    NODE_HIGH,
    PERIOD_NS,
    SYSTEM,
    WORKLOAD_HIGH,
    WORKLOAD_LOW,
    PriorityLevels,
    Shares,
)
from kubestage.cluster.profile import ApiSection, ClientSection, Profile
from kubestage.cluster.queued_calls import Queuing
from kubestage.errors import InputError
from kubestage.objects.kinds import KindTable
from kubestage.server.bootstrap import flow_control
from kubestage.sim.streams import Streams

if TYPE_CHECKING:
    from collections.abc import Iterator

MS = 1_000_000
POD = KindTable().of({"apiVersion": "v1", "kind": "Pod"})


def server(seats: int = 245, client: str = GLOBAL_DEFAULT, **api: object) -> ApiServer:
    section = ApiSection(
        max_requests_inflight=seats,
        max_mutating_requests_inflight=0,
        priority_levels=True,
        **{"create": "10ms", "list": "10ms", **api},  # type: ignore[arg-type] # of each test
    )
    return ApiServer(Profile(api=section, client=ClientSection(priority_level=client)), Streams(0))


def waited(api: ApiServer, level: str, calls: int, at_ns: int = 0) -> list[int]:
    """For how many milliseconds calls of one instant wait."""
    turns = [api.take(api.endpoints.find("POST", POD), at_ns, level=level) for _ in range(calls)]
    return [turn.waited_ns // MS for turn in turns if turn.is_served]


def limits(levels: PriorityLevels) -> dict[str, int]:
    return {name: level.seats.count for name, level in levels.by_name.items() if name != EXEMPT}


def test_every_level_has_its_share_of_the_seats() -> None:
    nominal = {name: level.nominal for name, level in PriorityLevels(600).by_name.items()}
    assert nominal == {
        "exempt": 0, "catch-all": 13, "system": 74, "node-high": 98, "leader-election": 25,
        "workload-high": 98, "workload-low": 245, "global-default": 49,
    }  # fmt: skip
    least = {name: level.least for name, level in PriorityLevels(600).by_name.items()}
    assert least["workload-low"] == 245 - round(245 * 0.9 + 0.001)
    assert least["leader-election"] == 25


def test_shares_and_queues_are_those_of_the_objects_that_a_served_cluster_begins_with() -> None:
    def shares() -> Iterator[tuple[str, Shares]]:
        for each in flow_control.objects("2026-01-01T00:00:00Z"):
            if each["kind"] == "PriorityLevelConfiguration":
                spec: Any = each["spec"]
                limits = spec.get("limited") or spec["exempt"]
                found = limits["nominalConcurrencyShares"], limits["lendablePercent"]
                queues = limits.get("limitResponse", {}).get("queuing")
                names = ("queues", "handSize", "queueLengthLimit")
                queuing = Queuing(*(queues[name] for name in names)) if queues else None
                yield each["metadata"]["name"], Shares(*found, queuing)

    assert dict(shares()) == LEVELS


def test_a_level_that_is_busy_makes_no_other_wait() -> None:
    api = server()
    assert waited(api, WORKLOAD_LOW, 250) == [0] * 100 + [10] * 100 + [20] * 50
    assert waited(api, SYSTEM, 30) == [0] * 30
    assert waited(api, SYSTEM, 1) == [10]
    assert waited(api, EXEMPT, 500) == [0] * 500


def test_calls_have_the_level_of_the_clients_unless_they_name_one() -> None:
    api = server()
    endpoint = api.endpoints.find("POST", POD)
    turns = [api.take(endpoint, 0) for _ in range(21)]
    assert [turn.waited_ns // MS for turn in turns if turn.is_served] == [0] * 20 + [10]
    exempt = server(client=EXEMPT)
    endpoint = exempt.endpoints.find("POST", POD)
    turns = [exempt.take(endpoint, 0) for _ in range(500)]
    assert {turn.waited_ns for turn in turns if turn.is_served} == {0}


def test_seats_that_nobody_needs_are_lent_to_the_level_that_waits() -> None:
    api = server(create="100ms")
    assert api.levels is not None
    for second in range(12):
        for step in range(100):
            waited(api, GLOBAL_DEFAULT, 5, second * 1_000 * MS + step * 10 * MS)
    found = limits(api.levels)
    assert found[GLOBAL_DEFAULT] > 100, "twenty are its own"
    for name in (SYSTEM, NODE_HIGH, WORKLOAD_HIGH, WORKLOAD_LOW):
        assert found[name] >= api.levels.by_name[name].least
    assert abs(sum(found.values()) - 245) <= len(found), "none are lost but by rounding"


def test_a_level_gets_its_own_seats_back_when_it_needs_them() -> None:
    levels = PriorityLevels(245)
    levels.by_name[GLOBAL_DEFAULT].demand.add(0, 10 * PERIOD_NS, 200)
    levels.adjust(PERIOD_NS)
    lent = levels.by_name[WORKLOAD_LOW].seats.count
    assert lent < 100
    levels.by_name[WORKLOAD_LOW].demand.add(PERIOD_NS, 10 * PERIOD_NS, 100)
    levels.adjust(2 * PERIOD_NS)
    assert levels.by_name[WORKLOAD_LOW].seats.count >= 100
    assert limits(levels)[GLOBAL_DEFAULT] < 200


def test_what_exempt_calls_take_is_missing_only_where_too_little_is_left() -> None:
    levels = PriorityLevels(245)
    levels.by_name[EXEMPT].demand.add(0, 2 * PERIOD_NS, 100)
    levels.adjust(PERIOD_NS)
    assert abs(sum(limits(levels).values()) - 245) <= len(LEVELS), "as kube-apiserver divides them"
    levels.by_name[EXEMPT].demand.add(PERIOD_NS, 3 * PERIOD_NS, 1_000)
    levels.adjust(2 * PERIOD_NS)
    least = {name: level.least for name, level in levels.by_name.items() if name != EXEMPT}
    assert limits(levels) == least, "what may not be lent is left"


def test_where_not_all_needs_can_be_met_each_gets_the_same_part_of_them() -> None:
    levels = PriorityLevels(245)
    levels.by_name[EXEMPT].demand.add(0, 2 * PERIOD_NS, 80)
    for name in (SYSTEM, WORKLOAD_LOW, GLOBAL_DEFAULT, NODE_HIGH, WORKLOAD_HIGH):
        levels.by_name[name].demand.add(0, 2 * PERIOD_NS, 300)
    levels.adjust(PERIOD_NS)
    left = 245 - 80
    least = sum(level.least for level in levels.by_name.values())
    needed = sum(
        level.least if name in ("catch-all", "leader-election") else level.nominal
        for name, level in levels.by_name.items()
    )
    part = (left - least) / (needed - least)
    low = levels.by_name[WORKLOAD_LOW]
    expected = low.least + (low.nominal - low.least) * part
    assert low.seats.count == math.floor(expected + 0.5)


def test_a_level_refuses_what_its_own_queue_does_not_take() -> None:
    api = server(max_queued=3)
    assert len(waited(api, SYSTEM, 40)) == 33
    assert api.refused == 7
    assert len(waited(api, NODE_HIGH, 40)) == 40


def test_the_page_of_the_server_has_the_levels() -> None:
    api = server()
    assert api.levels is not None
    waited(api, SYSTEM, 31)
    families = {each.name: each for each in api.levels.families(MS)}
    values = {
        name.removeprefix("apiserver_flowcontrol_"): family.values[SYSTEM,]  # type: ignore[attr-defined] # gauges
        for name, family in families.items()
    }
    assert values == {
        "nominal_limit_seats": 30,
        "current_limit_seats": 30,
        "current_executing_seats": 30,
        "current_inqueue_requests": 1,
        "dispatched_requests_total": 31,
        "rejected_requests_total": 0,
    }


@pytest.mark.parametrize("name", sorted(set(profiles.NAMED) - {"instant"}))
def test_named_profiles_have_levels(name: str) -> None:
    assert profiles.named(name).api.priority_levels


def test_a_level_that_there_is_not_is_refused() -> None:
    with pytest.raises(InputError, match="there is no priority level 'exmpt'"):
        ClientSection(priority_level="exmpt")
