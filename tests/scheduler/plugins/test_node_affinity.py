from __future__ import annotations

from typing import TYPE_CHECKING, Any

import hypothesis
import numpy as np
import pytest
from hypothesis import strategies as st

from kubestage.objects.label_requirement import SelectorError
from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.node_affinity import NodeAffinity
from kubestage.scheduler.status import SKIP, SUCCESS, Code, unresolvable
from tests.reference import node_affinity as twin
from tests.scheduler.plugins import clusters

if TYPE_CHECKING:
    from kubestage.aliases import Json

_selectors = st.lists(clusters.terms, max_size=3).map(lambda terms: {"nodeSelectorTerms": terms})
_malformed = "Unheard"


def _is_readable(term: Json) -> bool:
    return all(each["operator"] != _malformed for each in term.get("matchExpressions") or ())


_preferences = st.lists(
    st.fixed_dictionaries({
        "weight": st.integers(1, 100), "preference": clusters.terms.filter(_is_readable),
    }),
    max_size=3,
)  # fmt: skip
_added: Any = st.fixed_dictionaries(
    {},
    optional={
        twin.REQUIRED: st.lists(clusters.terms.filter(_is_readable), max_size=2).map(
            lambda terms: {"nodeSelectorTerms": terms}
        ),
        twin.PREFERRED: _preferences,
    },
)
_node_affinity: Any = st.fixed_dictionaries(
    {}, optional={twin.REQUIRED: _selectors, twin.PREFERRED: _preferences}
)
_node_selectors = st.dictionaries(st.just("zone"), st.sampled_from(clusters.ZONES))


def plugin(added: Json | None = None) -> NodeAffinity:
    return NodeAffinity({"addedAffinity": added} if added else {}, clusters.handle())


def affine(**node_affinity: Any) -> Any:
    return clusters.pod(affinity={"nodeAffinity": node_affinity})


def requiring(*terms: Json) -> Any:
    return affine(**{twin.REQUIRED: {"nodeSelectorTerms": list(terms)}})


def named(*names: str) -> Json:
    fields = [{"key": "metadata.name", "operator": "In", "values": [name]} for name in names]
    return {"matchFields": fields}


IN_ZONE_A = {"matchExpressions": [{"key": "zone", "operator": "In", "values": ["a"]}]}


@hypothesis.given(clusters.clusters(), _node_selectors, _node_affinity, _added)
def test_a_node_is_rejected_and_scored_as_by_the_twin(
    over: Any, node_selector: Json, node_affinity: Json, added: Json
) -> None:
    incoming = clusters.pod(nodeSelector=node_selector, affinity={"nodeAffinity": node_affinity})
    affinity = plugin(added)
    expected = [twin.filter_node(added, incoming, info) for info in over.infos]
    status, _ = affinity.pre_filter(CycleState(), incoming, over)
    if status.is_rejected:
        assert SUCCESS not in expected
    else:
        assert clusters.verdicts(affinity, incoming, over) == expected
    raw = [twin.score_node(added, incoming, info) for info in over.infos]
    found = clusters.scores(affinity, incoming, over)
    assert found == (raw, twin.normalize(raw)) or (found is None and not any(raw))


def test_a_pod_without_demands_is_skipped() -> None:
    over = clusters.columns([clusters.node("n")])
    assert plugin().pre_filter(CycleState(), clusters.pod(), over) == (SKIP, None)
    assert clusters.scores(plugin(), clusters.pod(), over) is None


def test_preferences_that_say_nothing_are_scored_all_the_same() -> None:
    over = clusters.columns([clusters.node("n")])
    empty = affine(**{twin.PREFERRED: [{"weight": 1, "preference": {}}]})
    assert clusters.scores(plugin(), empty, over) == ([0], [0])


def test_a_malformed_preference_is_an_error() -> None:
    over = clusters.columns([clusters.node("n")])
    term = {"matchExpressions": [{"key": "a", "operator": "Unheard"}]}
    wrong = affine(**{twin.PREFERRED: [{"weight": 1, "preference": term}]})
    status = plugin().pre_score(CycleState(), wrong, over, np.arange(1))
    assert status.code is Code.ERROR
    assert "Unsupported value" in status.message


def test_a_malformed_added_affinity_is_refused() -> None:
    term = {"matchExpressions": [{"key": "a", "operator": "Unheard"}]}
    with pytest.raises(SelectorError):
        plugin({twin.REQUIRED: {"nodeSelectorTerms": [term]}})


@pytest.mark.parametrize(
    ("terms", "names"),
    [
        ([named("x"), named("y")], {"x", "y"}),
        ([named("x"), IN_ZONE_A], None),
        ([{**named("x"), **IN_ZONE_A}], {"x"}),
        ([named("x", "x")], {"x"}),
        ([], None),
    ],
)
def test_nodes_demanded_by_name_narrow_the_search(terms: Any, names: Any) -> None:
    over = clusters.columns([clusters.node("x")])
    assert plugin().pre_filter(CycleState(), requiring(*terms), over) == (SUCCESS, names)


def test_names_that_exclude_each_other_are_unresolvable() -> None:
    over = clusters.columns([clusters.node("x")])
    conflict = unresolvable("pod affinity terms conflict"), None
    assert plugin().pre_filter(CycleState(), requiring(named("x", "y")), over) == conflict


def test_the_profile_speaks_before_the_pod() -> None:
    over = clusters.columns([clusters.node("n")])
    affinity = plugin({twin.REQUIRED: {"nodeSelectorTerms": [IN_ZONE_A]}})
    enforced = unresolvable("node(s) didn't match scheduler-enforced node affinity")
    assert clusters.verdicts(affinity, requiring(named("other")), over) == [enforced]


@pytest.mark.parametrize(
    ("before", "after", "helps"),
    [(None, "a", True), (None, "b", False), ("b", "a", True), ("a", "a", False)],
)
def test_a_node_helps_when_it_comes_to_match(before: Any, after: str, helps: bool) -> None:
    (event,) = plugin().events_to_register()
    assert event.hint is not None
    old = None if before is None else clusters.node("n", labels={"zone": before})
    new = clusters.node("n", labels={"zone": after})
    assert event.hint(requiring(IN_ZONE_A), old, new) is helps


def test_a_node_that_the_profile_rules_out_does_not_help() -> None:
    (event,) = plugin({twin.REQUIRED: {"nodeSelectorTerms": [IN_ZONE_A]}}).events_to_register()
    assert event.hint is not None
    assert not event.hint(clusters.pod(), None, clusters.node("n"))
    assert event.hint(clusters.pod(), None, clusters.node("n", labels={"zone": "a"}))
