"""Drains by kubectl's rules, with answers that were computed by hand."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage import InputError
from kubestage.runs import rehearse
from kubestage.runs.rehearse import DrainOptions
from kubestage.testing import make_daemon_set, make_pod_disruption_budget
from tests.runs.rehearse.clusters import cluster, nodes, pod_on, spread


def test_a_node_with_a_free_one_beside_it_is_drained_in_two_seconds() -> None:
    result = rehearse.drain(cluster(*nodes(4), spread("web", 3)), "n1")
    (node,) = result.nodes
    assert (node.is_drained, node.from_seconds, node.seconds, node.evicted) == (True, 0, 2, 1)
    (web,) = result.effects.workloads
    assert (web.desired, web.ready_lowest, web.ready_lowest_at_seconds) == (3, 2, 0)
    assert web.windows == [(0, 2)]
    assert result.effects.recovery_seconds == 2
    assert result.answer == "Node n1 drained in 2s: 1 pod evicted."


def test_a_budget_without_room_holds_a_pod_back_for_good() -> None:
    budget = make_pod_disruption_budget("web", min_available=3)
    result = rehearse.drain(cluster(*nodes(4), spread("web", 3), budget), "n1")
    (blocked,) = result.blocked
    # Tried at once, and then every five seconds until nothing has changed for a quarter of an hour.
    assert (blocked.budget, blocked.refusals, blocked.seconds) == ("default/web", 181, 900)
    assert blocked.is_for_good
    assert blocked.reason == "The disruption budget web needs 3 healthy pods and has 3 currently"
    assert not result.nodes[0].is_drained
    assert result.severity == "critical"
    (web,) = result.effects.workloads
    assert web.ready_lowest == 3


def test_a_budget_with_room_for_one_makes_the_second_node_wait_for_one_retry() -> None:
    budget = make_pod_disruption_budget("web", max_unavailable=1)
    made = cluster(*nodes(5), spread("web", 3), budget)
    result = rehearse.drain(made, ["n1", "n2"], DrainOptions(parallel=2))
    (blocked,) = result.blocked
    assert (blocked.node, blocked.from_seconds, blocked.seconds) == ("n2", 0, 5)
    assert not blocked.is_for_good
    assert [each.seconds for each in result.nodes] == [2, 7]
    (web,) = result.effects.workloads
    assert web.windows == [(0, 2), (5, 7)]


def test_named_nodes_are_cordoned_first_so_that_pods_do_not_wander() -> None:
    result = rehearse.drain(cluster(*nodes(4), spread("web", 3)), ["n1", "n2"])
    assert result.effects.pending["pods"] == 1
    assert result.effects.recovery_seconds is None
    assert result.findings[0].text.endswith("it has 2 at the end")


def test_all_nodes_are_drained_one_by_one_and_come_back() -> None:
    result = rehearse.drain(cluster(*nodes(4), spread("web", 3)), "all")
    assert [each.node for each in result.nodes] == ["n1", "n2", "n3", "n4"]
    assert all(each.is_drained for each in result.nodes)
    assert result.effects.pending["pods"] == 0
    assert result.effects.workloads[0].ready_lowest == 2


def test_a_node_under_maintenance_is_away_meanwhile() -> None:
    made = cluster(*nodes(4), spread("web", 3))
    result = rehearse.drain(made, "all", DrainOptions(maintenance="1m"))
    # Each has one pod when its turn comes, but for the last: its pods have gone to n1.
    assert [each.from_seconds for each in result.nodes] == [0, 62, 124, 186]


@pytest.mark.parametrize(
    ("flag", "problem"),
    [
        ("force", "cannot delete Pods that declare no controller (use --force to override): "),
        (
            "delete_emptydir_data",
            "cannot delete Pods with local storage (use --delete-emptydir-data to override): ",
        ),
        (
            "ignore_daemonsets",
            "cannot delete DaemonSet-managed Pods (use --ignore-daemonsets to ignore): ",
        ),
    ],
)
def test_what_kubectl_refuses_is_refused_until_its_flag_is_set(flag: str, problem: str) -> None:
    allowed = DrainOptions(force=True, delete_emptydir_data=True, ignore_daemonsets=True)
    cache = pod_on("n1", "cache", cpu="100m")
    cache["spec"]["volumes"] = [{"name": "data", "emptyDir": {}}]
    made = cluster(*nodes(2), cache, make_daemon_set("agent", cpu="10m"))
    refused = rehearse.drain(made, "n1", msgspec.structs.replace(allowed, **{flag: False}))
    (node,) = refused.nodes
    assert node.problems[0].startswith(problem)
    assert node.evicted == 0
    drained = rehearse.drain(made, "n1", allowed)
    assert drained.nodes[0].is_drained
    assert drained.lost_data == ["default/cache"]
    assert drained.unowned == ["default/cache"]
    assert drained.effects.workloads[0].below_desired_seconds == 0


def test_a_timeout_ends_the_drain_of_a_node() -> None:
    budget = make_pod_disruption_budget("web", min_available=3)
    made = cluster(*nodes(4), spread("web", 3), budget)
    result = rehearse.drain(made, "n1", DrainOptions(timeout="12s"))
    # Tried at 0, 5 and 10; the client notices when it tries again, as kubectl does.
    assert result.seconds == 15
    (pod,) = [each.pod for each in result.blocked]
    name = pod.removeprefix("default/")
    expected = f'error when evicting pods/"{name}" -n "default": global timeout reached: 12s'
    assert result.nodes[0].problems == [expected]


def test_without_eviction_no_budget_is_asked() -> None:
    budget = make_pod_disruption_budget("web", min_available=3)
    made = cluster(*nodes(4), spread("web", 3), budget)
    result = rehearse.drain(made, "n1", DrainOptions(disable_eviction=True))
    assert result.nodes[0].is_drained
    assert result.effects.workloads[0].ready_lowest == 2


def test_the_cluster_itself_is_not_touched() -> None:
    made = cluster(*nodes(4), spread("web", 3))
    first = rehearse.drain(made, "n1")
    assert rehearse.drain(made, "n1").to_dict() == first.to_dict()


def test_a_node_that_is_not_there_is_refused_with_the_likely_one() -> None:
    made = cluster(*nodes(2))
    with pytest.raises(InputError, match=r'there is no node "n11".*did you mean n1\?'):
        rehearse.drain(made, "n11")
    with pytest.raises(InputError, match=r"no node has a zone"):
        rehearse.drain(made, "zone/b")


@settings(max_examples=6, deadline=None)
@given(
    replicas=st.integers(2, 5),
    least=st.integers(0, 5),
    count=st.integers(2, 4),
    parallel=st.integers(1, 3),
    upgrades=st.booleans(),
)
def test_no_rehearsal_breaks_a_budget(
    replicas: int, least: int, count: int, parallel: int, upgrades: bool
) -> None:
    budget = make_pod_disruption_budget("web", min_available=least)
    web = spread("web", replicas)
    made = cluster(*nodes(count, cpu="2"), web, budget)
    ready = made.stage.store.get(("apps/v1", "Deployment"), "web")["status"].get("readyReplicas", 0)
    if upgrades:
        options = rehearse.UpgradeOptions(max_unavailable=parallel)
        lowest = rehearse.upgrade(made, "all", options).effects.workloads
    else:
        lowest = rehearse.drain(made, "all", DrainOptions(parallel=parallel)).effects.workloads
    for each in lowest:
        assert each.ready_lowest >= min(least, ready)
