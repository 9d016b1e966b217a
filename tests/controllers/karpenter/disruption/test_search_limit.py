"""Limits of the search for commands, in time that is only counted."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.karpenter.disruption.search_limit import SearchLimit
from kubestage.controllers.karpenter.disruption.single_node import SingleNodeConsolidation
from kubestage.controllers.karpenter.settings import KarpenterSettings
from kubestage.units import SECOND_NS
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.disruption.clusters import bench, machine, names

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _settings(multi: int = 0, single: int = 0, simulation: int = 0) -> KarpenterSettings:
    return KarpenterSettings(
        multi_node_consolidation_timeout_ns=multi * SECOND_NS,
        single_node_consolidation_timeout_ns=single * SECOND_NS,
        simulation_time_ns=simulation * SECOND_NS,
    )


def test_without_a_limit_or_a_time_no_limit_is_reached() -> None:
    for settings in (
        KarpenterSettings(),
        _settings(simulation=100),
        _settings(single=1),
    ):
        limit = SearchLimit.of(settings, "single")
        assert all(limit.allows_simulation() for _ in range(1000))


def test_a_limit_allows_what_ends_within_it() -> None:
    limit = SearchLimit(10, 5)
    assert [limit.allows_simulation() for _ in range(3)] == [True, True, False]
    assert limit.is_over


def _full(pool: str) -> list[Json]:
    """A node that cannot be had cheaper, with a pod that stays in its NodePool."""
    listed = machine(f"{pool}-0", "m.1", 1, pool=pool, cpu="1")
    listed[2]["spec"]["nodeSelector"] = {"karpenter.sh/nodepool": pool}
    return listed


def test_single_node_consolidation_goes_on_with_the_pools_it_has_not_seen() -> None:
    pools = [objects.node_pool(name) for name in ("a", "b", "z")]
    settings = _settings(single=10, simulation=11)
    # Only the pod of b fits elsewhere, and its node is looked at second.
    spare = machine("b-0", "m.2", 1, pool="b", cpu="500m")
    room = machine("z-0", "m.4", 1, pool="z", cpu="1")
    room[1]["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
    cluster = bench(*pools, *_full("a"), *spare, *room, settings=settings)
    context, method = cluster.context, SingleNodeConsolidation(cluster.context)
    found = [
        each
        for each in context.snapshot.candidates(context.publish, is_eventual=False)
        if method.should_disrupt(each)
    ]
    budgets = {"a": 9, "b": 9}
    assert method.propose(dict(budgets), found) == []
    assert not method.is_consolidated
    [command] = method.propose(dict(budgets), found)
    assert [each.name for each in command.candidates] == ["b-0"]


@pytest.mark.parametrize(("limit", "expected"), [(0, 4), (3, 3), (2, 0), (1, 0)])
def test_multi_node_consolidation_takes_the_best_until_then(limit: int, expected: int) -> None:
    listed = [each for number in range(4) for each in machine(f"n{number}", "m.2", 1, cpu="500m")]
    room = machine("room", "m.16", 1)
    room[1]["metadata"]["annotations"] = {"karpenter.sh/do-not-disrupt": "true"}
    settings = _settings(multi=limit, simulation=3)
    cluster = bench(*listed, *room, settings=settings)
    found = cluster.methods[3]
    context = cluster.context
    candidates = [
        each
        for each in context.snapshot.candidates(context.publish, is_eventual=False)
        if found.should_disrupt(each)
    ]
    commands = found.propose({"default": 9}, candidates)
    assert sum(len(each.candidates) for each in commands) == expected


def test_the_same_settings_have_the_same_commands() -> None:
    settings = _settings(multi=3, simulation=3)
    listed = [each for number in range(4) for each in machine(f"n{number}", "m.2", 1, cpu="500m")]
    first = names(bench(*listed, settings=settings).round())
    assert first == names(bench(*listed, settings=settings).round())
    assert first
