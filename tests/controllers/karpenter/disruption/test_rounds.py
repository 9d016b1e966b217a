from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.conditions import status
from kubestage.controllers.karpenter.disruption import rounds, starting
from kubestage.controllers.karpenter.disruption.rounds import IMMEDIATELY_NS, POLLING_NS
from kubestage.controllers.karpenter.settings import KarpenterSettings
from kubestage.units import SECOND_NS
from tests.controllers.karpenter import clouds, objects
from tests.controllers.karpenter.clouds import Cloud
from tests.controllers.karpenter.disruption.clusters import bench, machine, names

if TYPE_CHECKING:
    from kubestage.aliases import Json

SPOT = {labels.CAPACITY_TYPE: labels.SPOT}
BOTH = (labels.SPOT, labels.ON_DEMAND)
EITHER = objects.node_pool(template={"requirements": [objects.capacity_types(*BOTH)]})


def _drifted(listed: list[Json], since: str = objects.CREATED) -> list[Json]:
    claim = listed[0]
    claim["status"]["conditions"].append(
        {"type": "Drifted", "status": "True", "reason": "X", "lastTransitionTime": since}
    )
    return listed


def test_empty_nodes_go_together_before_anything_else() -> None:
    found = bench(*machine("a"), *machine("b"), *machine("c", pods=1)).round()
    assert names(found) == [["a", "b"]]
    assert (found.commands[0].reason, found.commands[0].decision) == ("Empty", "delete")
    assert found.next_after_ns == IMMEDIATELY_NS


def test_empty_nodes_go_within_their_budget() -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["budgets"] = [{"nodes": "1"}]
    assert names(bench(pool, *machine("a", "m.2"), *machine("b", "m.4")).round()) == [["b"]]


def test_a_node_that_gets_a_pod_during_the_validation_stays() -> None:
    cluster = bench(*machine("a"), *machine("b", "m.16", 16))

    def arrive() -> None:
        cluster.context.cluster.update(objects.pod("new", "a", "4"))

    found = cluster.round(arrive)
    assert found.commands == []
    assert found.next_after_ns == POLLING_NS


def test_a_node_goes_if_others_have_room() -> None:
    found = bench(*machine("a", "m.4", 2), *machine("b", "m.8", 5)).round()
    assert names(found) == [["a"]]
    (command,) = found.commands
    assert (command.decision, command.consolidation_type) == ("delete", "single")
    assert command.savings(labels.WELL_KNOWN) == pytest.approx(0.2)


def test_several_nodes_become_one() -> None:
    found = bench(*machine("a", "m.8", 2), *machine("b", "m.8", 2), *machine("c", "m.8", 2)).round()
    (command,) = found.commands
    assert (command.decision, command.consolidation_type) == ("delete", "multi")
    assert len(command.candidates) == 2
    tight = bench(*machine("a", "m.8", 3), *machine("b", "m.8", 4)).round()
    assert names(tight) == [["a"]]


def test_two_nodes_are_not_replaced_by_one_of_their_own_type() -> None:
    """One of them would do: so that is deleted, and nothing is launched."""
    cluster = bench(*machine("a", "m.8", 2, cpu="2"), *machine("b", "m.8", 2, cpu="2"))
    found = cluster.round()
    assert [command.decision for command in found.commands] == ["delete"]
    assert len(found.commands[0].candidates) == 1


def test_a_node_is_replaced_by_a_cheaper_one() -> None:
    found = bench(*machine("a", "m.16", 3)).round()
    (command,) = found.commands
    assert command.decision == "replace"
    (replacement,) = command.replacements
    assert [each.name for each in replacement.instance_types] == ["m.4", "m.8"]


def test_what_is_as_cheap_as_it_gets_stays_and_an_event_says_so() -> None:
    cluster = bench(*machine("a", "m.4", 3))
    assert cluster.round().commands == []
    assert cluster.messages == ["Can't replace with a cheaper node"]


def test_an_on_demand_node_is_replaced_by_a_spot_node_if_it_may_be_either() -> None:
    cloud = Cloud([clouds.instance_type("m.4", 4, 0.2, capacity_types=BOTH)])
    (command,) = bench(EITHER, *machine("a", "m.4", 3), cloud=cloud).round().commands
    capacity_types = command.replacements[0].requirements.get(labels.CAPACITY_TYPE)
    assert capacity_types.sorted_values == [labels.SPOT]


def _spot_cloud(cheaper: int) -> Cloud:
    sizes = [
        clouds.instance_type(f"x{number}.4", 4, 0.1 + number / 100, capacity_types=BOTH)
        for number in range(cheaper)
    ]
    return Cloud([*sizes, clouds.instance_type("m.4", 4, 2.0, capacity_types=BOTH)])


@pytest.mark.parametrize(("cheaper", "kept"), [(14, 0), (15, 15), (20, 15)])
def test_a_spot_node_needs_fifteen_cheaper_types(cheaper: int, kept: int) -> None:
    settings = KarpenterSettings(spot_to_spot_consolidation=True)
    cluster = bench(
        EITHER,
        *machine("a", "m.4", 3, labels=SPOT),
        cloud=_spot_cloud(cheaper),
        settings=settings,
    )
    commands = cluster.round().commands
    types = [each for command in commands for each in command.replacements[0].instance_types]
    assert len(types) == kept
    if not kept:
        assert cluster.messages == [
            (
                "SpotToSpotConsolidation requires 15 cheaper instance type options than the "
                "current candidate to consolidate, got 14"
            )
        ]


def test_spot_nodes_are_not_replaced_by_spot_nodes_unless_switched_on() -> None:
    cluster = bench(EITHER, *machine("a", "m.4", 3, labels=SPOT), cloud=_spot_cloud(20))
    assert cluster.round().commands == []
    assert cluster.messages == [
        "SpotToSpotConsolidation is disabled, can't replace a spot node with a spot node"
    ]


def test_what_drifted_first_is_replaced_first_but_empty_nodes_before() -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["consolidateAfter"] = "Never"
    late, later = "1999-12-31T22:30:00Z", "1999-12-31T22:40:00Z"
    busy = [*_drifted(machine("a", "m.4", 1), late), *_drifted(machine("b", "m.4", 1))]
    assert names(bench(pool, *busy).round()) == [["b"]]
    assert names(bench(pool, *busy, *_drifted(machine("c"), later)).round()) == [["c"]]


def test_drift_takes_no_time_and_disregards_prices() -> None:
    cluster = bench(*_drifted(machine("a", "m.4", 4)))
    (command,) = cluster.round().commands
    assert (command.reason, command.decision) == ("Drifted", "replace")
    assert cluster.context.now_ns == objects.START_NS
    assert len(command.replacements[0].instance_types) == 3


def test_a_grace_period_lets_drift_disregard_pods_that_will_not_go() -> None:
    listed = _drifted(machine("a", "m.4", 1))
    listed[2]["metadata"]["annotations"] = {labels.DO_NOT_DISRUPT: "true"}
    cluster = bench(*listed)
    assert cluster.round().commands == []
    assert cluster.messages[0] == (
        'Pod has "karpenter.sh/do-not-disrupt" annotation (Pod=default/a-0)'
    )
    listed[0]["spec"]["terminationGracePeriod"] = "1h"
    assert names(bench(*listed).round()) == [["a"]]


def test_pods_that_fit_nowhere_keep_their_node() -> None:
    cluster = bench(*_drifted(machine("a", "m.4", 1, cpu="100")))
    assert cluster.round().commands == []
    assert cluster.messages[0].startswith("Not all pods would schedule, default/a-0 => ")


def test_nodes_that_are_not_ready_for_pods_are_not_relied_on() -> None:
    starting_node = machine("b", "m.8")
    del starting_node[1]["metadata"]["labels"][labels.NODE_INITIALIZED]
    starting_node[0] = status.without(starting_node[0], "Initialized")
    cluster = bench(*machine("a", "m.4", 3), *starting_node)
    assert cluster.round().commands == []
    assert "would schedule against uninitialized nodeclaim/b, node/b" in cluster.messages[-1]


def test_pods_are_not_moved_to_nodes_that_changed_lately() -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["consolidateAfter"] = "1h"
    settled, changed = machine("a", "m.4", 3), machine("b", "m.8", 1)
    changed[0]["status"]["lastPodEventTime"] = "2000-01-01T00:00:00Z"
    changed[0] = status.without(changed[0], "Consolidatable")
    cluster = bench(pool, *settled, *changed)
    assert cluster.round().commands == []
    assert cluster.messages[-1] == "Can't replace with a cheaper node"


@pytest.mark.parametrize(
    ("policy", "price", "messages"),
    [
        ("Balanced", 0.3, []),
        (
            "Balanced",
            0.1,
            ["score 0.75 >= threshold 0.50 (k: 2, savings 75.0%, disruption 100.0%)"],
        ),
        ("WhenEmptyOrUnderutilized", 0.3, []),
    ],
)
def test_balanced_weighs_what_is_saved_against_what_is_disrupted(
    policy: str, price: float, messages: list[str]
) -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["consolidationPolicy"] = policy
    cloud = Cloud([clouds.instance_type("m.8", 8, 0.4), clouds.instance_type("n.8", 8, price)])
    cluster = bench(pool, *machine("a", "m.8", 7), cloud=cloud)
    is_approved = bool(messages) or policy != "Balanced"
    assert names(cluster.round()) == ([["a"]] if is_approved else [])
    assert [each for each in cluster.messages if each.startswith("score")] == messages


def test_a_balanced_move_of_several_nodes_is_an_event_of_its_node_pool() -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["consolidationPolicy"] = "Balanced"
    cluster = bench(pool, *machine("a", "m.16", 3), *machine("b", "m.16", 3))
    assert len(cluster.round().commands[0].candidates) == 2
    assert [
        (event.kind, event.message) for event in cluster.events if "score" in event.message
    ] == [("NodePool", "score 0.75 >= threshold 0.50 (k: 2, savings 75.0%, disruption 100.0%)")]


def test_only_empty_nodes_go_under_the_policy_when_empty() -> None:
    pool = objects.node_pool()
    pool["spec"]["disruption"]["consolidationPolicy"] = "WhenEmpty"
    cluster = bench(pool, *machine("a", "m.16", 1))
    assert cluster.round().commands == []
    assert cluster.messages[-1] == (
        'NodePool "default" has consolidation policy WhenEmpty, but node is not empty'
    )


def test_node_pools_take_turns() -> None:
    """The best node of the first NodePool must stay; so the best of the second is next."""
    pools = [objects.node_pool(name) for name in ("a", "b")]
    held = machine("a1", "m.16", 1, pool="a")
    held[2]["spec"]["nodeSelector"] = {"node.kubernetes.io/instance-type": "m.16"}
    listed = [*held, *machine("a2", "m.4", 1, pool="a"), *machine("b1", "m.2", 1, pool="b")]
    cluster = bench(*pools, *listed)
    method = cluster.methods[-1]
    candidates, _ = rounds.eligible(cluster.context, method)
    (command,) = method.propose({"a": 9, "b": 9}, candidates)
    assert [each.name for each in command.candidates] == ["b1"]


def test_nodes_under_a_command_are_left_alone_and_those_that_get_pods_for_a_while() -> None:
    cluster = bench(*machine("a", "m.4", 2), *machine("b", "m.8", 3))
    found = cluster.round()
    cluster.start(found)
    assert {event.reason for event in cluster.events} >= {"Nominated"}
    cluster.events.clear()
    assert cluster.round().commands == []
    assert "Node is nominated for a pending pod" in cluster.messages
    starting.finish(cluster.context, found.commands[0], succeeded=False)
    assert not cluster.context.disrupting
    cluster.context.cluster.now_ns += 20 * SECOND_NS
    assert names(cluster.round()) == names(found)


def test_nothing_is_looked_at_twice_until_something_changes() -> None:
    cluster = bench(*machine("a", "m.4", 3))
    cluster.round()
    cluster.events.clear()
    cluster.round()
    assert cluster.messages == []
    cluster.context.cluster.delete("Pod", "a-0", "default")
    assert names(cluster.round()) == [["a"]]


def test_a_command_that_no_longer_holds_is_rejected() -> None:
    cluster = bench(*machine("a", "m.16", 3))

    def grow() -> None:
        cluster.context.cluster.update(objects.pod("new", "a", "12"))

    assert cluster.round(grow).commands == []
    assert cluster.messages[-1] == (
        "Consolidation rejected: replace: [a] -> [1 replacement], reason: scheduling "
        "(savings: $0.60)"
    )


def test_the_round_waits_until_all_node_claims_are_launched() -> None:
    unlaunched = objects.node_claim("b", objects.labels("m.4"))
    del unlaunched["status"]["providerID"]
    found = bench(*machine("a"), unlaunched).round()
    assert (found.commands, found.next_after_ns) == ([], SECOND_NS)


def test_a_round_pickles_while_it_waits() -> None:
    cluster = bench(*machine("a"))
    cluster.context.publish = print
    current = rounds.Round(cluster.context, cluster.methods)
    assert current.advance() is None
    again = pickle.loads(pickle.dumps(current))
    outcome = again.advance()
    assert outcome is not None
    assert names(outcome) == [["a"]]
