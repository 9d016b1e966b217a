from __future__ import annotations

import math
import random
from typing import Any

import pytest

from kubestage.controllers.node_autoscaler import groups, templates
from kubestage.controllers.node_autoscaler.expanders import Expander, Option, price_score
from kubestage.objects.views import pod as pod_views
from kubestage.testing import make_pod
from tests.controllers.node_autoscaler.clusters import (
    DEPLOYMENT,
    make_group,
    make_web,
    staged,
    target,
)


def _option(
    name: str, nodes: int, pods: int, *, cpu: str = "4", memory: str = "16Gi", **spec: Any
) -> Option:
    group = groups.read_group(make_group(name, cpu=cpu, memory=memory, **spec))
    template = templates.of_description(group, [])
    views = [pod_views.of(make_pod(f"p{number}", cpu="1", memory="1Gi")) for number in range(pods)]
    return Option(group, template, nodes, views)


def _best(expander: str, *options: Option, size: int = 3, seed: int = 1) -> str:
    found = Expander(expander, random.Random(seed)).best(options, size)
    assert found is not None
    return found.group.name


def test_least_waste_leaves_the_least_of_cpu_and_memory_unused() -> None:
    # 4 of 8 cores and 4 of 32 GiB, against 4 of 6 cores and 4 of 32 GiB.
    wide = _option("wide", 2, 4)
    narrow = _option("narrow", 2, 4, cpu="3")
    assert _best("least-waste", wide, narrow) == "narrow"
    # Less memory is wasted, and so much of it that more CPU may be.
    lean = _option("lean", 2, 4, cpu="5", memory="2Gi")
    assert _best("least-waste", wide, narrow, lean) == "lean"


def test_most_pods_helps_most_pods() -> None:
    assert _best("most-pods", _option("a", 1, 3), _option("b", 4, 4)) == "b"


def test_least_nodes_takes_the_fewest_nodes() -> None:
    assert _best("least-nodes", _option("a", 3, 9), _option("b", 2, 1)) == "b"


def test_priority_takes_the_highest_and_groups_without_one_last() -> None:
    plain = _option("plain", 1, 1)
    low, high = _option("low", 1, 1, priority=1), _option("high", 1, 1, priority=5)
    assert _best("priority", plain, low, high) == "high"
    assert _best("priority", plain, low) == "low"
    assert _best("priority,least-nodes", plain, _option("more", 2, 1)) == "plain"


def test_price_takes_what_costs_least_for_what_it_is_used_for() -> None:
    cheap, dear = _option("cheap", 2, 8, price=0.1), _option("dear", 2, 8, price=0.4)
    assert _best("price", dear, cheap) == "cheap"


def test_price_prefers_nodes_that_suit_the_size_of_the_cluster() -> None:
    # Twice the node at twice the price: in a small cluster a small one suits better.
    small = _option("small", 2, 4, cpu="2", price=0.1)
    large = _option("large", 1, 4, cpu="8", price=0.2)
    assert _best("price", small, large, size=3) == "small"
    assert _best("price", small, large, size=100) == "large"


def test_each_of_a_chain_chooses_among_what_is_left() -> None:
    options = [
        _option("a", 2, 5, priority=1),
        _option("b", 2, 5, priority=2),
        _option("c", 1, 4, priority=9),
    ]
    assert _best("most-pods,priority", *options) == "b"
    assert _best("priority,most-pods", *options) == "c"


def test_ties_are_decided_by_chance_and_the_same_luck_decides_alike() -> None:
    options = [_option(name, 1, 1) for name in "abc"]
    drawn = [_best("least-nodes", *options, seed=seed) for seed in range(40)]
    assert set(drawn) == {"a", "b", "c"}
    assert drawn == [_best("least-nodes", *options, seed=seed) for seed in range(40)]


def test_random_takes_any() -> None:
    options = [_option("a", 9, 1), _option("b", 1, 1)]
    assert {_best("random", *options, seed=seed) for seed in range(20)} == {"a", "b"}


@pytest.mark.parametrize(
    ("expander", "chosen"), [("least-waste", "small"), ("least-nodes", "large")]
)
def test_the_flag_decides_which_group_grows(expander: str, chosen: str) -> None:
    # Five pods of a core take two small nodes, or a part of a large one.
    stage = staged(
        make_group("large", cpu="32", memory="64Gi"),
        make_group("small", cpu="3", memory="4Gi"),
        make_web(5),
        expander=expander,
    )
    stage.run("11s")
    assert target(stage, chosen) > 0
    assert target(stage, "large") + target(stage, "small") == target(stage, chosen)


def test_the_score_of_a_price_is_that_of_cluster_autoscaler() -> None:
    # Two nodes for 0.38, used by four pods of a core and a GiB; a pod of half a core and 500 MiB
    # is added to both sides so that pods without requests divide by something.
    pods, pod = 4 * (0.033174 + 0.004446), 0.5 * 0.033174 + 500 / 1024 * 0.004446
    ratio = (0.38 + pod) / (pods + pod)
    assert price_score(_option("a", 2, 4, price=0.19), 4000) == pytest.approx(ratio)
    # Half the size that is preferred: twice as unfit, and a little less so as there are two.
    unfit = 1.0 * (1.0 - math.tanh(1 / 15)) + 1.0
    assert price_score(_option("a", 2, 4, price=0.19), 8000) == pytest.approx(unfit * ratio)
    assert price_score(_option("a", 2, 4, price=0.19), 2000) == pytest.approx(unfit * ratio)


@pytest.mark.parametrize("gpu", ["nvidia.com/gpu", "amd.com/gpu"])
def test_nodes_with_gpus_are_a_thousand_times_as_dear_to_the_price_expander(gpu: str) -> None:
    plain, graphic = (
        _option(name, 1, 1, price=0.19, resources=resources)
        for name, resources in (("plain", {}), ("graphic", {gpu: "1"}))
    )
    assert price_score(graphic, 4000) == pytest.approx(1000 * price_score(plain, 4000))


def test_groups_without_a_price_are_taken_by_price_only_if_none_has_one() -> None:
    unpriced, dear = _option("unpriced", 1, 4), _option("dear", 1, 4, price=9.0)
    assert _best("price", unpriced, dear) == "dear"
    assert _best("price", _option("free", 1, 4, price=0), dear) == "free"
    assert _best("price,least-nodes", unpriced, _option("more", 2, 4)) == "unpriced"


def test_groups_without_a_price_have_that_of_a_catalog_also_when_it_changes() -> None:
    kind = "node.kubernetes.io/instance-type"
    catalog = {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "PriceCatalog",
        "metadata": {"name": "prices"},
        "spec": {"prices": _prices(a=0.5, b=0.1)},
    }
    stage = staged(
        catalog,
        make_group("one", labels={kind: "a"}),
        make_group("two", labels={kind: "b"}),
        make_web(2, cpu="3"),
        expander="price",
    )
    stage.run("3m")
    assert (target(stage, "one"), target(stage, "two")) == (0, 2)
    stage.apply([{**catalog, "spec": {"prices": _prices(a=0.05, b=0.1)}}])
    stage.store.patch(DEPLOYMENT, "web", {"spec": {"replicas": 4}})
    stage.run("3m")
    assert (target(stage, "one"), target(stage, "two")) == (2, 2)


def _prices(**types: float) -> list[dict[str, Any]]:
    return [{"instanceType": kind, "price": price} for kind, price in types.items()]
