"""What an operator's author wants to know before it meets a real cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kubestage.testing import ClusterServer

pytestmark = pytest.mark.kubestage(nodes=3, manifests=["crd.yaml"])


def web_app(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "example.com/v1",
        "kind": "WebApp",
        "metadata": {"name": name, "namespace": "default"},
        "spec": {"image": "shop:1.0", **spec},
    }


def test_an_app_gets_its_pods_and_a_status(operated: ClusterServer) -> None:
    operated.apply(web_app("shop", replicas=3))
    operated.expect("webapp/shop").field("status.ready", 3, within="5m")
    operated.expect("deploy/shop").ready(3).survives(zone="b", at_least=2).pods().spread("zone")

    operated.patch("webapp/shop", {"spec": {"replicas": 5}})
    operated.expect("webapp/shop").field("status.ready", 5, within="5m")

    operated.delete("webapp/shop")
    operated.expect("deploy/shop").gone(within="5m")


def test_it_tries_again_when_the_api_refuses(operated: ClusterServer) -> None:
    with operated.faults.refuse(500, verb="create", kind="deployments", times=2) as refused:
        operated.apply(web_app("shop", replicas=2))
        operated.expect("webapp/shop").field("status.ready", 2, within="5m")
    assert refused.met == 2


def test_it_adopts_a_deployment_that_is_there(operated: ClusterServer) -> None:
    with operated.faults.refuse(409, verb="create", kind="deployments", name="shop"):
        operated.apply(web_app("shop"))
        operated.expect("webapp/shop").exists()
    # Nothing was there to patch, so kopf tries again, and then it is created.
    operated.expect("webapp/shop").field("status.ready", 1, within="5m")


def test_it_goes_on_after_its_watches_are_lost(operated: ClusterServer) -> None:
    operated.apply(web_app("shop"))
    operated.expect("webapp/shop").field("status.ready", 1, within="5m")
    assert operated.faults.cut_watches("deployments", how="drop") == 1
    operated.patch("webapp/shop", {"spec": {"replicas": 2}})
    operated.expect("webapp/shop").field("status.ready", 2, within="5m")


@pytest.mark.kubestage(pace="still")
def test_the_status_follows_a_lost_node(operated: ClusterServer) -> None:
    # Time passes only while the test waits for something, so that it sees what does not last.
    operated.apply(web_app("shop", replicas=3))
    operated.expect("webapp/shop").field("status.ready", 3, within="5m")
    with operated.faults.node_down("node-0"):
        operated.expect("webapp/shop").field("status.ready", 2, within="2m")
        operated.expect("webapp/shop").field("status.ready", 3, within="10m")
