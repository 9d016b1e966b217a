"""The numbers that everybody quotes, and what the estimators do at their edges."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.vpa import amounts, recommending
from kubestage.controllers.vpa.cluster_state import ClusterState
from kubestage.controllers.vpa.estimators import Confidence, Constant, confidence
from kubestage.controllers.vpa.settings import VpaSettings
from kubestage.errors import InputError
from kubestage.objects import labels
from kubestage.units import MINUTE_NS

_NOW_NS = 1_767_225_600 * 1_000_000_000


def _seen(minutes: int, millicores: int, settings: VpaSettings | None = None) -> Any:
    """One container at constant CPU, looked at once a minute; raw amounts of `app`."""
    settings = settings or VpaSettings()
    state = ClusterState(settings)
    vpa = state.add_or_update_vpa(
        {"metadata": {"namespace": "d", "name": "v"}, "spec": {}}, labels.EVERYTHING
    )
    state.add_container(state.add_or_update_pod(("d", "p"), {"app": "web"}), "app")
    for minute in range(minutes + 1):
        at_ns = state.now_ns = _NOW_NS + minute * MINUTE_NS
        assert state.add_cpu(("d", "p"), "app", millicores, at_ns)
    return recommending.Recommender(settings).raw(vpa, state)["app"]


@pytest.mark.parametrize(("millicores", "target"), [(100, 126), (500, 587), (1000, 1168)])
def test_constant_cpu_is_recommended_with_a_margin(millicores: int, target: int) -> None:
    assert _seen(60, millicores).target["cpu"] == target


@pytest.mark.parametrize(
    ("minutes", "upper", "lower"), [(5, 289, 0.603), (60, 25, 0.954), (720, 3, 0.996)]
)
def test_bounds_are_as_wide_as_history_is_short(minutes: int, upper: float, lower: float) -> None:
    found = _seen(minutes, 1000)
    assert found.upper_bound["cpu"] / 1168 == pytest.approx(upper, rel=1e-3)
    assert found.lower_bound["cpu"] / 1168 == pytest.approx(lower, rel=2e-3)


def test_floors_are_shared_by_the_containers_of_a_pod() -> None:
    settings = VpaSettings()
    state = ClusterState(settings)
    vpa = state.add_or_update_vpa(
        {"metadata": {"namespace": "d", "name": "v"}, "spec": {}}, labels.EVERYTHING
    )
    pod = state.add_or_update_pod(("d", "p"), {})
    for name in ("a", "b"):
        state.add_container(pod, name)
    found = recommending.Recommender(settings).raw(vpa, state)
    assert found["a"].target == {"cpu": 12, "memory": 125 << 20}


def test_without_history_the_upper_bound_is_as_high_as_can_be_written() -> None:
    assert _seen(0, 1000).upper_bound["cpu"] == amounts.MAX_AMOUNT
    assert _seen(0, 1000).lower_bound["cpu"] == 25


def test_no_amount_times_no_confidence_is_what_go_makes_of_it() -> None:
    state = ClusterState(VpaSettings())
    state.add_container(state.add_or_update_pod(("d", "p"), {}), "app")
    (aggregate,) = state.aggregates.values()
    estimator = Confidence(1.0, 1.0, MINUTE_NS, Constant(0))
    assert estimator.estimate(aggregate, "cpu") == -(2**63)


def test_minutes_of_an_interval_are_added_up_in_floats() -> None:
    state = ClusterState(VpaSettings())
    state.add_container(state.add_or_update_pod(("d", "p"), {}), "app")
    (aggregate,) = state.aggregates.values()
    aggregate.add_cpu(1, _NOW_NS)
    aggregate.last_sample_ns = _NOW_NS + 60 * MINUTE_NS
    # As 100 / 60 minutes it would be 0.6.
    assert confidence(aggregate, 100 * MINUTE_NS // 60) == 0.6000000000000001


def test_amounts_are_written_rounded_or_humanized() -> None:
    plain = amounts.Format().write({"cpu": 1500, "memory": 262144000})
    assert plain == {"cpu": "1500m", "memory": "250Mi"}
    rounded = amounts.Format(round_cpu_millicores=100, round_memory_bytes=1 << 26)
    assert rounded.write({"cpu": 1401, "memory": 1}) == {"cpu": "1500m", "memory": "64Mi"}
    assert amounts.humanized(1_610_612_736) == "1.50Gi"
    assert amounts.humanized(512) == "512"


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("recommender_interval_ns", 0, "must be above zero"),
        ("target_cpu_percentile", 90, "must lie between 0 and 1"),
        ("min_replicas", -1, "is below zero"),
        ("container_recommendation_max_allowed_cpu", "2 cores", "quantities must match"),
    ],
)
def test_settings_that_make_no_sense_are_refused(field: str, value: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem) as refusal:
        VpaSettings(**{field: value})
    assert refusal.value.path == f"vpa.{field}"
