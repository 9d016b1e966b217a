"""Growth, with answers that were computed by hand, and the proof that one node fewer is too few."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kubestage import InputError
from kubestage.objects import gvk, yaml_text
from kubestage.runs import rehearse
from kubestage.runs.rehearse import GrowOptions, growth, node_search
from kubestage.testing import (
    make_daemon_set,
    make_deployment,
    make_horizontal_pod_autoscaler,
    make_node,
    make_pod,
    make_stateful_set,
)
from tests.runs.rehearse.clusters import cluster, nodes, spread

if TYPE_CHECKING:
    import pathlib


def test_twice_the_pods_need_twice_the_nodes() -> None:
    result = rehearse.grow(cluster(*nodes(3), spread("web", 3)), "all=2x")
    (enough,) = result.enough
    assert (result.missing, enough.nodes, enough.pending_with_one_fewer) == (3, 3, 1)
    assert enough.after is not None
    assert (enough.after.requested.milli_cpu, enough.after.offered.milli_cpu) == (3600, 6000)
    assert (result.before.requested.milli_cpu, result.before.nodes) == (1800, 3)
    assert result.grown[0].before == 3
    assert result.grown[0].after == 6
    assert result.answer == (
        "With all=2x, 3 pods have no room on the nodes that are there; "
        "3 more nodes like n1 are enough."
    )


def test_what_has_room_needs_no_node() -> None:
    result = rehearse.grow(cluster(*nodes(4), spread("web", 3)), "web=+1")
    assert (result.missing, list(result.enough)) == (0, [])
    assert result.answer == "With web=+1, all pods fit on the nodes that are there."
    assert not result.findings


def test_pods_that_are_created_one_by_one_are_all_counted() -> None:
    db = make_stateful_set("db", replicas=1, cpu="600m")
    result = rehearse.grow(cluster(*nodes(1), db), "sts/db=3")
    # Only one of them is pending: the next is not created before it is ready.
    assert result.effects.pending["pods"] == 1
    assert (result.missing, result.enough[0].nodes) == (2, 2)


def test_no_number_of_nodes_is_enough_for_a_pod_that_is_too_large(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "app.yaml"
    file.write_text(yaml_text.dump(make_pod("large", cpu="2")))
    result = rehearse.grow(cluster(*nodes(2)), (), GrowOptions(add=(str(file),)))
    (enough,) = result.enough
    assert enough.nodes is None
    assert "Insufficient cpu" in enough.reason
    assert result.values()["nodes"] == float("inf")


def test_each_make_of_nodes_has_its_own_number() -> None:
    large = make_node("big", cpu="4", labels={"karpenter.sh/nodepool": "large"})
    result = rehearse.grow(cluster(*nodes(3), large, spread("web", 9)), "web=+6")
    assert {each.template: each.nodes for each in result.enough} == {"n1": 6, "large": 1}


def test_what_the_autoscaler_adds_is_told_apart() -> None:
    group: dict[str, Any] = {
        "apiVersion": "kubestage.dev/v1alpha1",
        "kind": "NodeGroup",
        "metadata": {"name": "small"},
        "spec": {
            "minSize": 1,
            "maxSize": 2,
            "initialSize": 1,
            "template": {"capacity": {"cpu": "1", "memory": "4Gi"}},
        },
    }
    result = rehearse.grow(cluster(group, spread("web", 1)), "web=3x")
    assert (result.missing, result.autoscaled) == (2, 1)
    (enough,) = result.enough
    assert (enough.template, enough.nodes, enough.most_nodes) == ("small", 2, 2)
    assert result.effects.pending["pods"] == 1


def test_an_hpa_that_would_undo_it_is_set_aside() -> None:
    hpa = make_horizontal_pod_autoscaler("web", max_replicas=4)
    result = rehearse.grow(cluster(*nodes(8), spread("web", 2), hpa), "web=8")
    assert result.missing == 0
    assert result.notes == ["HPA default/web is disabled: it would undo the growth"]


@pytest.mark.parametrize(
    ("text", "replicas", "expected"),
    [("a=2x", 3, 6), ("a=1.5x", 3, 5), ("a=1.1x", 10, 11), ("a=+3", 2, 5), ("a=-3", 2, 0),
     ("a=7", 2, 7)],
)  # fmt: skip
def test_amounts(text: str, replicas: int, expected: int) -> None:
    assert growth.parse(text).amount.of(replicas) == expected


@pytest.mark.parametrize("text", ["web", "web=", "=2x", "web=2y", "web=two"])
def test_what_is_no_amount_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="does not say what grows by how much"):
        growth.parse(text)


def test_a_workload_that_is_not_there_is_refused_with_the_likely_one() -> None:
    made = cluster(*nodes(1), spread("web", 1))
    with pytest.raises(InputError, match=r"did you mean web\?"):
        rehearse.grow(made, "deploy/wep=2x")
    with pytest.raises(InputError, match=r'"job" has no replicas'):
        rehearse.grow(made, "job/web=2x")
    with pytest.raises(InputError, match="nothing is to grow"):
        rehearse.grow(made)


@settings(max_examples=5, deadline=None)
@given(
    milli=st.integers(100, 1000),
    replicas=st.integers(1, 4),
    times=st.integers(2, 5),
    count=st.integers(1, 3),
)
def test_the_number_is_enough_and_one_fewer_is_not(
    milli: int, replicas: int, times: int, count: int
) -> None:
    web = make_deployment("web", replicas=replicas, cpu=f"{milli}m")
    result = rehearse.grow(cluster(*nodes(count), web), f"web={times}x")
    grown = make_deployment("web", replicas=replicas * times, cpu=f"{milli}m")
    if not result.enough:
        assert node_search.shortfall(cluster(*nodes(count), grown).stage)[0] == 0
        return
    (enough,) = result.enough
    assert enough.nodes is not None
    with_all = cluster(*nodes(count + enough.nodes), grown)
    assert node_search.shortfall(with_all.stage)[0] == 0
    one_fewer = cluster(*nodes(count + enough.nodes - 1), grown)
    assert node_search.shortfall(one_fewer.stage)[0] > 0


_HOSTS = "kubernetes.io/hostname"


def _apart(app: str) -> dict[str, Any]:
    term = {"labelSelector": {"matchLabels": {"app": app}}, "topologyKey": _HOSTS}
    return {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}


def _workloads(milli: int, replicas: int, apart: bool, agent: int) -> list[dict[str, Any]]:
    web = make_deployment("web", replicas=replicas, cpu=f"{milli}m")
    db = make_stateful_set("db", replicas=replicas, cpu="200m")
    if apart:
        web["spec"]["template"]["spec"]["affinity"] = _apart("web")
    daemons = [make_daemon_set("agent", cpu=f"{agent}m")] if agent else []
    return [web, db, *daemons]


@settings(max_examples=6, deadline=None, derandomize=True)
@given(
    milli=st.integers(100, 800),
    replicas=st.integers(1, 3),
    apart=st.booleans(),
    agent=st.sampled_from([0, 150]),
    count=st.integers(1, 2),
)
def test_one_fewer_is_too_few_with_daemons_and_pods_that_avoid_each_other(
    milli: int, replicas: int, apart: bool, agent: int, count: int
) -> None:
    result = rehearse.grow(
        cluster(*nodes(count), *_workloads(milli, replicas, apart, agent)), "all=3x"
    )

    def missing(more: int) -> int:
        """What a new stage leaves that grows, and gets so many nodes at once."""
        again = cluster(*nodes(count), *_workloads(milli, replicas, apart, agent)).stage
        for kind, name in ((gvk.DEPLOYMENT, "web"), (gvk.STATEFUL_SET, "db")):
            again.store.patch(kind, name, {"spec": {"replicas": 3 * replicas}}, "default")
        again.run("3m")
        new = nodes(count + more)[count:]
        # Their daemons are there before they are open to others.
        again.apply([{**node, "spec": {"unschedulable": True}} for node in new])
        again.run("10s")
        again.apply(new)
        again.run("15m")
        return node_search.shortfall(again)[0]

    if not result.enough:
        assert missing(0) == 0
        return
    (enough,) = result.enough
    assert enough.nodes is not None
    assert missing(enough.nodes) == 0
    assert missing(enough.nodes - 1) > 0
