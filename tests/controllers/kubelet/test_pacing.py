"""Nodes that take their time: to hear of pods, to launch many, and to tell what became of them."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.errors import InputError
from tests.controllers.kubelet.clusters import Cluster, at


def ready(**settings: Any) -> Cluster:
    cluster = Cluster(image_size="0", **{"launch_delay": "0s", **settings})
    cluster.node()
    cluster.run("10s")
    return cluster


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"watch_delay": "soon"}, "kubelet.watch_delay"),
        ({"status_delay": "normal(1s)"}, "kubelet.status_delay"),
        ({"starts_at_once": -1}, "kubelet.starts_at_once"),
        ({"client_qps": -1.0}, "kubelet.client_qps"),
        ({"client_qps": 50.0}, "kubelet.client_burst"),
    ],
)
def test_what_cannot_be_a_pace_is_told_by_its_path(settings: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as error:
        KubeletSettings(**settings)
    assert error.value.path == path


def test_a_node_hears_of_its_pods_after_a_delay() -> None:
    cluster = ready(watch_delay="2s")
    cluster.pod("a")
    cluster.run("1s")
    assert "startTime" not in cluster.status("a")
    cluster.run("5s")
    assert cluster.status("a")["startTime"] == at(12)


def test_a_pod_that_is_to_go_before_it_is_heard_of_is_not_heard_of_later() -> None:
    cluster = ready(watch_delay="2s", launch_delay="10s")
    cluster.pod("a")
    cluster.run("1s")
    cluster.delete("a")
    cluster.run("900ms")
    assert cluster.get("a") is not None
    cluster.run("200ms")
    assert cluster.get("a") is None


def test_so_many_pods_are_launched_at_once() -> None:
    cluster = ready(launch_delay="4s", starts_at_once=2)
    for name in "abcde":
        cluster.pod(name)
    cluster.run("1m")
    started = [cluster.container(name)["state"]["running"]["startedAt"] for name in "abcde"]
    assert started == [at(14), at(14), at(18), at(18), at(22)]
    cluster.pod("f")
    cluster.run("1m")
    assert cluster.container("f")["state"]["running"]["startedAt"] == at(74)


def test_a_status_is_told_some_time_after_the_container_started() -> None:
    cluster = ready(launch_delay="4s", status_delay="3s")
    cluster.pod("a")
    cluster.run("6s")
    assert cluster.status("a")["phase"] == "Pending"
    assert cluster.status("a")["containerStatuses"][0]["state"]["waiting"]
    cluster.run("2s")
    assert cluster.status("a")["phase"] == "Running"
    assert cluster.container("a")["state"]["running"]["startedAt"] == at(14)
    assert cluster.condition("Ready", "a")["lastTransitionTime"] == at(17)


def test_a_pod_that_goes_before_it_is_told_of_goes_all_the_same() -> None:
    cluster = ready(launch_delay="1s", status_delay="30s")
    cluster.pod("a", terminationGracePeriodSeconds=2)
    cluster.run("2s")
    assert cluster.status("a")["phase"] == "Pending"
    cluster.delete("a")
    cluster.run("10s")
    assert cluster.get("a") is None
    cluster.run("1m")
    assert cluster.kubelet.pods == {}


def test_a_pod_that_ends_is_told_of_at_once() -> None:
    cluster = ready(status_delay="30s", job_run_duration="5s")
    cluster.pod("a", restartPolicy="Never")
    cluster.run("6s")
    assert cluster.status("a")["phase"] == "Succeeded"
    cluster.run("1m")
    assert cluster.status("a")["phase"] == "Succeeded"


def test_a_node_tells_at_the_rate_of_its_client() -> None:
    # A report is two calls: the pod is read, and its status patched.
    cluster = ready(client_qps=4.0, client_burst=6)
    for number in range(5):
        cluster.pod(f"p{number}")
    bound = sum(cluster.writes.values())
    cluster.run("100ms")
    assert sum(cluster.writes.values()) - bound == 3
    cluster.run("1s")
    assert sum(cluster.writes.values()) - bound == 5
    cluster.run("1m")
    assert all(cluster.status(f"p{number}")["phase"] == "Running" for number in range(5))


def test_by_default_nothing_of_this_takes_time() -> None:
    cluster = ready()
    for number in range(30):
        cluster.pod(f"p{number:02}")
    cluster.run("1ms")
    assert {cluster.status(f"p{number:02}")["phase"] for number in range(30)} == {"Running"}
