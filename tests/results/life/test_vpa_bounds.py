"""What a VPA recommends stands beside what pods request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.results.life import vpa_bounds
from kubestage.results.life.vpa_bounds import VpaBounds
from kubestage.testing import make_pod

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _vpa(*recommendations: Json) -> Json:
    return {"status": {"recommendation": {"containerRecommendations": list(recommendations)}}}


def _recommendation(container: str, **amounts: str) -> Json:
    return {"containerName": container, "target": amounts, "lowerBound": amounts, "upperBound": {}}


def test_the_request_is_the_mean_over_pods() -> None:
    pods = [make_pod("a", cpu="1"), make_pod("b", cpu="500m")]
    name = pods[0]["spec"]["containers"][0]["name"]
    [found] = vpa_bounds.bounds(_vpa(_recommendation(name, cpu="587m")), pods)
    assert found == VpaBounds(name, "cpu", 0.587, 0.587, None, 0.75)


def test_each_resource_of_each_container_has_its_own() -> None:
    vpa = _vpa(_recommendation("app", cpu="1", memory="1Ki"), _recommendation("proxy", cpu="2"))
    found = [(each.container, each.resource, each.target) for each in vpa_bounds.bounds(vpa, [])]
    assert found == [("app", "cpu", 1), ("app", "memory", 1024), ("proxy", "cpu", 2)]


def test_without_pods_nothing_is_requested_and_without_a_status_nothing_is_told() -> None:
    [found] = vpa_bounds.bounds(_vpa(_recommendation("app", cpu="1")), [])
    assert found.request is None
    assert list(vpa_bounds.bounds({}, [])) == []
