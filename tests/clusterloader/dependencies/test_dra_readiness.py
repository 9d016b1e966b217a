"""DRATestDriver on a real cluster: nothing is made, and devices are waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.cluster.access import Resource
from kubestage.clusterloader.call_log import CallLog
from kubestage.clusterloader.dependencies.dra_objects import DRIVER
from kubestage.clusterloader.dependencies.dra_test_driver import DRATestDriver
from kubestage.clusterloader.requests import Requests
from tests.clusterloader.dependencies.drivers import API, NAMESPACE, PLUGIN
from tests.measure.fake_cluster import FakeCluster

if TYPE_CHECKING:
    from kubestage.aliases import Json


def _real(*objects: Json, **params: Any) -> tuple[FakeCluster, DRATestDriver, list[str]]:
    cluster = FakeCluster(is_stage=False)
    for each in objects:
        cluster.put(each)
    driver = DRATestDriver(params, Requests(cluster, CallLog()))
    ended: list[str] = []
    driver.set_up(ended.append)
    return cluster, driver, ended


def _published(name: str, driver: str = DRIVER) -> Json:
    return {
        "apiVersion": API,
        "kind": "ResourceSlice",
        "metadata": {"name": name},
        "spec": {"driver": driver},
    }


def _plugin(name: str) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": f"{PLUGIN}-{name}", "namespace": NAMESPACE},
        "status": {"phase": "Running"},
    }


def test_on_a_real_cluster_nothing_is_made_and_devices_are_waited_for() -> None:
    cluster, driver, ended = _real(_plugin("a"), _plugin("b"), _published("other", "else"))
    cluster.moments.run(10)
    cluster.put(_published("a"))
    cluster.moments.run(40)
    assert ended == []
    cluster.put(_published("b"))
    cluster.moments.run(40)
    assert ended == [""]
    assert {call.verb for call in cluster.calls} == {"list"}
    assert "install dra-example-driver beforehand" in driver.warnings[0]
    driver.take_down(driver.requests, ended.append)
    cluster.moments.run(10)
    assert ended == ["", ""]
    assert {call.verb for call in cluster.calls} == {"list"}


def test_on_a_real_cluster_without_the_driver_the_wait_ends() -> None:
    cluster, _, ended = _real(timeout="5m")
    cluster.moments.run(299)
    assert ended == []
    cluster.moments.run(2)
    assert ended == [
        (
            "timed out waiting for the condition: "
            f"there are 0 ResourceSlices of {DRIVER} for 0 of its pods"
        )
    ]


def test_a_daemon_set_that_its_controller_has_not_seen_is_not_ready() -> None:
    cluster = FakeCluster(is_stage=True)
    ended: list[str] = []
    DRATestDriver({}, Requests(cluster, CallLog())).set_up(ended.append)
    cluster.moments.run(100)
    assert ended == []
    made = cluster.objects[Resource("apps/v1", "DaemonSet"), f"{NAMESPACE}/{PLUGIN}"]
    cluster.put({**made, "status": {"observedGeneration": 1, "desiredNumberScheduled": 0}})
    cluster.moments.run(30)
    assert ended == [""]


def test_the_wait_is_ten_minutes_if_nothing_is_said() -> None:
    cluster, _, ended = _real()
    cluster.moments.run(599)
    assert ended == []
    cluster.moments.run(2)
    assert len(ended) == 1
