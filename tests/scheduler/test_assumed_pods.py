from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from kubestage.objects.views import node as node_views
from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.cache import Cache
from kubestage.testing import make_node, make_pod

if TYPE_CHECKING:
    from kubestage.objects.views.pod import PodView


def cache_of(*names: str) -> Cache:
    cache = Cache()
    for name in names:
        cache.add_node(node_views.of(make_node(name, cpu="4")))
    return cache


def pod(name: str, node_name: str = "n1", **fields: str) -> PodView:
    raw = make_pod(name, cpu="1", node_name=node_name, labels=fields)
    raw["metadata"]["uid"] = name
    return pod_views.of(raw)


def used(cache: Cache) -> dict[str, int]:
    columns = cache.columns
    return dict(zip(columns.names, columns.requested_of("cpu").tolist(), strict=True))


def test_an_assumed_pod_counts_until_it_is_forgotten() -> None:
    cache = cache_of("n1", "n2")
    assumed = pod("web")
    cache.assume_pod(assumed)
    assert cache.assumed_pod("web") is assumed
    assert used(cache) == {"n1": 1000, "n2": 0}
    cache.forget_pod("web")
    assert cache.assumed_pod("web") is None
    assert used(cache) == {"n1": 0, "n2": 0}


def test_a_pod_that_is_known_to_be_there_cannot_be_forgotten() -> None:
    cache = cache_of("n1")
    cache.assume_pod(pod("web"))
    cache.add_pod(pod("web"))
    cache.forget_pod("web")
    assert cache.node_of("web") == "n1"
    assert used(cache) == {"n1": 1000}


def test_a_pod_may_turn_up_elsewhere() -> None:
    cache = cache_of("n1", "n2")
    cache.assume_pod(pod("web"))
    cache.add_pod(pod("web", "n2"))
    assert cache.assumed_pod("web") is None
    assert used(cache) == {"n1": 0, "n2": 1000}


def test_a_confirmed_pod_is_the_newer_version_and_the_last_on_its_node() -> None:
    cache = cache_of("n1")
    first = pod("first")
    cache.assume_pod(first)
    cache.add_pod(pod("second"))
    newer = msgspec.structs.replace(first, phase="Running")
    cache.confirm_pod(newer)
    on_node = cache.columns.infos[0].pods
    assert list(on_node) == ["second", "first"]
    assert on_node["first"] is newer
    assert cache.assumed_pod("first") is None


def test_a_version_that_counts_differently_is_counted_anew() -> None:
    cache = cache_of("n1")
    cache.add_pod(pod("web", app="a"))
    cache.add_pod(pod("web", app="b"))
    assert cache.columns.infos[0].pods["web"].labels == {"app": "b"}
    assert used(cache) == {"n1": 1000}


def test_a_pod_can_be_assumed_on_a_node_that_goes() -> None:
    cache = cache_of("n1")
    assumed = pod("web")
    cache.assume_pod(assumed)
    cache.remove_node("n1")
    assert cache.assumed_pod("web") is assumed
    newer = msgspec.structs.replace(assumed, phase="Running")
    cache.confirm_pod(newer)
    cache.add_node(node_views.of(make_node("n1", cpu="4")))
    assert cache.columns.infos[0].pods["web"] is newer
    assert used(cache) == {"n1": 1000}
