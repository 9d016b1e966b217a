"""What the recommender remembers of pods, and for how long."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.controllers.vpa.cluster_state import ClusterState
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.objects import labels
from kubestage.units import HOUR_NS

if TYPE_CHECKING:
    from kubestage.controllers.vpa.vpa_state import VpaState

_DAY_NS = 24 * HOUR_NS
_POD = ("default", "p")


def _state() -> ClusterState:
    state = ClusterState(VpaSettings())
    state.now_ns = _DAY_NS
    state.add_container(state.add_or_update_pod(_POD, {"app": "web"}), "app")
    return state


def _vpa(state: ClusterState, name: str = "v") -> VpaState:
    obj = {"metadata": {"namespace": "default", "name": name}, "spec": {}}
    return state.add_or_update_vpa(obj, labels.parse("app=web"))


def _yes(_: VpaState) -> bool:
    return True


def _no(_: VpaState) -> bool:
    return False


def test_what_never_had_a_sample_goes_with_its_pod_but_at_most_once_an_hour() -> None:
    state = _state()
    state.collect_garbage(_no)
    assert state.aggregates
    state.delete_pod(_POD)
    state.now_ns += HOUR_NS - 1
    state.collect_garbage(_no)
    assert state.aggregates
    state.now_ns += 1
    state.collect_garbage(_no)
    assert not state.aggregates


def test_what_pods_used_outlives_them_by_eight_days() -> None:
    state = _state()
    vpa = _vpa(state)
    assert state.add_cpu(_POD, "app", 100, _DAY_NS)
    state.delete_pod(_POD)
    state.now_ns = 9 * _DAY_NS - 1
    state.collect_garbage(_no)
    assert len(vpa.aggregates) == 1
    state.now_ns += HOUR_NS
    state.collect_garbage(_no)
    assert not vpa.aggregates
    assert not state.aggregates


def test_ended_pods_count_as_long_as_they_will_be_made_again() -> None:
    for is_controlled, kept in ((_yes, 1), (_no, 0)):
        state = _state()
        _vpa(state)
        state.add_or_update_pod(_POD, {"app": "web"}, "Succeeded")
        state.collect_garbage(is_controlled)
        assert len(state.aggregates) == kept


def test_pods_are_counted_for_those_that_select_them() -> None:
    state = _state()
    vpa = _vpa(state)
    assert vpa.pod_count == 1
    state.add_or_update_pod(("default", "q"), {"app": "web"})
    state.add_or_update_pod(("elsewhere", "r"), {"app": "web"})
    assert vpa.pod_count == 2
    state.add_or_update_pod(_POD, {"app": "other"})
    assert vpa.pod_count == 1
    state.delete_pod(("default", "q"))
    assert vpa.pod_count == 0


def test_one_that_comes_late_counts_what_is_there_and_one_that_went_counts_nothing() -> None:
    state = _state()
    state.add_or_update_pod(("default", "q"), {"app": "web", "tier": "x"})
    for name in "rstu":
        state.add_or_update_pod(("default", name), {"app": "web"})
    state.add_or_update_pod(("elsewhere", "s"), {"app": "web"})
    state.delete_pod(("default", "r"))
    first, second = _vpa(state), _vpa(state, "w")
    assert (first.pod_count, second.pod_count) == (5, 5)
    assert len(second.aggregates) == 1
    state.keep_vpas([("default", "w")])
    assert state.is_selected("default", {"app": "web"})
    state.add_container(state.add_or_update_pod(("default", "x"), {"app": "web", "v": "2"}), "app")
    assert (first.pod_count, second.pod_count) == (5, 6)
    assert (len(first.aggregates), len(second.aggregates)) == (1, 2)
    state.keep_vpas([])
    assert not state.is_selected("default", {"app": "web"})


def test_another_selector_means_other_aggregates() -> None:
    state = _state()
    assert len(_vpa(state).aggregates) == 1
    obj = {"metadata": {"namespace": "default", "name": "v"}, "spec": {}}
    assert not state.add_or_update_vpa(obj, labels.parse("app=db")).aggregates


def test_a_condition_that_says_nothing_is_one_that_changes() -> None:
    state = _state()
    status = {"conditions": [{"type": "RecommendationProvided"}]}
    obj = {"metadata": {"namespace": "default", "name": "v"}, "spec": {}, "status": status}
    vpa = state.add_or_update_vpa(obj, labels.parse("app=web"))
    vpa.update_conditions("2026-01-01T00:00:00Z")
    assert vpa.status()["conditions"] == [
        {
            "type": "RecommendationProvided",
            "status": "False",
            "lastTransitionTime": "2026-01-01T00:00:00Z",
        }
    ]


def test_pods_with_the_same_labels_share_what_is_known() -> None:
    state = _state()
    state.add_container(state.add_or_update_pod(("default", "q"), {"app": "web"}), "app")
    assert state.add_cpu(_POD, "app", 100, _DAY_NS)
    assert state.add_cpu(("default", "q"), "app", 100, _DAY_NS)
    (aggregate,) = state.aggregates.values()
    assert aggregate.total_samples == 2
    assert not state.add_cpu(_POD, "app", 100, _DAY_NS)
    assert not state.add_cpu(_POD, "nobody", 100, 2 * _DAY_NS)
