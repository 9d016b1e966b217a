from __future__ import annotations

from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from kubestage.objects.views import pod as pod_views
from kubestage.scheduler.plugins.node_resources_balanced_allocation import (
    NodeResourcesBalancedAllocation,
)
from tests.reference import node_resources_balanced_allocation as twin
from tests.scheduler.plugins import clusters

_resources = st.lists(
    st.sampled_from(["cpu", "memory", "ephemeral-storage", clusters.GPU, "hugepages-2Mi"]),
    min_size=1,
    max_size=5,
    unique=True,
)


def plugin(*resources: str) -> NodeResourcesBalancedAllocation:
    args = {"resources": [{"name": name, "weight": 1} for name in resources]}
    return NodeResourcesBalancedAllocation(args, clusters.handle())


@hypothesis.given(clusters.clusters(), clusters.specs(), _resources)
def test_a_node_scores_as_with_the_twin(over: Any, spec: Any, resources: list[str]) -> None:
    incoming = clusters.pod(**spec)
    found = clusters.scores(plugin(*resources), incoming, over)
    if twin.is_skipped(incoming, resources):
        assert found is None
    else:
        expected = [twin.score_node(incoming, info, resources) for info in over.infos]
        assert found == (expected, expected)


def test_a_pod_that_requests_nothing_is_skipped() -> None:
    over = clusters.columns([clusters.node("n")])
    assert clusters.scores(plugin("cpu", "memory"), clusters.pod(), over) is None


@pytest.mark.parametrize(
    ("requests", "score"),
    [
        ({"cpu": "1", "memory": "2Gi"}, 75),
        ({"cpu": "4"}, 50),
        ({"cpu": "2"}, 62),
    ],
)
def test_the_score_is_the_change_in_balance(requests: Any, score: int) -> None:
    over = clusters.columns([clusters.node("n")])
    found = clusters.scores(plugin("cpu", "memory"), clusters.pod(requests=requests), over)
    assert found == ([score], [score])


def test_a_pod_that_evens_a_node_out_is_drawn_to_it() -> None:
    over = clusters.columns([clusters.node("even"), clusters.node("lopsided")])
    over.add_pod(1, clusters.pod("there", {"cpu": "4"}))
    incoming = clusters.pod(requests={"memory": "8Gi"})
    assert clusters.scores(plugin("cpu", "memory"), incoming, over) == ([50, 100], [50, 100])


def test_what_a_pod_holds_already_counts_by_its_status() -> None:
    over = clusters.columns([clusters.node("n")])
    balanced = plugin("cpu", "memory")
    raw = clusters.pod(requests={"cpu": "1", "memory": "2Gi"}).raw
    resized = {"requests": {"cpu": "3", "memory": "2Gi"}}
    status = {"containerStatuses": [{"name": "main", "resources": resized}]}
    holding = pod_views.of({**raw, "status": status})
    assert clusters.scores(balanced, pod_views.of(raw), over) == ([75], [75])
    assert clusters.scores(balanced, holding, over) == ([62], [62])
