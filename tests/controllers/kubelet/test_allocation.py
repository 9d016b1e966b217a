"""Resources in the statuses of pods and containers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.kubelet import allocation
from tests.controllers.kubelet.clusters import Cluster

if TYPE_CHECKING:
    from kubestage.aliases import Json

CAPACITY = {"cpu": "9", "ephemeral-storage": "9Gi", "memory": "9Gi", "pods": "9"}


def running(*containers: Json, **spec: Any) -> Cluster:
    cluster = Cluster(launch_delay="1s")
    images = [{"names": ["app:1"], "sizeBytes": 1}]
    cluster.node(status={"images": images, "capacity": CAPACITY})
    cluster.run("1s")
    cluster.pod(containers=list(containers), **spec)
    cluster.run("500ms")
    return cluster


def container(name: str = "c", **resources: Any) -> Json:
    return {"name": name, "image": "app:1", "resources": resources}


def test_a_container_tells_its_resources_once_it_has_run() -> None:
    cluster = running(container(requests={"cpu": "0.5"}, limits={"memory": "1024Mi"}))
    assert {"resources", "allocatedResources"}.isdisjoint(cluster.container())
    cluster.run("1s")
    state = cluster.container()
    assert state["resources"] == {
        "limits": {"memory": "1Gi"},
        "requests": {"cpu": "500m", "memory": "1Gi"},
    }
    assert state["allocatedResources"] == {"cpu": "500m", "memory": "1Gi"}


def test_one_that_asks_for_nothing_says_so() -> None:
    cluster = running({"name": "c", "image": "app:1"})
    cluster.run("1s")
    assert cluster.container()["resources"] == {}
    assert "allocatedResources" not in cluster.container()
    assert cluster.status()["resources"] == {}
    assert "allocatedResources" not in cluster.status()


def test_the_pod_tells_the_sum_and_while_it_runs_only_limits_that_all_have() -> None:
    cluster = running(
        container(requests={"cpu": "1"}, limits={"cpu": "2", "memory": "1Gi"}),
        container("d", requests={"cpu": "1", "ephemeral-storage": "1Gi"}, limits={"cpu": "1"}),
    )
    requests = {"cpu": "2", "ephemeral-storage": "1Gi", "memory": "1Gi"}
    assert cluster.status()["allocatedResources"] == requests
    assert cluster.status()["resources"] == {
        "limits": {"cpu": "3", "memory": "1Gi"},
        "requests": requests,
    }
    cluster.run("1s")
    assert cluster.status()["allocatedResources"] == requests
    assert cluster.status()["resources"] == {
        "limits": {"cpu": "3"},
        "requests": {"cpu": "2", "memory": "1Gi"},
    }


def test_the_limits_of_a_pod_hold_for_containers_without_their_own() -> None:
    own = {"limits": {"cpu": "2", "memory": "1Gi"}}
    given = allocation.of_container(container(), own)
    assert (given.cpu_limit, given.memory_limit) == (2.0, 1 << 30)
    given = allocation.of_container(container(limits={"cpu": "1", "memory": "1Mi"}), own)
    assert (given.cpu_limit, given.memory_limit) == (1.0, 1 << 20)
    given = allocation.of_container(container(), None)
    assert (given.cpu_limit, given.memory_limit) == (None, None)


def test_statuses_share_what_the_spec_says() -> None:
    cluster = running(container(requests={"cpu": "1"}))
    cluster.run("1s")
    pod = cluster.get()
    assert pod is not None
    stated = pod["spec"]["containers"][0]["resources"]
    assert pod["status"]["containerStatuses"][0]["resources"] is stated
