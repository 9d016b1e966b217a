"""Expectations: when they hold, and what a person reads when they do not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import ExpectationFailed, InputError
from kubestage.testing import (
    make_daemon_set,
    make_deployment,
    make_node,
    make_pod,
    make_service,
    make_stateful_set,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from kubestage.testing import Cluster, ClusterFactory


@pytest.fixture(scope="module")
def web(factory: ClusterFactory) -> Cluster:
    """Three ready pods, one in each zone."""
    cluster = factory(nodes=3)
    cluster.apply(make_deployment("web", replicas=3, cpu="1"))
    cluster.settle()
    return cluster


def refused(expect: Callable[[], object]) -> str:
    with pytest.raises(ExpectationFailed) as failed:
        expect()
    return str(failed.value)


def test_replicas_that_are_ready(web: Cluster) -> None:
    web.expect("deploy/web").ready().ready(3).exists().condition("Available")
    text = refused(lambda: web.expect("deploy/web").ready(2))
    assert text.startswith("expected deployment/web to have 2 ready: 3 are\n")
    assert "deployment/web   3/3     3            3" in text
    assert text.count("1/1     Running") == 3
    assert text.endswith("and nothing is under way.")


def test_too_early_says_so(cluster: Cluster) -> None:
    cluster.apply(make_deployment("web", replicas=1))
    text = refused(lambda: cluster.expect("deploy/web").ready(1))
    assert "its controller has not seen its last change yet" in text
    assert (
        'work is under way: let time pass by settle() or run(), or expect it within="5m".' in text
    )
    cluster.expect("deploy/web").ready(1, within="5m")


def test_a_pod_that_waits_is_explained(cluster: Cluster) -> None:
    cluster.apply(make_deployment("web", replicas=2, cpu="100"))
    text = refused(lambda: cluster.expect("deploy/web").ready(2, within="1m"))
    assert text.startswith("expected deployment/web to have 2 ready within 1m: 0 are")
    assert "FailedScheduling pod/web-" in text
    assert "has no node: 0/3 nodes are available: 3 Insufficient cpu." in text
    assert "1. lower its cpu request from 100 to 8" in text
    assert len(text.splitlines()) < 30


def test_what_is_not_there(web: Cluster) -> None:
    text = refused(lambda: web.expect("deploy/wep").exists())
    assert text.startswith("expected deployment/wep: it is not there\n\ndid you mean default/web?")
    web.expect("deploy/wep").gone()
    assert "there are no statefulsets" in refused(lambda: web.expect("sts/db").ready(1))
    text = refused(lambda: web.expect("deploy/web").gone(within="1s"))
    assert text.startswith("expected deployment/web to be gone within 1s: it is there")


def test_finalizers_are_named(cluster: Cluster) -> None:
    pod = make_pod("a")
    pod["metadata"]["finalizers"] = ["example.com/wait"]
    cluster.apply(pod)
    cluster.delete("pod/a", grace_seconds=0)
    text = refused(lambda: cluster.expect("pod/a").gone(within="1m"))
    assert "It has the finalizers example.com/wait." in text


def test_conditions_and_fields(web: Cluster) -> None:
    web.expect("node/node-0").ready().field("status.capacity.cpu", "8")
    web.expect("deploy/web").field("spec.template.spec.containers.0.image", "app:1.0")
    text = refused(lambda: web.expect("deploy/web").field("spec.replicas", 4))
    assert text.startswith("expected spec.replicas of deployment/web to be 4: it is 3")
    text = refused(lambda: web.expect("deploy/web").field("spec.replica", 3))
    assert "there is no such field" in text
    text = refused(lambda: web.expect("deploy/web").condition("Progressing", "False"))
    assert ": it is True (NewReplicaSetAvailable: " in text
    text = refused(lambda: web.expect("deploy/web").condition("Ready"))
    assert "there is no such condition, but Available, Progressing" in text
    with pytest.raises(InputError, match="a Node has no replicas"):
        web.expect("node/node-0").ready(1)


def test_other_workloads(cluster: Cluster) -> None:
    cluster.apply(make_stateful_set("db", replicas=2), make_daemon_set("agent"))
    cluster.expect("sts/db").ready(2, within="5m")
    cluster.expect("ds/agent").ready(within="1m").ready(3).pods().count(3).spread("node")
    text = refused(lambda: cluster.expect("ds/agent").ready(4))
    assert "expected daemonset/agent to have 4 ready: 3 are" in text


def test_pods_by_labels(web: Cluster) -> None:
    web.expect.pods("app=web").count(3).ready().ready(3).pending(0).spread("zone").spread("node")
    assert "there are 3" in refused(lambda: web.expect.pods("app=web").count(2))
    assert "0 of 0" in refused(lambda: web.expect.pods("app=db").ready())
    web.expect.pods("app=db").count(0).ready(0)
    assert "0 of 3" in refused(lambda: web.expect.pods("app=web").pending())
    web.expect.pods("app=web", namespace="other").count(0)


def test_pods_of_an_object(web: Cluster) -> None:
    copy = web.fork()
    copy.apply(make_service("web"))
    copy.expect("svc/web").pods().count(3)
    copy.expect("deploy/web").pods("app=other").count(0)
    name = copy.list("pods", "app=web")[0]["metadata"]["name"]
    copy.expect(f"pod/{name}").ready().pods().count(1)
    copy.expect("deploy/none").pods().count(0)


def test_nodes_of_pods(factory: ClusterFactory) -> None:
    cluster = factory(
        manifests=[make_node("a1", zone="a", labels={"disk": "ssd"}), make_node("b1", zone="b")]
    )
    cluster.apply(make_pod("there", labels={"app": "x"}, node_selector={"disk": "ssd"}))
    cluster.apply(make_pod("waits", labels={"app": "y"}, node_selector={"disk": "none"}))
    cluster.run("1m")
    pods = cluster.expect.pods("app=x")
    pods.on_nodes("a1").on_nodes(zone="a").on_nodes(selector="disk=ssd").on_nodes("a1", "b1")
    text = refused(lambda: pods.on_nodes(zone="b"))
    assert text.startswith("expected pods app=x on zone b: there on a1\n")
    assert "The nodes that are meant are b1." in text
    text = refused(lambda: cluster.expect.pods("app=y").on_nodes(zone="a"))
    assert "waits on no node" in text
    assert "node(s) didn't match Pod's node affinity/selector" in text
    assert "there are none" in refused(lambda: cluster.expect.pods("app=z").on_nodes(zone="a"))
    with pytest.raises(InputError, match='no zone "c"'):
        pods.on_nodes(zone="c")
    with pytest.raises(InputError, match='no node "c1"'):
        pods.on_nodes("c1")


def test_a_zone_may_be_called_by_its_letter(web: Cluster) -> None:
    name = next(
        pod["metadata"]["labels"]["app"]
        for pod in web.list("pods")
        if pod["spec"]["nodeName"] == "node-0"
    )
    text = refused(lambda: web.expect.pods(f"app={name}").on_nodes(zone="a"))
    assert "The nodes that are meant are node-0." in text
    assert refused(lambda: web.expect.pods(f"app={name}").on_nodes(zone="zone-a"))


def test_uneven_pods(factory: ClusterFactory) -> None:
    cluster = factory(nodes=3)
    cluster.apply([make_pod(f"p{at}", node_name="node-0") for at in range(2)])
    text = refused(lambda: cluster.expect.pods().spread("zone"))
    assert text.startswith("expected pods spread over each zone: zone-a: 2, zone-b: 0, zone-c: 0")
    cluster.expect.pods().spread("zone", max_skew=2)


def test_events(web: Cluster) -> None:
    web.expect.events(reason="Scheduled", at_least=3).no_events(reason="FailedScheduling")
    web.expect("deploy/web").events(reason="ScalingReplicaSet", message="from 0 to 3")
    text = refused(lambda: web.expect.events(reason="FailedScheduling", within="1m"))
    assert text.startswith("expected Events with reason FailedScheduling within 1m: there are none")
    assert "Events have the reasons Created, " in text
    text = refused(lambda: web.expect("deploy/web").events(reason="Scheduled", message="x"))
    assert 'about deployment/web with reason Scheduled that say "x": there are none' in text
    assert "only 3 of 4" in refused(lambda: web.expect.events(reason="Scheduled", at_least=4))
    text = refused(lambda: web.expect.no_events(reason="Scheduled"))
    assert "expected no Events with reason Scheduled: there are 3 such Events" in text


def test_room_for_more(web: Cluster) -> None:
    before = web.store.revision
    web.expect.schedulable(make_pod("one", cpu="5")).schedulable(make_deployment(replicas=3))
    text = refused(lambda: web.expect.schedulable(make_deployment("big", replicas=4, cpu="5")))
    assert text.startswith("expected deployment/big to find room: 1 pod without a node, 3 placed")
    assert "has no node: 0/3 nodes are available: 3 Insufficient cpu." in text
    with pytest.raises(InputError, match="has neither pods nor workloads"):
        web.expect.schedulable(make_service("web"))
    with pytest.raises(InputError, match="unknown field"):
        web.expect.schedulable({**make_pod("a"), "specs": {}})
    assert web.store.revision == before


def test_survival(web: Cluster) -> None:
    before = web.store.revision, web.now
    web.expect("deploy/web").survives(zone="b").survives(node="node-0", at_least=2)
    web.expect.survives(zone="zone-b")
    text = refused(lambda: web.expect("deploy/web").survives(zone="b", at_least=3))
    assert "deployment/default/web: lowest 2 of 3 ready" in text
    assert "to survive without zone zone-b (1 node)" in text
    assert (web.store.revision, web.now) == before
    with pytest.raises(InputError, match="either a zone or a node"):
        web.expect("deploy/web").survives()
    with pytest.raises(InputError, match='no zone "x"'):
        web.expect("deploy/web").survives(zone="x")
    with pytest.raises(InputError, match="deployment/other is not there"):
        web.expect("deploy/other").survives(zone="b")


def test_what_does_not_survive(factory: ClusterFactory) -> None:
    selector: dict[str, Any] = {"topology.kubernetes.io/zone": "zone-a"}
    cluster = factory(nodes=3)
    cluster.apply(make_deployment("db", pod=make_pod(cpu="1", node_selector=selector)))
    text = refused(lambda: cluster.expect("deploy/db").survives(zone="a"))
    assert "lowest 0 of 1 ready" in text
    text = refused(lambda: cluster.expect.survives(zone="a", lasts="forever"))
    assert "lowest 0 of 1 ready, 0 in the end" in text
    assert "has no node: " in text


def test_what_is_never_ready_does_not_survive(cluster: Cluster) -> None:
    cluster.apply(make_deployment("big", cpu="100"))
    text = refused(lambda: cluster.expect("deploy/big").survives(zone="a"))
    assert "none of its replicas is ready to begin with" in text
