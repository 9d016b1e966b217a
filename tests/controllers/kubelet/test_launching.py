"""Many pods that start on one node: they share its CPUs, its client and its image pulls."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.kubelet.settings import KubeletSettings
from kubestage.errors import InputError
from tests.controllers.kubelet.clusters import Cluster, at


def ready(cpu: str = "2", **settings: Any) -> Cluster:
    cluster = Cluster(**{"image_size": "0", "launch_delay": "0s", **settings})
    amounts = {"cpu": cpu, "memory": "8Gi", "pods": "110"}
    cluster.node(status={"capacity": amounts, "allocatable": amounts})
    cluster.run("10s")
    return cluster


def started(cluster: Cluster, names: str) -> list[str]:
    return [cluster.container(name)["state"]["running"]["startedAt"] for name in names]


@pytest.mark.parametrize(
    ("settings", "path"),
    [
        ({"sandbox_work": "much"}, "kubelet.sandbox_work"),
        ({"container_work": "exp()"}, "kubelet.container_work"),
        ({"volume_work": {"secret": "-1s"}}, "kubelet.volume_work.secret"),
        ({"system_cpu": "uniform(1,0)"}, "kubelet.system_cpu"),
        ({"max_parallel_image_pulls": 0}, "kubelet.max_parallel_image_pulls"),
    ],
)
def test_a_wrong_setting_is_reported_by_its_path(settings: dict[str, Any], path: str) -> None:
    with pytest.raises(InputError) as error:
        KubeletSettings(**settings)
    assert error.value.path == path


def test_a_node_works_on_as_many_pods_as_it_has_cpus() -> None:
    cluster = ready(sandbox_work="3s", container_work="1s")
    for name in "abcde":
        cluster.pod(name)
    cluster.run("1m")
    assert started(cluster, "abcde") == [at(14), at(14), at(18), at(18), at(22)]
    cluster.pod("f")
    cluster.run("1m")
    assert started(cluster, "f") == [at(74)]


def test_nodes_do_not_wait_for_each_other() -> None:
    cluster = ready(cpu="1", sandbox_work="4s")
    amounts = {"cpu": "1", "memory": "8Gi", "pods": "110"}
    cluster.node("n2", status={"capacity": amounts, "allocatable": amounts})
    cluster.pod("a")
    cluster.pod("b", on="n2")
    cluster.run("1m")
    assert started(cluster, "ab") == [at(14), at(14)]


def test_each_container_is_work() -> None:
    cluster = ready(cpu="1", sandbox_work="1s", container_work="2s")
    cluster.pod("a", containers=[{"name": "c", "image": "x"}, {"name": "d", "image": "x"}])
    cluster.run("1m")
    assert started(cluster, "a") == [at(15)]


def test_other_programs_of_a_node_slow_it_down() -> None:
    cluster = ready(cpu="2", sandbox_work="3s", system_cpu="500m")
    for name in "abc":
        cluster.pod(name)
    cluster.run("1m")
    assert started(cluster, "abc") == [at(14), at(14), at(18)]


def test_other_programs_leave_something_to_pods() -> None:
    cluster = ready(cpu="1", sandbox_work="1s", system_cpu="4")
    cluster.pod("a")
    cluster.run("1m")
    assert started(cluster, "a") == [at(20)]


def test_a_node_that_leaves_less_than_a_cpu_to_pods_has_one() -> None:
    cluster = ready(cpu="500m", sandbox_work="2s")
    cluster.pod("a")
    cluster.run("1m")
    assert started(cluster, "a") == [at(12)]


def test_volumes_are_work_by_their_kind() -> None:
    cluster = ready(cpu="1", volume_work={"emptyDir": "2s", "*": "5s"})
    volumes = [{"name": "a", "emptyDir": {}}, {"name": "b", "emptyDir": {}}]
    cluster.pod("a", volumes=volumes)
    cluster.run("1m")
    cluster.pod("b", volumes=[{"name": "c", "configMap": {"name": "m"}}])
    cluster.run("1m")
    assert started(cluster, "ab") == [at(14), at(75)]


def test_kinds_of_volumes_that_are_not_named_are_no_work() -> None:
    cluster = ready(volume_work={"secret": "5s"})
    cluster.pod("a", volumes=[{"name": "c", "emptyDir": {}}])
    cluster.run("1m")
    assert started(cluster, "a") == [at(10)]


def config_maps(*names: str) -> list[dict[str, Any]]:
    return [{"name": name, "configMap": {"name": name}} for name in names]


def test_a_pod_waits_for_the_objects_that_it_mounts() -> None:
    cluster = ready(client_qps=1.0, client_burst=1)
    cluster.pod("a", volumes=config_maps("m", "n", "o"))
    cluster.run("1m")
    # One call at once, and two that wait for the limit of the node's client.
    assert started(cluster, "a") == [at(12)]


def test_an_object_is_watched_once_for_all_pods_of_a_node() -> None:
    cluster = ready(client_qps=1.0, client_burst=1)
    cluster.pod("a", volumes=config_maps("m", "n", "o"))
    cluster.run("1m")
    cluster.pod("b", volumes=config_maps("m", "n", "o"))
    cluster.run("1m")
    assert started(cluster, "b") == [at(70)]


def test_an_object_that_no_pod_mounts_any_more_is_not_watched() -> None:
    cluster = ready(client_qps=1.0, client_burst=1)
    cluster.pod("a", volumes=config_maps("m", "n", "o"))
    cluster.run("1m")
    cluster.delete("a", grace=0)
    cluster.run("1m")
    node = cluster.kubelet.nodes.get("n1")
    assert node is not None
    assert node.watched == {}
    cluster.pod("b", volumes=config_maps("m", "n", "o"))
    cluster.run("1m")
    assert started(cluster, "b") == [at(132)]


def test_tokens_and_the_environment_are_calls_too() -> None:
    cluster = ready(client_qps=1.0, client_burst=1)
    sources = [
        {"serviceAccountToken": {"path": "token"}},
        {"configMap": {"name": "kube-root-ca.crt"}},
        {"secret": {"name": "s"}},
    ]
    volumes = [{"name": "v", "projected": {"sources": sources}}]
    variable = {"name": "X", "valueFrom": {"secretKeyRef": {"name": "t", "key": "k"}}}
    cluster.pod("a", containers=[{"name": "c", "image": "x", "env": [variable]}], volumes=volumes)
    cluster.run("1m")
    assert started(cluster, "a") == [at(13)]


def test_without_a_limit_of_calls_objects_take_no_time() -> None:
    cluster = ready()
    cluster.pod("a", volumes=config_maps("m", "n", "o"))
    cluster.run("1ms")
    assert cluster.status("a")["phase"] == "Running"


def test_several_images_are_pulled_at_once() -> None:
    cluster = ready(image_size="100Mi", image_bandwidth="10Mi", max_parallel_image_pulls=2)
    for name in "abc":
        cluster.pod(name, containers=[{"name": "c", "image": f"{name}:1"}])
    cluster.run("3s")
    cluster.pod("d", containers=[{"name": "c", "image": "a:1"}])
    cluster.run("1m")
    assert started(cluster, "abcd") == [at(20), at(20), at(30), at(20)]
