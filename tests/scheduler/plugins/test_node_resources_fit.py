from __future__ import annotations

from typing import Any

import hypothesis
import pytest
from hypothesis import strategies as st

from kubestage.scheduler.cycle_state import CycleState
from kubestage.scheduler.plugins.node_resources_fit import NodeResourcesFit
from kubestage.scheduler.status import SUCCESS, unresolvable, unschedulable
from tests.reference import node_resources_fit as twin
from tests.scheduler.plugins import clusters

LEAST = {
    "type": "LeastAllocated",
    "resources": [{"name": "cpu", "weight": 1}, {"name": "memory", "weight": 1}],
}
_shapes = st.lists(st.integers(0, 10), min_size=1, max_size=5).flatmap(
    lambda scores: st.sets(
        st.integers(0, 100), min_size=len(scores), max_size=len(scores)
    ).map(
        lambda at: [
            {"utilization": x, "score": y} for x, y in zip(sorted(at), scores, strict=True)
        ]
    )
)  # fmt: skip
_strategies = st.fixed_dictionaries({
    "type": st.sampled_from(["LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"]),
    "resources": st.lists(
        st.fixed_dictionaries({
            "name": st.sampled_from([
                "cpu", "memory", "ephemeral-storage", clusters.GPU, "hugepages-2Mi", "unheard",
            ]),
            "weight": st.integers(1, 100),
        }),
        min_size=1,
        max_size=4,
    ),
    "requestedToCapacityRatio": st.fixed_dictionaries({"shape": _shapes}),
})  # fmt: skip


def plugin(**args: Any) -> NodeResourcesFit:
    return NodeResourcesFit({"scoringStrategy": LEAST, **args}, clusters.handle())


@hypothesis.given(
    clusters.clusters(),
    clusters.specs(),
    st.sets(st.just(clusters.GPU)),
    st.sets(st.sampled_from(["example.com", "example.org"])),
)
def test_a_node_is_rejected_as_the_twin_rejects_it(
    over: Any, spec: Any, ignored: set[str], groups: set[str]
) -> None:
    fit = plugin(ignoredResources=sorted(ignored), ignoredResourceGroups=sorted(groups))
    incoming = clusters.pod(**spec)
    expected = [twin.filter_node(incoming, info, ignored, groups) for info in over.infos]
    assert clusters.verdicts(fit, incoming, over) == expected
    state = CycleState()
    if fit.pre_filter(state, incoming, over)[0].is_success and len(over):
        fits = fit.fits(state, over)
        assert fits is not None
        assert fits.tolist() == [status.is_success for status in expected]


@hypothesis.given(clusters.clusters(), clusters.specs(), _strategies)
def test_a_node_scores_as_with_the_twin(over: Any, spec: Any, strategy: Any) -> None:
    incoming = clusters.pod(**spec)
    expected = [twin.score_node(incoming, info, strategy) for info in over.infos]
    raw, normalized = clusters.scores(plugin(scoringStrategy=strategy), incoming, over) or ([], [])
    assert raw == normalized == expected


def test_every_short_resource_is_named() -> None:
    over = clusters.columns([clusters.node("n", allocatable={"cpu": "1", "memory": "1Gi"})])
    over.add_pod(0, clusters.pod("there", {"cpu": "500m", "memory": "512Mi"}))
    incoming = clusters.pod(requests={"cpu": "600m", "memory": "600Mi"})
    assert clusters.verdicts(plugin(), incoming, over) == [
        unschedulable("Too many pods", "Insufficient cpu", "Insufficient memory")
    ]


def test_a_request_beyond_the_node_is_unresolvable() -> None:
    over = clusters.columns([clusters.node("n")])
    incoming = clusters.pod(requests={"cpu": "5"})
    assert clusters.verdicts(plugin(), incoming, over) == [unresolvable("Insufficient cpu")]


def test_too_many_pods_alone_can_be_resolved_even_on_a_node_for_none() -> None:
    over = clusters.columns([clusters.node("n", allocatable={"cpu": "1", "pods": "0"})])
    assert clusters.verdicts(plugin(), clusters.pod(), over) == [unschedulable("Too many pods")]


def test_an_ignored_group_does_not_cover_native_resources() -> None:
    over = clusters.columns([clusters.node("n")])
    incoming = clusters.pod(requests={"hugepages-2Mi": "2Mi", clusters.GPU: "1"})
    fit = plugin(ignoredResourceGroups=["example.com", "hugepages-2Mi"])
    assert clusters.verdicts(fit, incoming, over) == [unresolvable("Insufficient hugepages-2Mi")]


@pytest.mark.parametrize(
    ("resource", "extended"),
    [(clusters.GPU, clusters.GPU), ("deviceclass.resource.kubernetes.io/gpu", None)],
)
def test_what_a_device_class_stands_behind_is_left_to_devices(
    resource: str, extended: str | None
) -> None:
    spec = {"extendedResourceName": extended} if extended else {}
    device_class = {
        "apiVersion": "resource.k8s.io/v1",
        "kind": "DeviceClass",
        "metadata": {"name": "gpu"},
        "spec": spec,
    }
    fit = NodeResourcesFit({"scoringStrategy": LEAST}, clusters.handle([device_class]))
    allocatable = {"cpu": "1", "pods": "1"}
    over = clusters.columns(
        [
            clusters.node("without", allocatable=allocatable),
            clusters.node("with", allocatable={**allocatable, resource: "1"}),
        ]
    )
    incoming = clusters.pod(requests={resource: "2"})
    assert clusters.verdicts(fit, incoming, over) == [
        SUCCESS,
        unresolvable(f"Insufficient {resource}"),
    ]
    assert clusters.verdicts(plugin(), incoming, over)[0] != SUCCESS


def test_more_resources_than_can_be_told_apart_are_an_error() -> None:
    over = clusters.columns([clusters.node("n")])
    requests = {f"example.com/r{number}": "1" for number in range(40)}
    status, _ = plugin().pre_filter(CycleState(), clusters.pod(requests=requests), over)
    assert not status.is_success
    assert not status.is_rejected


def test_pod_level_resources_count_for_the_filter_but_not_for_the_score() -> None:
    over = clusters.columns([clusters.node("n")])
    plain = clusters.pod(requests={"cpu": "1", "memory": "1Gi"})
    resources = {"requests": {"cpu": "5", "memory": "1Gi"}}
    stated = clusters.pod(requests={"cpu": "1", "memory": "1Gi"}, resources=resources)
    assert clusters.verdicts(plugin(), stated, over) == [unresolvable("Insufficient cpu")]
    assert clusters.scores(plugin(), stated, over) == clusters.scores(plugin(), plain, over)
