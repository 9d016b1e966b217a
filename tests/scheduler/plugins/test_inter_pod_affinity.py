from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.inter_pod_affinity import InterPodAffinity
from kubestage.scheduler.status import SKIP, SUCCESS, Code, unresolvable, unschedulable
from tests.reference import inter_pod_affinity as twin
from tests.scheduler.plugins import clusters, crowds

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.views.pod import PodView
    from kubestage.scheduler.columns import Columns
    from kubestage.scheduler.status import Status


NOT_NEAR = unresolvable("node(s) didn't match pod affinity rules")
NOT_AWAY = unschedulable("node(s) didn't match pod anti-affinity rules")
REFUSED = unschedulable("node(s) didn't satisfy existing pods anti-affinity rules")


def plugin(hard_weight: int = 1, ignore_others: bool = False) -> InterPodAffinity:
    args = {
        "hardPodAffinityWeight": hard_weight,
        "ignorePreferredTermsOfExistingPods": ignore_others,
    }
    return InterPodAffinity(args, clusters.handle(crowds.namespace_objects()))


def near(*terms: Json) -> Json:
    return {"podAffinity": {crowds.REQUIRED: list(terms)}}


def away(*terms: Json) -> Json:
    return {"podAntiAffinity": {crowds.REQUIRED: list(terms)}}


def likes(*terms: Json, weight: int = 10, side: str = "podAffinity") -> Json:
    wishes = [{"weight": weight, "podAffinityTerm": term} for term in terms]
    return {side: {crowds.PREFERRED: wishes}}


def two_zones(**on: list[PodView]) -> Columns:
    """Nodes `a1` and `a2` in zone a, `b1` in zone b, and `nowhere` without labels."""
    nodes = [
        clusters.node(name, labels={crowds.ZONE: name[0], crowds.HOST: name})
        for name in ("a1", "a2", "b1")
    ]
    return clusters.columns([*nodes, clusters.node("nowhere")], on)


def web(name: str = "web", namespace: str = "red", **spec: Any) -> PodView:
    return crowds.pod(name, namespace, {"app": "web"}, **spec)


def verdicts(incoming: PodView, over: Columns) -> list[Status]:
    return clusters.verdicts(plugin(), incoming, over)


@hypothesis.given(crowds.histories(crowds.SOCIABLE))
def test_nodes_are_rejected_as_by_the_twin_while_pods_come_and_go(history: Any) -> None:
    ours = plugin()
    for over, incoming in crowds.play(history):
        counts = twin.pre_filter(incoming, over.infos, crowds.NAMESPACES)
        status, _ = ours.pre_filter(CycleState(), incoming, over)
        assert status == (SKIP if counts is None else SUCCESS)
        if counts is not None:
            assert clusters.verdicts(ours, incoming, over) == [
                twin.filter_node(counts, incoming, node, crowds.NAMESPACES) for node in over.infos
            ]


@hypothesis.given(crowds.histories(crowds.SOCIABLE), st.sampled_from([0, 1, 7]), st.booleans())
def test_nodes_are_scored_as_by_the_twin_while_pods_come_and_go(
    history: Any, hard_weight: int, ignore_others: bool
) -> None:
    ours = plugin(hard_weight, ignore_others)
    for over, incoming in crowds.play(history):
        worth = twin.pre_score(incoming, over.infos, crowds.NAMESPACES, hard_weight, ignore_others)
        found = clusters.scores(ours, incoming, over)
        if worth is None:
            assert found is None
        else:
            raw = [twin.score_node(worth, node) for node in over.infos]
            assert found == (raw, twin.normalize(raw))


@hypothesis.given(
    crowds.histories(crowds.SOCIABLE), crowds.pods(crowds.SOCIABLE, "other"), st.data()
)
def test_pods_tried_on_and_off_a_node_count_as_with_the_twin(
    history: Any, other: PodView, data: st.DataObject
) -> None:
    ours = plugin()
    *_, (over, incoming) = crowds.play(history)
    state = CycleState()
    counts = twin.pre_filter(incoming, over.infos, crowds.NAMESPACES)
    if ours.pre_filter(state, incoming, over)[0].is_skip:
        return
    assert counts is not None
    before = ours.filter(state, incoming, over, np.arange(len(over)))
    row = data.draw(st.integers(0, len(over) - 1))
    trial, tried = over.take([row]), state.clone()
    node = trial.infos[0]
    for each in list(node.pods.values()):
        trial.remove_pod(0, each.uid)
        ours.remove_pod(tried, incoming, each, trial, 0)
        twin.change(counts, incoming, each, node, -1, crowds.NAMESPACES)
    trial.add_pod(0, other)
    ours.add_pod(tried, incoming, other, trial, 0)
    twin.change(counts, incoming, other, node, 1, crowds.NAMESPACES)
    codes = ours.filter(tried, incoming, trial, np.zeros(1, np.int64))
    code = 0 if codes is None else int(codes[0])
    expected = twin.filter_node(counts, incoming, node, crowds.NAMESPACES)
    assert ours.status(tried, incoming, code) == expected
    assert np.array_equal(before, ours.filter(state, incoming, over, np.arange(len(over))))  # type: ignore[arg-type]  # None too


def test_required_affinity_is_met_where_a_matching_pod_shares_the_topology() -> None:
    over = two_zones(a1=[web()])
    incoming = crowds.pod(affinity=near(crowds.term(crowds.app("web"))))
    assert verdicts(incoming, over) == [SUCCESS, SUCCESS, NOT_NEAR, NOT_NEAR]


def test_one_pod_must_match_all_required_terms() -> None:
    over = two_zones(a1=[web(), crowds.pod("db", labels={"tier": "a"})])
    terms = [crowds.term(crowds.app("web")), crowds.term({"matchLabels": {"tier": "a"}})]
    incoming = crowds.pod(affinity=near(*terms))
    assert verdicts(incoming, over) == [NOT_NEAR] * 4
    over.add_pod(0, crowds.pod("both", labels={"app": "web", "tier": "a"}))
    assert verdicts(incoming, over) == [SUCCESS, SUCCESS, NOT_NEAR, NOT_NEAR]


def test_the_first_of_pods_that_want_one_another_may_go_where_the_topology_is_known() -> None:
    incoming = web("first", affinity=near(crowds.term(crowds.app("web"))))
    assert verdicts(incoming, two_zones()) == [SUCCESS, SUCCESS, SUCCESS, NOT_NEAR]
    stranger = crowds.pod(affinity=near(crowds.term(crowds.app("web"))))
    assert verdicts(stranger, two_zones()) == [NOT_NEAR] * 4


def test_a_pod_where_the_topology_is_unknown_does_not_make_the_next_one_second() -> None:
    over = two_zones(nowhere=[web()])
    incoming = web("first", affinity=near(crowds.term(crowds.app("web"))))
    assert verdicts(incoming, over) == [SUCCESS, SUCCESS, SUCCESS, NOT_NEAR]


def test_required_anti_affinity_keeps_away_from_matching_pods() -> None:
    over = two_zones(a1=[web()])
    incoming = crowds.pod(affinity=away(crowds.term(crowds.app("web"), crowds.HOST)))
    assert verdicts(incoming, over) == [NOT_AWAY, SUCCESS, SUCCESS, SUCCESS]


def test_pods_on_nodes_keep_newcomers_away_that_have_no_terms_themselves() -> None:
    guard = crowds.pod("guard", affinity=away(crowds.term(crowds.app("web"))))
    over = two_zones(b1=[guard])
    assert verdicts(web(), over) == [SUCCESS, SUCCESS, REFUSED, SUCCESS]
    over.remove_pod(2, "guard")
    assert plugin().pre_filter(CycleState(), web(), over)[0] is SKIP


def test_affinity_is_said_before_anti_affinity_before_that_of_others() -> None:
    hates_web = crowds.pod("guard", affinity=away(crowds.term(crowds.app("web"))))
    over = two_zones(a1=[hates_web, crowds.pod("db", labels={"app": "db"})])
    both = {
        **near(crowds.term(crowds.app("absent"))),
        **away(crowds.term(crowds.app("db"))),
    }
    assert verdicts(web(affinity=both), over) == [NOT_NEAR] * 4
    only_away = away(crowds.term(crowds.app("db"), crowds.HOST))
    assert verdicts(web(affinity=only_away), over) == [NOT_AWAY, REFUSED, SUCCESS, SUCCESS]


@pytest.mark.parametrize(
    ("parts", "is_near"),
    [
        ({}, False),
        ({"namespaces": ["blue"]}, True),
        ({"namespaces": ["red"]}, False),
        ({"namespaceSelector": {}}, True),
        ({"namespaceSelector": {"matchLabels": {"env": "prod"}}}, True),
        ({"namespaceSelector": {"matchLabels": {"env": "test"}}}, False),
        ({"namespaces": ["blue"], "namespaceSelector": {"matchLabels": {"env": "test"}}}, True),
    ],
)
def test_a_term_reaches_the_namespaces_it_names_or_selects(parts: Json, is_near: bool) -> None:
    over = two_zones(a1=[web(namespace="blue")])
    incoming = crowds.pod(affinity=near(crowds.term(crowds.app("web"), **parts)))
    assert verdicts(incoming, over)[0] == (SUCCESS if is_near else NOT_NEAR)


def test_a_pods_own_term_that_excludes_namespaces_reaches_even_those() -> None:
    """The real scheduler asks the selector again about a namespace without labels."""
    not_prod = {"matchExpressions": [{"key": "env", "operator": "NotIn", "values": ["prod"]}]}
    term = crowds.term(crowds.app("web"), namespaceSelector=not_prod)
    over = two_zones(a1=[web(namespace="blue")])
    assert verdicts(crowds.pod(affinity=away(term)), over)[0] == NOT_AWAY


@pytest.mark.parametrize(("namespace", "expected"), [("blue", SUCCESS), ("red", REFUSED)])
def test_terms_of_pods_on_nodes_see_the_labels_of_the_newcomers_namespace(
    namespace: str, expected: Status
) -> None:
    tests = {"matchLabels": {"env": "test"}}
    term = crowds.term(crowds.app("web"), namespaceSelector=tests)
    over = two_zones(a1=[crowds.pod("guard", "bare", affinity=away(term))])
    assert verdicts(web(namespace=namespace), over)[0] == expected


def test_a_malformed_selector_makes_the_pod_unresolvable() -> None:
    odd = {"matchExpressions": [{"key": "app", "operator": "Odd"}]}
    incoming = crowds.pod(affinity=near(crowds.term(odd)))
    status, _ = plugin().pre_filter(CycleState(), incoming, two_zones())
    assert status == unresolvable(
        'parsing pod: requiredAffinityTerms: "Odd" is not a valid label selector operator'
    )
    failure = plugin().pre_score(CycleState(), incoming, two_zones(), np.arange(4))
    assert failure.code is Code.ERROR
    assert failure.message.startswith("failed to parse pod: requiredAffinityTerms: ")


def test_a_pod_without_terms_among_pods_without_terms_is_skipped() -> None:
    over = two_zones(a1=[web()])
    assert plugin().pre_filter(CycleState(), web("x"), over)[0] is SKIP
    assert plugin().pre_score(CycleState(), web("x"), over, np.arange(4)) is SKIP


def test_wishes_of_both_sides_add_up_and_scale_from_least_to_greatest() -> None:
    fan = crowds.pod("fan", affinity=likes(crowds.term(crowds.app("web")), weight=5))
    foe = crowds.pod(
        "foe", affinity=likes(crowds.term(crowds.app("web")), weight=4, side="podAntiAffinity")
    )
    over = two_zones(a1=[web()], a2=[fan], b1=[foe])
    incoming = web("new", affinity=likes(crowds.term(crowds.app("web"), crowds.HOST)))
    assert clusters.scores(plugin(), incoming, over) == ([15, 5, -4, 0], [100, 47, 0, 21])


def test_required_affinity_of_pods_on_nodes_attracts_by_the_hard_weight() -> None:
    needs_web = crowds.pod("needs", affinity=near(crowds.term(crowds.app("web"))))
    over = two_zones(b1=[needs_web])
    assert clusters.scores(plugin(7), web(), over) == ([0, 0, 7, 0], [0, 0, 100, 0])
    assert clusters.scores(plugin(0), web(), over) is None


def test_wishes_that_cancel_out_are_still_scored() -> None:
    term = crowds.term(crowds.app("web"))
    both = {**likes(term), **likes(term, side="podAntiAffinity")}
    over = two_zones(a1=[web()])
    assert clusters.scores(plugin(), crowds.pod(affinity=both), over) == ([0] * 4, [0] * 4)


def test_wishes_of_others_can_be_ignored_unless_the_pod_has_its_own() -> None:
    fan = crowds.pod("fan", affinity=likes(crowds.term(crowds.app("web"))))
    over = two_zones(a1=[fan])
    ours = plugin(ignore_others=True)
    assert clusters.scores(ours, web(), over) is None
    wish = web(affinity=likes(crowds.term(crowds.app("absent"))))
    assert clusters.scores(ours, wish, over) == ([10, 10, 0, 0], [100, 100, 0, 0])
