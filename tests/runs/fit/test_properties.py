"""Whatever the cluster: what an advice lists is true, and no request is lowered too far."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kubestage.runs import fit
from kubestage.runs.fit import cluster_copy, cluster_image, edit, requests, round_amounts
from kubestage.testing import make_node, make_pod
from tests.runs.fit.clusters import is_placed_after, pod_on, stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json

_REQUIRED = "requiredDuringSchedulingIgnoredDuringExecution"
_ZONE = "topology.kubernetes.io/zone"
_CPU = st.sampled_from(["100m", "350m", "1", "1500m", "2", "2750m", "4"])
_MEMORY = st.sampled_from(["100Mi", "1Gi", "1700Mi", "3Gi", "9Gi"])
_LABEL = st.sampled_from(["web", "db", "job"])
_SETTINGS = settings(
    max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True
)


@st.composite
def _nodes(draw: st.DrawFn) -> list[Json]:
    found = []
    for index in range(draw(st.integers(1, 4))):
        taints = draw(st.sampled_from([[], [], ["dedicated=db:NoSchedule"], ["gpu:NoExecute"]]))
        node = make_node(
            f"n{index}",
            cpu=draw(_CPU),
            memory=draw(_MEMORY),
            zone=draw(st.sampled_from(["z1", "z2"])),
            labels={"disk": draw(st.sampled_from(["ssd", "hdd"]))},
            taints=taints,
        )
        if draw(st.integers(0, 5)) == 0:
            node["spec"] = {**node.get("spec", {}), "unschedulable": True}
        found.append(node)
    return found


@st.composite
def _running(draw: st.DrawFn, nodes: int) -> list[Json]:
    return [
        make_pod(
            f"p{index}",
            cpu=draw(st.sampled_from(["50m", "350m", "1"])),
            memory="100Mi",
            labels={"app": draw(_LABEL)},
            node_name=f"n{draw(st.integers(0, nodes - 1))}",
            priority=draw(st.sampled_from([0, 0, 10])),
            host_ports=draw(st.sampled_from([[], [], [8080]])),
        )
        for index in range(draw(st.integers(0, 6)))
    ]


@st.composite
def _pods(draw: st.DrawFn) -> Json:
    term = {"labelSelector": {"matchLabels": {"app": draw(_LABEL)}}, "topologyKey": _ZONE}
    affinity = draw(st.sampled_from(["podAffinity", "podAntiAffinity", None, None]))
    spread = {
        "maxSkew": 1,
        "topologyKey": _ZONE,
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": {"app": "web"}},
    }
    return make_pod(
        "web",
        cpu=draw(_CPU),
        memory=draw(_MEMORY),
        labels={"app": draw(_LABEL)},
        node_selector=draw(st.sampled_from([{}, {}, {"disk": "ssd"}, {"disk": "nvme"}])),
        affinity=None if affinity is None else {affinity: {_REQUIRED: [term]}},
        topology_spread_constraints=draw(st.sampled_from([[], [], [spread]])),
        host_ports=draw(st.sampled_from([[], [], [8080]])),
    )


@st.composite
def _clusters(draw: st.DrawFn) -> tuple[list[Json], list[Json], Json]:
    nodes = draw(_nodes())
    return nodes, draw(_running(len(nodes))), draw(_pods())


@_SETTINGS
@given(_clusters())
def test_every_change_of_an_advice_gets_the_pod_a_node(
    cluster: tuple[list[Json], list[Json], Json],
) -> None:
    nodes, running, pod = cluster
    stage = stage_with(*nodes, *running, pods=(pod,))
    pending = pod_on(stage, "web")
    advice = fit.advise(stage, pending)
    assert advice.fits == bool(pending["spec"].get("nodeName"))
    for change in advice.changes:
        assert is_placed_after(stage.fork(), pending, change), change


@_SETTINGS
@given(_clusters())
def test_one_step_more_than_a_lowered_request_does_not_fit(
    cluster: tuple[list[Json], list[Json], Json],
) -> None:
    nodes, running, pod = cluster
    stage = stage_with(*nodes, *running, pods=(pod,))
    pending = pod_on(stage, "web")
    if pending["spec"].get("nodeName"):
        return
    copy = cluster_copy.ClusterCopy(cluster_image.image_of(stage), pending)
    for resource in ("cpu", "memory"):
        place = requests.place_of(pending, resource)
        assert place is not None
        for candidate in requests.lower(copy, [resource]):
            assert copy.attempt(candidate.edit).is_placed
            lowered = requests.amount_of(candidate.edit.changed(pending), resource)
            more = lowered + round_amounts.step_at(resource, lowered)
            if more < place.amount:
                one_more = edit.of_pod(
                    functools.partial(requests.lowered, place=place, amount=more)
                )
                assert not copy.attempt(one_more).is_placed


@_SETTINGS
@given(st.sampled_from(["cpu", "memory", "example.com/gpu", "hugepages-2Mi"]),
       st.integers(1, 1 << 42))  # fmt: skip
def test_round_amounts_are_below_and_read_back_as_they_are(resource: str, amount: int) -> None:
    rounded = round_amounts.round_down(resource, amount)
    assert 0 <= rounded <= amount
    assert amount - rounded < round_amounts.step_at(resource, amount)
    if rounded:
        assert requests._value(resource, round_amounts.text(resource, rounded)) == rounded


@_SETTINGS
@given(_clusters())
def test_a_copy_is_as_it_was_after_any_attempt(
    cluster: tuple[list[Json], list[Json], Json],
) -> None:
    nodes, running, pod = cluster
    stage = stage_with(*nodes, *running, pods=(pod,))
    pending = pod_on(stage, "web")
    if pending["spec"].get("nodeName"):
        return
    copy = cluster_copy.ClusterCopy(cluster_image.image_of(stage), pending)
    first = copy.attempt()
    copy.attempt(edit.Edit(remove=tuple(stage.store.read(("v1", "Pod")).values())))
    again = copy.attempt()
    assert (again.node, again.message) == (first.node, first.message)
    assert copy.scheduler.cache.sizes() == {
        "assumed_pods": 0, "nodes": len(nodes), "pods": len(running),
    }  # fmt: skip
