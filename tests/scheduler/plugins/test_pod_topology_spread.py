from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.pod_topology_spread import PodTopologySpread
from kubestage.scheduler.status import SKIP, SUCCESS, error, unresolvable, unschedulable
from tests.reference import pod_topology_spread as twin
from tests.scheduler.plugins import clusters, crowds

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.status import Status


TOO_MANY = unschedulable(twin.REASON)
MISSING = unresolvable(f"{twin.REASON} (missing required label)")
WEB = {"app": "web"}
LIST_DEFAULTS: list[Json] = [
    {"topologyKey": crowds.ZONE, "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1},
    {
        "topologyKey": crowds.RACK,
        "whenUnsatisfiable": "ScheduleAnyway",
        "maxSkew": 2,
        "nodeTaintsPolicy": "Honor",
    },
]


def plugin(defaults: list[Json] | None = None, objects: Iterable[Json] = ()) -> PodTopologySpread:
    """With the system's default constraints unless others are given."""
    args: Json = {"defaultingType": "System"}
    if defaults is not None:
        args = {"defaultingType": "List", "defaultConstraints": defaults}
    return PodTopologySpread(args, clusters.handle(objects))


def hard(key: str = crowds.ZONE, skew: int = 1, **parts: Any) -> Json:
    return {
        "topologyKey": key,
        "whenUnsatisfiable": "DoNotSchedule",
        "maxSkew": skew,
        "labelSelector": crowds.app("web"),
        **parts,
    }


def soft(key: str = crowds.ZONE, skew: int = 1, **parts: Any) -> Json:
    return {**hard(key, skew, **parts), "whenUnsatisfiable": "ScheduleAnyway"}


def web(name: str = "web", *constraints: Json, **parts: Any) -> PodView:
    given = {"labels": WEB, "topologySpreadConstraints": list(constraints), **parts}
    return crowds.pod(name, **given)


def owned(kind: str, selector: Json) -> Json:
    """An owner named `owner` in the namespace of the pods."""
    version = "v1" if kind == "ReplicationController" else "apps/v1"
    return {
        "apiVersion": version,
        "kind": kind,
        "metadata": {"name": "owner", "namespace": "red"},
        "spec": {"selector": selector},
    }


def service(name: str, selector: Json | None) -> Json:
    spec = {} if selector is None else {"selector": selector}
    metadata = {"name": name, "namespace": "red"}
    return {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}


OBJECTS = [
    service("web", WEB),
    service("all", None),
    service("db", {"app": "db", "tier": "a"}),
    owned("ReplicaSet", {"matchExpressions": [{"key": "tier", "operator": "Exists"}]}),
    owned("StatefulSet", {"matchLabels": {"tier": "b"}}),
    owned("ReplicationController", {"tier": "a"}),
]


def zones(**on: list[PodView]) -> Columns:
    """Nodes `a1` and `a2` in zone a, `b1` in zone b, and `nowhere` without a zone."""
    nodes = [
        clusters.node(name, labels={crowds.ZONE: name[0], crowds.HOST: name})
        for name in ("a1", "a2", "b1")
    ]
    return clusters.columns([*nodes, clusters.node("nowhere", labels={crowds.HOST: "n"})], on)


def verdicts(incoming: PodView, over: Columns) -> list[Status]:
    return clusters.verdicts(plugin(), incoming, over)


@pytest.mark.parametrize("defaults", [None, LIST_DEFAULTS], ids=["system", "list"])
@hypothesis.given(history=crowds.histories(crowds.SPREADING))
def test_nodes_are_rejected_as_by_the_twin_while_pods_come_and_go(
    defaults: list[Json] | None, history: Any
) -> None:
    ours = plugin(defaults, OBJECTS)
    for over, incoming in crowds.play(history):
        found = twin.constraints_of(incoming, "DoNotSchedule", defaults or [], OBJECTS)
        status, _ = ours.pre_filter(CycleState(), incoming, over)
        assert status == (SUCCESS if found else SKIP)
        counts = twin.pre_filter(incoming, over.infos, found)
        assert clusters.verdicts(ours, incoming, over) == [
            twin.filter_node(counts, incoming, node, found) for node in over.infos
        ]


@pytest.mark.parametrize("defaults", [None, LIST_DEFAULTS], ids=["system", "list"])
@hypothesis.given(history=crowds.histories(crowds.SPREADING), data=st.data())
def test_nodes_are_scored_as_by_the_twin_while_pods_come_and_go(
    defaults: list[Json] | None, history: Any, data: st.DataObject
) -> None:
    ours = plugin(defaults, OBJECTS)
    for over, incoming in crowds.play(history):
        stated = twin.SYSTEM_DEFAULTS if defaults is None else defaults
        found = twin.constraints_of(incoming, "ScheduleAnyway", stated, OBJECTS)
        rows = np.array(data.draw(st.permutations(range(len(over)))), np.int64)
        rows = rows[: data.draw(st.integers(1, len(over)))]
        state = CycleState()
        assert ours.pre_score(state, incoming, over, rows) == (SUCCESS if found else SKIP)
        if found:
            raw = ours.score(state, incoming, over, rows)
            normalized = ours.normalize(state, incoming, raw, over, rows)
            own = incoming.raw["spec"]["topologySpreadConstraints"]
            feasible = [over.infos[row] for row in rows.tolist()]
            expected = twin.scores(
                incoming, over.infos, feasible, found, bool(own) or defaults is not None
            )
            assert (raw.tolist(), normalized.tolist()) == expected


@hypothesis.given(
    crowds.histories(crowds.SPREADING), crowds.pods(crowds.SPREADING, "other"), st.data()
)
def test_pods_tried_on_and_off_a_node_count_as_with_the_twin(
    history: Any, other: PodView, data: st.DataObject
) -> None:
    ours = plugin()
    *_, (over, incoming) = crowds.play(history)
    found = twin.constraints_of(incoming, "DoNotSchedule", [], [])
    counts = twin.pre_filter(incoming, over.infos, found)
    state = CycleState()
    if ours.pre_filter(state, incoming, over)[0].is_skip:
        return
    before = ours.filter(state, incoming, over, np.arange(len(over)))
    trial = over.take([data.draw(st.integers(0, len(over) - 1))])
    tried, node = state.clone(), trial.infos[0]
    for each in list(node.pods.values()):
        trial.remove_pod(0, each.uid)
        ours.remove_pod(tried, incoming, each, trial, 0)
        twin.change(counts, incoming, each, node, -1, found)
    trial.add_pod(0, other)
    ours.add_pod(tried, incoming, other, trial, 0)
    twin.change(counts, incoming, other, node, 1, found)
    codes = ours.filter(tried, incoming, trial, np.zeros(1, np.int64))
    assert codes is not None
    expected = twin.filter_node(counts, incoming, node, found)
    assert ours.status(tried, incoming, int(codes[0])) == expected
    again = ours.filter(state, incoming, over, np.arange(len(over)))
    assert before is not None
    assert again is not None
    assert before.tolist() == again.tolist()


def test_a_domain_may_exceed_the_least_crowded_one_by_the_skew() -> None:
    over = zones(a1=[web("1")], a2=[web("2")], b1=[web("3")])
    assert verdicts(web("x", hard()), over) == [TOO_MANY, TOO_MANY, SUCCESS, MISSING]
    assert verdicts(web("x", hard(skew=2)), over) == [SUCCESS, SUCCESS, SUCCESS, MISSING]


def test_a_pod_that_its_own_selector_misses_does_not_add_to_the_skew() -> None:
    over = zones(a1=[web("1")])
    stranger = crowds.pod(topologySpreadConstraints=[hard()])
    assert verdicts(stranger, over) == [SUCCESS, SUCCESS, SUCCESS, MISSING]


def test_with_fewer_domains_than_wanted_the_least_counts_as_zero() -> None:
    over = zones(a1=[web("1")], b1=[web("2")])
    assert verdicts(web("x", hard(minDomains=2)), over)[0] == SUCCESS
    assert verdicts(web("x", hard(minDomains=3)), over)[0] == TOO_MANY


def test_pods_of_other_namespaces_and_terminating_ones_do_not_count() -> None:
    leaving = crowds.pod("going", "red", WEB, {"deletionTimestamp": "2026-06-01T00:00:00Z"})
    over = zones(a1=[leaving, crowds.pod("far", "blue", WEB)])
    assert verdicts(web("x", hard()), over)[0] == SUCCESS
    over.add_pod(0, web("1"))
    assert verdicts(web("x", hard()), over)[0] == TOO_MANY


def test_an_empty_selector_counts_the_pod_itself_but_nobody_else() -> None:
    over = zones(a1=[web("1"), web("2"), web("3")])
    assert verdicts(web("x", hard(labelSelector={})), over)[0] == SUCCESS


def test_match_label_keys_narrow_the_selector_to_the_pods_own_values() -> None:
    old = crowds.pod("old", labels={**WEB, "version": "1"})
    over = zones(a1=[old])
    constraint = hard(matchLabelKeys=["version", "absent"])
    same = crowds.pod(labels={**WEB, "version": "1"}, topologySpreadConstraints=[constraint])
    other = crowds.pod(labels={**WEB, "version": "2"}, topologySpreadConstraints=[constraint])
    assert verdicts(same, over)[0] == TOO_MANY
    assert verdicts(other, over)[0] == SUCCESS


@pytest.mark.parametrize(("policy", "expected"), [("Honor", SUCCESS), ("Ignore", TOO_MANY)])
def test_nodes_that_node_affinity_rules_out_count_only_if_it_is_ignored(
    policy: str, expected: Status
) -> None:
    over = zones(a1=[web("1")])
    constraint = hard(nodeAffinityPolicy=policy)
    incoming = web("x", constraint, nodeSelector={crowds.ZONE: "a"})
    assert verdicts(incoming, over)[0] == expected


@pytest.mark.parametrize(("policy", "expected"), [("Honor", SUCCESS), ("Ignore", TOO_MANY)])
def test_nodes_with_untolerated_taints_count_unless_taints_are_honored(
    policy: str, expected: Status
) -> None:
    taint = {"key": "team", "effect": "NoSchedule"}
    over = clusters.columns(
        [
            clusters.node("a", labels={crowds.ZONE: "a"}),
            clusters.node("b", labels={crowds.ZONE: "b"}, taints=[taint]),
        ],
        {"a": [web("1")]},
    )
    constraint = hard(nodeTaintsPolicy=policy)
    assert verdicts(web("x", constraint), over)[0] == expected
    tolerant = web("x", constraint, tolerations=[{"key": "team", "operator": "Exists"}])
    assert verdicts(tolerant, over)[0] == TOO_MANY


def test_the_first_constraint_that_fails_gives_the_reason() -> None:
    over = zones(a1=[web("1")])
    incoming = web("x", hard(crowds.HOST), hard())
    assert verdicts(incoming, over) == [TOO_MANY, TOO_MANY, SUCCESS, MISSING]
    reverse = web("x", hard(), hard("absent"))
    assert verdicts(reverse, over)[0] == MISSING


def test_a_malformed_selector_is_an_error_where_its_constraint_is_read() -> None:
    odd = {"matchExpressions": [{"key": "app", "operator": "Odd"}]}
    problem = '"Odd" is not a valid label selector operator'
    ours, rows = plugin(), np.arange(4)
    hard_one, soft_one = web("x", hard(labelSelector=odd)), web("x", soft(labelSelector=odd))
    assert ours.pre_filter(CycleState(), hard_one, zones())[0] == error(
        f"get constraints from pod: obtaining pod's hard topology spread constraints: {problem}"
    )
    assert ours.pre_score(CycleState(), hard_one, zones(), rows) is SKIP
    assert ours.pre_filter(CycleState(), soft_one, zones())[0] is SKIP
    assert ours.pre_score(CycleState(), soft_one, zones(), rows) == error(
        f"calculating preScoreState: obtaining pod's soft topology spread constraints: {problem}"
    )


def test_crowded_domains_score_worse_and_nodes_without_the_label_nothing() -> None:
    over = zones(a1=[web("1"), web("2")], b1=[web("3")])
    found = clusters.scores(plugin(), web("x", soft(skew=3)), over)
    assert found == ([5, 5, 3, 0], [60, 60, 100, 0])


def test_hostnames_are_weighed_by_the_number_of_feasible_nodes() -> None:
    over = zones(a1=[web("1"), web("2")])
    found = clusters.scores(plugin(), web("x", soft(crowds.HOST)), over)
    assert found == ([4, 0, 0, 0], [0, 100, 100, 100])


def test_where_nobody_is_every_node_gets_the_full_score() -> None:
    found = clusters.scores(plugin(), web("x", soft()), zones())
    assert found == ([0] * 4, [100, 100, 100, 0])
    nowhere = clusters.columns([clusters.node("n")])
    assert clusters.scores(plugin(), web("x", soft()), nowhere) == ([0], [0])


def test_system_defaults_spread_pods_of_a_service_even_without_zones() -> None:
    over = zones(a1=[web("1")], nowhere=[web("2")])
    assert clusters.scores(plugin(), web("x"), over) is None
    ours = plugin(objects=[service("web", WEB)])
    assert ours.pre_filter(CycleState(), web("x"), over)[0] is SKIP
    assert clusters.scores(ours, web("x"), over) == ([9, 8, 6, 4], [44, 55, 77, 100])


def test_nodes_without_a_zone_count_as_those_whose_zone_is_empty() -> None:
    nodes = [
        clusters.node("a", labels={crowds.ZONE: "a"}),
        clusters.node("empty", labels={crowds.ZONE: ""}),
        clusters.node("none"),
    ]
    over = clusters.columns(nodes, {"none": [web("1"), web("2"), web("3")]})
    ours = plugin(objects=[service("web", WEB)])
    assert clusters.scores(ours, web("x"), over) == ([4, 8, 0], [50, 0, 100])


def test_a_pod_on_a_node_that_lacks_one_of_the_labels_is_not_missed_when_it_goes() -> None:
    over = clusters.columns(
        [
            clusters.node("a1", labels={crowds.ZONE: "a"}),
            clusters.node("a2", labels={crowds.ZONE: "a", crowds.HOST: "a2"}),
            clusters.node("b", labels={crowds.ZONE: "b", crowds.HOST: "b"}),
        ],
        {"a1": [web("1")], "a2": [web("2")], "b": [web("3")]},
    )
    ours, state, incoming = plugin(), CycleState(), web("x", hard(), hard(crowds.HOST, skew=9))
    ours.pre_filter(state, incoming, over)
    tried, trial = state.clone(), over.take([0])
    ours.remove_pod(tried, incoming, trial.remove_pod(0, "1"), trial, 0)
    codes = ours.filter(tried, incoming, over, np.arange(3))
    assert codes is not None
    assert [ours.status(tried, incoming, code) for code in codes.tolist()] == [
        MISSING,
        SUCCESS,
        SUCCESS,
    ]


@pytest.mark.parametrize("kind", ["ReplicaSet", "StatefulSet", "ReplicationController"])
def test_the_owner_of_a_pod_tells_which_pods_are_its_like(kind: str) -> None:
    selector = WEB if kind == "ReplicationController" else {"matchLabels": WEB}
    owner = owned(kind, selector)
    reference = {
        "apiVersion": owner["apiVersion"], "kind": kind, "name": "owner", "controller": True,
    }  # fmt: skip
    over = zones(a1=[web("1")])
    incoming = web("x", metadata={"ownerReferences": [reference]})
    ours = plugin([LIST_DEFAULTS[0]], [owner])
    assert clusters.verdicts(ours, incoming, over) == [TOO_MANY, TOO_MANY, SUCCESS, MISSING]
    assert clusters.verdicts(plugin([LIST_DEFAULTS[0]]), incoming, over) == [SUCCESS] * 4
    orphan = web("x", metadata={"ownerReferences": [{**reference, "controller": False}]})
    assert clusters.verdicts(ours, orphan, over) == [SUCCESS] * 4
