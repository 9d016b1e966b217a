from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.scheduler.cluster_events import ActionType, ClusterEvent, EventResource
from kubestage.scheduler.plugins import affinity_hints
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from tests.scheduler.plugins import clusters, crowds

if TYPE_CHECKING:
    from kubestage.aliases import Json

WEB = crowds.term(crowds.app("web"))
NEAR_WEB = crowds.pod("waiting", affinity={"podAffinity": {crowds.REQUIRED: [WEB]}})
AWAY_FROM_WEB = crowds.pod("waiting", affinity={"podAntiAffinity": {crowds.REQUIRED: [WEB]}})
UNREADABLE = crowds.pod(
    "waiting",
    affinity={
        "podAffinity": {
            crowds.REQUIRED: [
                crowds.term({"matchExpressions": [{"key": "app", "operator": "Odd"}]})
            ]
        }
    },
)


def other(app: str = "web", node_name: str = "n", **spec: Any) -> Json:
    return crowds.pod("other", labels={"app": app}, nodeName=node_name, **spec).raw


def node(**labels: str) -> Json:
    return clusters.node("n", labels=labels)


def test_pods_and_nodes_are_waited_for_but_not_the_loss_of_a_node() -> None:
    args = {"hardPodAffinityWeight": 1}
    events = [hint.event for hint in InterPodAffinity(args, clusters.handle()).events_to_register()]
    pods = ActionType.ADD | ActionType.UPDATE_POD_LABEL | ActionType.DELETE
    nodes = ActionType.ADD | ActionType.UPDATE_NODE_LABEL
    assert events == [
        ClusterEvent(EventResource.POD, pods),
        ClusterEvent(EventResource.NODE, nodes),
    ]


def test_new_labels_of_the_pod_itself_always_help() -> None:
    raw = NEAR_WEB.raw
    assert affinity_hints.after_pod_change(NEAR_WEB, raw, raw)


@pytest.mark.parametrize(("app", "helps"), [("web", True), ("db", False)])
def test_a_new_pod_helps_if_it_is_wanted(app: str, helps: bool) -> None:
    assert affinity_hints.after_pod_change(NEAR_WEB, None, other(app)) == helps
    assert not affinity_hints.after_pod_change(AWAY_FROM_WEB, None, other(app))


@pytest.mark.parametrize(("app", "helps"), [("web", True), ("db", False)])
def test_a_pod_that_is_gone_helps_if_it_was_avoided(app: str, helps: bool) -> None:
    assert affinity_hints.after_pod_change(AWAY_FROM_WEB, other(app), None) == helps
    assert not affinity_hints.after_pod_change(NEAR_WEB, other(app), None)


def test_a_pod_that_is_gone_helps_those_it_kept_away() -> None:
    waiting = crowds.pod("waiting", labels={"app": "web"})
    guard = {"podAntiAffinity": {crowds.REQUIRED: [WEB]}}
    assert affinity_hints.after_pod_change(waiting, other("db", affinity=guard), None)
    tier = crowds.term({"matchLabels": {"tier": "a"}})
    strict = {"podAntiAffinity": {crowds.REQUIRED: [WEB, tier]}}
    assert not affinity_hints.after_pod_change(waiting, other("db", affinity=strict), None)


def test_a_pod_without_a_node_changes_nothing_unless_it_is_nominated_to_one() -> None:
    pending = other(node_name="")
    assert not affinity_hints.after_pod_change(NEAR_WEB, None, pending)
    nominated = {**pending, "status": {"nominatedNodeName": "n"}}
    assert affinity_hints.after_pod_change(NEAR_WEB, None, nominated)


def test_a_change_of_labels_helps_if_a_pod_becomes_wanted_or_is_no_longer_avoided() -> None:
    assert affinity_hints.after_pod_change(NEAR_WEB, other("db"), other("web"))
    assert not affinity_hints.after_pod_change(NEAR_WEB, other("web"), other("db"))
    assert affinity_hints.after_pod_change(AWAY_FROM_WEB, other("web"), other("db"))
    assert not affinity_hints.after_pod_change(AWAY_FROM_WEB, other("db"), other("web"))


def test_what_cannot_be_read_is_tried_again() -> None:
    assert affinity_hints.after_pod_change(UNREADABLE, None, other("db"))
    assert affinity_hints.after_node_change(UNREADABLE, None, node())
    assert affinity_hints.after_pod_change(
        crowds.pod("waiting"),
        other(affinity={"podAntiAffinity": UNREADABLE.raw["spec"]["affinity"]["podAffinity"]}),
        None,
    )


@pytest.mark.parametrize(
    ("old", "new", "near", "away"),
    [
        (None, node(), False, True),
        (None, node(**{crowds.ZONE: "a"}), True, True),
        (node(), node(**{crowds.ZONE: "a"}), True, False),
        (node(**{crowds.ZONE: "a"}), node(**{crowds.ZONE: "b"}), True, True),
        (node(**{crowds.ZONE: "a"}), node(), False, True),
        (node(**{crowds.ZONE: "a"}), node(**{crowds.ZONE: "a", "x": "y"}), False, False),
    ],
)
def test_a_node_helps_by_its_topology(old: Json | None, new: Json, near: bool, away: bool) -> None:
    assert affinity_hints.after_node_change(NEAR_WEB, old, new) == near
    assert affinity_hints.after_node_change(AWAY_FROM_WEB, old, new) == away
    assert not affinity_hints.after_node_change(crowds.pod("plain"), old, new)
