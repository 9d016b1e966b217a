"""Spreads and affinities: the domain that each pod gets."""

from __future__ import annotations

import collections
from typing import Any

import pytest

from kubestage.aliases import Json
from kubestage.controllers.karpenter import labels
from kubestage.controllers.karpenter.scheduling import topology_domains
from tests.controllers.karpenter import objects
from tests.controllers.karpenter.clouds import instance_type
from tests.controllers.karpenter.scheduling.passes import (
    Pass,
    affinity,
    anti_affinity,
    expression,
    node,
    pod,
    required,
    spread,
)

THREE_ZONES = [
    instance_type("m.4", 4, 0.2, zones=("zone-1", "zone-2", "zone-3")),
]


def _bound(name: str, node_name: str, **metadata: Any) -> Json:
    return objects.pod(name, node_name, cpu="100m", **metadata)


def _by_zone(found: Pass) -> dict[str, int]:
    count: collections.Counter[str] = collections.Counter()
    for zones, pods in zip(found.zones(), found.new, strict=True):
        count["/".join(zones)] += len(pods)
    return dict(count)


def test_a_node_pool_without_instance_types_has_no_domains() -> None:
    zones = expression(labels.ZONE, "In", "zone-1", "zone-9")
    pools = [
        objects.node_pool("a", template={"requirements": [zones]}),
        objects.node_pool("b", template={"requirements": [zones]}),
    ]
    found = topology_domains.of_node_pools(pools, {"a": [], "b": THREE_ZONES})
    assert set(found[labels.ZONE].usable((), "Ignore")) == {"zone-1", "zone-9"}
    assert topology_domains.of_node_pools(pools, {"a": []}) == {}


def test_pods_are_spread_over_zones_in_the_order_of_their_names() -> None:
    pods = [
        pod(f"p{number}", cpu="3", topologySpreadConstraints=[spread(labels.ZONE)])
        for number in range(4)
    ]
    found = Pass(pods, types=THREE_ZONES)
    assert _by_zone(found) == {"zone-1": 2, "zone-2": 1, "zone-3": 1}
    assert found.zones()[-1] == ["zone-1"]


def test_pods_that_run_are_counted_and_those_that_end_are_not() -> None:
    ending = _bound("ending", "node-02", deletionTimestamp=objects.CREATED)
    others = _bound("other", "node-03", labels={"app": "other"})
    found = Pass(
        [
            *node("node-01", "zone-1", cpu="1"),
            *node("node-02", "zone-2", cpu="1"),
            *node("node-03", "zone-3", cpu="1"),
            _bound("one", "node-01"),
            ending,
            others,
            pod("p", cpu="3", topologySpreadConstraints=[spread(labels.ZONE)]),
        ],
        types=THREE_ZONES,
    )
    assert found.zones() == [["zone-2"]]


def test_a_domain_that_only_pods_make_known_is_forgotten_with_the_last_of_them() -> None:
    """The labels of a node that has not joined yet are those of its NodeClaim."""
    claim, machine = node("node-01")
    del machine["metadata"]["labels"][labels.NODE_REGISTERED]
    del machine["metadata"]["labels"][labels.NODE_INITIALIZED]
    machine["metadata"]["labels"]["rack"] = "one"
    claim["metadata"]["deletionTimestamp"] = objects.CREATED
    moved = _bound("moved", "node-01")
    moved["spec"]["topologySpreadConstraints"] = [spread("rack")]
    assert "key=rack (counts = , podDomains" in Pass([claim, machine, moved]).errors["moved"]


def test_with_fewer_domains_than_wanted_none_may_have_more_than_the_skew() -> None:
    wanted = spread(labels.ZONE, minDomains=4)
    pods = [pod(f"p{number}", cpu="3", topologySpreadConstraints=[wanted]) for number in range(4)]
    found = Pass(pods, types=THREE_ZONES)
    assert _by_zone(found) == {"zone-1": 1, "zone-2": 1, "zone-3": 1}
    assert found.errors["p3"] == (
        "unsatisfiable topology constraint for topology spread, key=topology.kubernetes.io/zone "
        "(counts = zone-1: 1, zone-2: 1, zone-3: 1, "
        "podDomains = topology.kubernetes.io/zone Exists, "
        "nodeDomains = topology.kubernetes.io/zone Exists"
    )


def test_a_host_can_always_be_added() -> None:
    pods = [
        pod(f"p{number}", cpu="100m", topologySpreadConstraints=[spread(labels.HOSTNAME)])
        for number in range(3)
    ]
    assert sorted(Pass(pods).new) == [["p0"], ["p1"], ["p2"]]


@pytest.mark.parametrize(("policy", "zone"), [("Honor", "zone-1"), ("Ignore", "zone-2")])
def test_nodes_whose_taints_are_not_tolerated_count_unless_honored(policy: str, zone: str) -> None:
    tainted = node("node-01", "zone-1", taints=[{"key": "gone", "effect": "NoSchedule"}])
    constraint = spread(labels.ZONE, nodeTaintsPolicy=policy)
    waiting = pod("p", topologySpreadConstraints=[constraint])
    assert Pass([*tainted, _bound("one", "node-01"), waiting]).zones() == [[zone]]


@pytest.mark.parametrize(("policy", "zone"), [("Honor", "zone-1"), ("Ignore", "zone-2")])
def test_nodes_that_the_pod_does_not_select_count_unless_honored(policy: str, zone: str) -> None:
    constraint = spread(labels.ZONE, nodeAffinityPolicy=policy)
    chosen = required(expression(labels.INSTANCE_TYPE, "In", "m.8"))
    waiting = pod("p", affinity=chosen, topologySpreadConstraints=[constraint])
    found = Pass([*node("node-01", "zone-1"), _bound("one", "node-01"), waiting])
    assert found.zones() == [[zone]]


def test_labels_that_must_match_tell_revisions_apart() -> None:
    constraint = spread(labels.ZONE, matchLabelKeys=["revision"])
    old = [
        _bound(f"old{number}", "node-01", labels={"app": "web", "revision": "1"})
        for number in range(3)
    ]
    new = [
        pod(
            f"new{number}",
            "3",
            {"app": "web", "revision": "2"},
            topologySpreadConstraints=[constraint],
        )
        for number in range(2)
    ]
    found = Pass([*node("node-01", "zone-1", cpu="1"), *old, *new], types=THREE_ZONES)
    assert _by_zone(found) == {"zone-1": 1, "zone-2": 1}


def test_what_need_not_be_kept_is_kept_if_possible() -> None:
    soft = spread(labels.HOSTNAME, whenUnsatisfiable="ScheduleAnyway")
    pods = [pod(f"p{number}", cpu="100m", topologySpreadConstraints=[soft]) for number in range(2)]
    assert len(Pass(pods).new) == 2
    assert len(Pass(pods, preference_policy="Ignore").new) == 1
    none_left = objects.node_pool(limits={"cpu": "16"})
    assert Pass([*pods, none_left]).new == [["p0", "p1"]]


def test_pods_with_affinity_to_each_other_share_a_zone() -> None:
    pods = [pod(f"p{number}", cpu="3", affinity=affinity(labels.ZONE)) for number in range(3)]
    assert _by_zone(Pass(pods, types=THREE_ZONES)) == {"zone-1": 3}


def test_an_affinity_to_others_waits_for_them() -> None:
    follower = pod("a", cpu="3", affinity=affinity(labels.ZONE, "db"))
    assert (
        Pass([follower])
        .errors["a"]
        .startswith("unsatisfiable topology constraint for pod affinity")
    )
    leader = pod("z", "1", {"app": "db"}, nodeSelector={labels.ZONE: "zone-2"})
    found = Pass([follower, leader])
    assert found.errors == {}
    assert found.zones() == [["zone-2"]] * len(found.new)


def test_pods_that_keep_apart_get_a_zone_each_and_the_rest_none() -> None:
    pods = [
        pod(
            f"p{number}",
            cpu="1",
            affinity=anti_affinity(labels.ZONE),
            nodeSelector={labels.ZONE: f"zone-{number % 2 + 1}"},
        )
        for number in range(3)
    ]
    found = Pass(pods)
    assert sorted(found.zones()) == [["zone-1"], ["zone-2"]]
    assert "pod anti-affinity" in found.errors["p2"]


def test_a_pod_that_keeps_others_away_does_so_wherever_it_might_be() -> None:
    pods = [pod(f"p{number}", affinity=anti_affinity(labels.ZONE)) for number in range(2)]
    found = Pass(pods)
    assert found.new == [["p0"]]
    assert "pod anti-affinity" in found.errors["p1"]


def test_a_running_pod_keeps_others_away() -> None:
    guard = _bound("guard", "node-01", labels={"app": "guard"})
    guard["spec"]["affinity"] = anti_affinity(labels.ZONE)
    found = Pass([*node("node-01", "zone-1", cpu="8"), guard, pod("p", cpu="2")])
    assert found.existing == {}
    assert found.zones() == [["zone-2"]]
    assert Pass([*node("node-01", "zone-1", cpu="8"), pod("p", cpu="2")]).existing == {
        "node-01": ["p"]
    }


def test_a_preferred_affinity_is_given_up_before_the_pod_is() -> None:
    term = {"topologyKey": labels.ZONE, "labelSelector": {"matchLabels": {"app": "none"}}}
    preferred = [{"weight": 1, "podAffinityTerm": term}]
    soft = {"podAffinity": {"preferredDuringSchedulingIgnoredDuringExecution": preferred}}
    assert Pass([pod("p", affinity=soft)]).new == [["p"]]


def test_other_namespaces_count_where_they_are_selected() -> None:
    team = {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "team", "labels": {"team": "a"}},
    }
    elsewhere = _bound("leader", "node-01", labels={"app": "db"})
    elsewhere["metadata"]["namespace"] = "team"
    term = affinity(labels.ZONE, "db")
    follower = pod("p", cpu="3", affinity=term)
    cluster = [team, *node("node-01", "zone-2", cpu="1"), elsewhere]
    assert "pod affinity" in Pass([*cluster, follower]).errors["p"]
    terms = term["podAffinity"]["requiredDuringSchedulingIgnoredDuringExecution"]
    terms[0]["namespaceSelector"] = {"matchLabels": {"team": "a"}}
    assert Pass([*cluster, pod("p", cpu="3", affinity=term)]).zones() == [["zone-2"]]
    del terms[0]["namespaceSelector"]
    terms[0]["namespaces"] = ["team"]
    assert Pass([*cluster, pod("p", cpu="3", affinity=term)]).zones() == [["zone-2"]]


def test_a_rule_that_arises_as_terms_are_given_up_counts_from_then_on() -> None:
    terms = required(expression("none", "In", "x"), expression(labels.ARCH, "In", "amd64"))
    constraint = spread(labels.ZONE, maxSkew=2)
    beside = {labels.ZONE: "zone-1", labels.ARCH: "amd64"}
    pods = [
        pod("a", cpu="3", nodeSelector=beside),
        pod("b", cpu="3", affinity=terms, topologySpreadConstraints=[constraint]),
        pod("c", cpu="3", nodeSelector=beside),
        pod("d", cpu="3", affinity=terms, topologySpreadConstraints=[constraint]),
        pod("e", cpu="3", affinity=terms, topologySpreadConstraints=[constraint]),
    ]
    found = Pass(pods, types=[instance_type("m.4", 4, 0.2)])
    zones = {names[0]: zone for names, (zone,) in zip(found.new, found.zones(), strict=True)}
    # The rule of the second term is new when `b` is placed: `a` is not counted, `c` is.
    assert zones == {"a": "zone-1", "b": "zone-1", "c": "zone-1", "d": "zone-2", "e": "zone-2"}
