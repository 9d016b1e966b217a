"""Limits in proportion, and recommendations within the limits of a pod."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kubestage.controllers.vpa import capping, proportions
from kubestage.sim.clock import Clock
from kubestage.sim.streams import Streams
from kubestage.store.store import Store
from tests.controllers.vpa import worlds

if TYPE_CHECKING:
    from kubestage.aliases import Json


@pytest.mark.parametrize(
    ("limit", "request_", "recommended", "default", "expected"),
    [
        ("2", "1", "500m", "0", "1"),
        ("1", "1", "500m", "0", "500m"),
        ("1", "0", "500m", "0", "500m"),
        ("0", "1", "500m", "0", None),
        ("0", "1", "500m", "4", "2"),
        ("1", "1", "0", "0", None),
        ("1", "3", "500m", "0", "166m"),
    ],
)
def test_limits_keep_their_proportion_to_requests(
    limit: str, request_: str, recommended: str, default: str, expected: str | None
) -> None:
    given = [{"cpu": each} for each in (limit, request_, recommended, default)]
    found, _ = proportions.limits(given[0], given[1], given[2], given[3])
    assert (None if found is None else found["cpu"]) == expected


def test_a_limit_that_cannot_be_written_is_cut_and_remarked_on() -> None:
    huge = {"memory": "8Ei"}
    found, remarks = proportions.limits({"memory": "4Ei"}, {"memory": "1"}, {"memory": "1Ei"}, huge)
    assert found == {"memory": str(2**63 - 1)}
    assert remarks[-1] == "memory: failed to keep limit to request ratio; capping limit to int64"


def _capped(items: list[Json], recommended: dict[str, str], limits: Json | None) -> dict[str, str]:
    """CPU targets of two containers that request 100m each, under a limit range."""
    store = Store(Clock(), Streams(0), implicit_namespaces=True)
    for index, item in enumerate(items):
        store.create(
            {
                "apiVersion": "v1",
                "kind": "LimitRange",
                "metadata": {"name": f"bounds-{index}", "namespace": "default"},
                "spec": {"limits": [item]},
            }
        )
    said = [
        {"containerName": name, "target": {"cpu": amount}, "lowerBound": {}, "upperBound": {}}
        for name, amount in recommended.items()
    ]
    vpa = worlds.autoscaler()
    vpa["status"] = {"recommendation": {"containerRecommendations": said}}
    resources = {"requests": {"cpu": "100m"}, **({} if limits is None else {"limits": limits})}
    containers = [{"name": name, "resources": resources} for name in "ab"]
    pod = {"metadata": {"namespace": "default"}, "spec": {"containers": containers}}
    found = capping.apply(store, vpa, pod, "default").recommendations
    return {name: each["target"]["cpu"] for name, each in found.items()}


def test_all_containers_share_what_a_pod_may_have() -> None:
    most = [{"type": "Pod", "max": {"cpu": "300m"}}]
    both = {"a": "400m", "b": "200m"}
    assert _capped(most, both, {"cpu": "100m"}) == {"a": "200m", "b": "100m"}
    assert _capped(most, both, None) == both


def test_all_containers_share_what_a_pod_must_have() -> None:
    least = [{"type": "Pod", "min": {"cpu": "1"}}]
    assert _capped(least, {"a": "100m", "b": "200m"}, {"cpu": "100m"}) == {
        "a": "334m",
        "b": "667m",
    }


def test_a_container_without_a_recommendation_counts_with_what_it_has() -> None:
    most = [{"type": "Pod", "max": {"cpu": "300m"}}]
    assert _capped(most, {"a": "400m"}, {"cpu": "100m"}) == {"a": "240m", "b": "60m"}


def test_limit_ranges_of_containers_bind_the_limit_in_proportion() -> None:
    bounds = [{"type": "Container", "min": {"cpu": "300m"}, "max": {"cpu": "1"}}]
    recommended = {"a": "50m", "b": "900m"}
    assert _capped(bounds, recommended, {"cpu": "200m"}) == {"a": "300m", "b": "500m"}


def test_of_several_limit_ranges_the_tightest_bounds_count() -> None:
    bounds = [
        {"type": "Container", "max": {"cpu": "1"}},
        {"type": "Container", "max": {"cpu": "800m"}, "min": {"cpu": "200m"}},
        {"type": "Container", "min": {"cpu": "100m"}},
    ]
    assert _capped(bounds, {"a": "50m", "b": "2"}, {"cpu": "100m"}) == {"a": "200m", "b": "800m"}
