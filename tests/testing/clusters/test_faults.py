"""What goes wrong in a cluster on purpose."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import (
    AlreadyExists,
    ApiError,
    Conflict,
    InputError,
    NotFound,
    TooManyRequests,
)
from kubestage.testing import make_deployment, make_pod

if TYPE_CHECKING:
    from kubestage.testing import Cluster, ClusterFactory

HOOK: dict[str, Any] = {
    "name": "pods.example.com",
    "admissionReviewVersions": ["v1"],
    "sideEffects": "None",
    "clientConfig": {"service": {"name": "hook", "namespace": "tools", "path": "/check"}},
    "rules": [
        {"operations": ["CREATE"], "apiGroups": [""], "apiVersions": ["v1"], "resources": ["pods"]}
    ],
}


def configuration(**fields: Any) -> dict[str, Any]:
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": "hooks"},
        "webhooks": [{**HOOK, **fields}],
    }


def is_ready(cluster: Cluster, node: str) -> bool:
    conditions = cluster.get(f"node/{node}")["status"]["conditions"]
    return any(each["type"] == "Ready" and each["status"] == "True" for each in conditions)


def test_a_node_that_is_down_loses_its_pods(cluster: Cluster) -> None:
    cluster.apply(make_deployment("web", replicas=3))
    cluster.settle()
    with cluster.faults.node_down("node-0"):
        cluster.run("1m")
        assert not is_ready(cluster, "node-0")
        cluster.expect("deploy/web").ready(2)
        cluster.run("10m")
        cluster.expect("deploy/web").ready(3)
    cluster.run("1m")
    assert is_ready(cluster, "node-0")


def test_a_zone_that_is_down(factory: ClusterFactory) -> None:
    cluster = factory(nodes=6)
    fault = cluster.faults.zone_down("b")
    cluster.run("1m")
    down = [name for name in (f"node-{at}" for at in range(6)) if not is_ready(cluster, name)]
    assert down == ["node-1", "node-4"]
    fault.end()
    fault.end()
    cluster.run("1m")
    assert is_ready(cluster, "node-1")


def test_names_of_nodes_are_checked(cluster: Cluster) -> None:
    with pytest.raises(InputError, match='no node "node-9"'):
        cluster.faults.node_down("node-9")
    with pytest.raises(InputError, match="no node is named"):
        cluster.faults.node_down()
    with pytest.raises(InputError, match='no zone "x"'):
        cluster.faults.zone_down("x")


def test_the_next_request_is_refused(cluster: Cluster) -> None:
    fault = cluster.faults.refuse(409, verb="create", kind="pods", name="a")
    cluster.create(make_pod("b"))
    with pytest.raises(AlreadyExists, match='pods "a" already exists'):
        cluster.create(make_pod("a"))
    cluster.create(make_pod("a"))
    assert fault.met == 1


@pytest.mark.parametrize(
    ("code", "error", "message"),
    [
        (409, Conflict, 'cannot be fulfilled on pods "a": the object has been modified'),
        (429, TooManyRequests, "Too many requests, please try again later."),
        (500, ApiError, "Internal error occurred: "),
        (404, NotFound, 'pods "a" not found'),
        (403, ApiError, 'pods "a" is forbidden'),
        (401, ApiError, "Unauthorized"),
        (410, ApiError, "too old"),
        (503, ApiError, "unable to handle the request"),
        (504, ApiError, "in the time allotted"),
    ],
)
def test_codes(cluster: Cluster, code: int, error: type[ApiError], message: str) -> None:
    cluster.create(make_pod("a"))
    with cluster.faults.refuse(code, verb="patch", kind="po", times=None) as fault:
        for _ in range(2):
            with pytest.raises(error, match=message) as refused:
                cluster.patch("pod/a", {"metadata": {"labels": {"x": "y"}}})
            assert refused.value.code == code
        assert cluster.get("pod/a")
    assert fault.met == 2
    cluster.patch("pod/a", {"metadata": {"labels": {"x": "y"}}})


def test_a_message_of_ones_own(cluster: Cluster) -> None:
    cluster.faults.refuse(500, message="etcdserver: leader changed")
    with pytest.raises(ApiError, match="occurred: etcdserver: leader changed") as refused:
        cluster.list("pods")
    causes = [{"message": "etcdserver: leader changed"}]
    assert refused.value.status["details"] == {"causes": causes}
    cluster.faults.refuse(429, message="slow down")
    with pytest.raises(TooManyRequests, match="slow down"):
        cluster.list("pods")


def test_which_requests_are_meant(cluster: Cluster) -> None:
    cluster.create(make_pod("a"))
    cluster.faults.refuse(500, verb="write", times=None)
    assert cluster.get("pod/a")
    with pytest.raises(ApiError):
        cluster.delete("pod/a")
    with pytest.raises(ApiError):
        cluster.scale("deploy/a", 1)
    cluster.faults.clear()
    cluster.faults.refuse(500, namespace="other", times=None)
    assert cluster.get("pod/a")
    with pytest.raises(ApiError):
        cluster.list("pods", namespace="other")


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"code": 418}, "418 is no code of a refusal"),
        ({"code": 500, "verb": "post"}, '"post" is no verb .use get, list'),
        ({"code": 500, "kind": "podz"}, 'no kind "podz"'),
        ({"code": 500, "times": 0}, "0 is no number of requests"),
    ],
)
def test_a_fault_that_cannot_be(cluster: Cluster, given: dict[str, Any], problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        cluster.faults.refuse(**given)


def test_slow_answers_take_virtual_time_here(cluster: Cluster) -> None:
    before_s = cluster.elapsed_s
    with cluster.faults.slow(30, verb="list"):
        cluster.list("pods")
        cluster.find("pod/a")
    assert 30 <= cluster.elapsed_s - before_s < 31
    with pytest.raises(InputError, match="0 is no delay"):
        cluster.faults.slow(0)


def test_watches_are_cut_over_http_only(cluster: Cluster) -> None:
    with pytest.raises(InputError, match="use the fixture cluster_server"):
        cluster.faults.cut_watches()


def test_a_webhook_that_fails_stops_clients_and_controllers(cluster: Cluster) -> None:
    with cluster.faults.fail_webhook("policy.example.com", kinds=["pods"]):
        with pytest.raises(ApiError, match=r'failed calling webhook "policy\.example') as failed:
            cluster.create(make_pod("a"))
        assert failed.value.status["code"] == 500
        cluster.apply(make_deployment("web", replicas=2))
        cluster.run("1m")
        cluster.expect.pods().count(0)
        cluster.expect.events(reason="FailedCreate", message="failed calling webhook")
        copy = cluster.fork()
        copy.run("10m")
        copy.expect.pods().count(0)
    cluster.run("10m")
    cluster.expect("deploy/web").ready(2)


def test_a_webhook_is_called_for_what_its_configuration_says(cluster: Cluster) -> None:
    selector = {"matchLabels": {"checked": "yes"}}
    cluster.apply(configuration(objectSelector=selector, timeoutSeconds=3))
    cluster.create(make_pod("old", labels={"checked": "yes"}))
    with cluster.faults.fail_webhook(HOOK["name"], cause="context deadline exceeded"):
        cluster.create(make_pod("unchecked"))
        cluster.patch("pod/old", {"metadata": {"labels": {"x": "y"}}})
        with pytest.raises(ApiError) as failed:
            cluster.create(make_pod("a", labels={"checked": "yes"}))
    address = '"https://hook.tools.svc:443/check?timeout=3s"'
    assert f"failed to call webhook: Post {address}: context deadline" in str(failed.value)


def test_namespaces_can_be_left_out_of_a_webhook(cluster: Cluster) -> None:
    name = {"key": "kubernetes.io/metadata.name", "operator": "NotIn", "values": ["kube-system"]}
    cluster.apply(configuration(namespaceSelector={"matchExpressions": [name]}))
    with cluster.faults.fail_webhook(HOOK["name"]):
        cluster.create(make_pod("a", namespace="kube-system"))
        with pytest.raises(ApiError, match="failed calling webhook"):
            cluster.create(make_pod("a"))


def test_a_webhook_that_may_fail_has_no_effect(cluster: Cluster) -> None:
    cluster.apply(configuration(failurePolicy="Ignore"))
    with cluster.faults.fail_webhook(HOOK["name"]):
        cluster.create(make_pod("a"))


def test_webhooks_that_cannot_be(cluster: Cluster) -> None:
    with pytest.raises(InputError, match='there is no webhook "x"'):
        cluster.faults.fail_webhook("x")
    with pytest.raises(InputError, match='"READ" is no operation'):
        cluster.faults.fail_webhook("x", kinds=["pods"], operations=["read"])


def test_a_webhook_for_updates_of_workloads(cluster: Cluster) -> None:
    cluster.apply(make_deployment("web", replicas=1))
    cluster.settle()
    with cluster.faults.fail_webhook("x", kinds=["deploy", "rs"], operations=["UPDATE"]):
        with pytest.raises(ApiError, match="failed calling webhook"):
            cluster.patch("deploy/web", {"spec": {"replicas": 2}})
        cluster.run("5m")
    cluster.scale("deploy/web", 2)
    cluster.settle()
    cluster.expect("deploy/web").ready(2)
