"""What stands in for the driver on a stage: which devices it publishes, and when."""

from __future__ import annotations

from kubestage.clusterloader.dependencies.dra_objects import DEVICES, DRIVER
from kubestage.testing import make_node
from tests.clusterloader.dependencies.drivers import NAMESPACE, PLUGIN, SLICE, set_up, with_nodes


def test_devices_are_those_of_the_driver() -> None:
    stage = with_nodes(1)
    set_up(stage)
    (found,) = stage.store.list(SLICE).items
    uid = stage.store.get(("v1", "Node"), "n0")["metadata"]["uid"]
    assert found["metadata"]["name"].startswith(f"n0-{DRIVER}-")
    assert found["metadata"]["ownerReferences"][0]["uid"] == uid
    spec = found["spec"]
    assert spec["pool"] == {"name": "n0", "generation": 1, "resourceSliceCount": 1}
    assert (spec["driver"], spec["nodeName"]) == (DRIVER, "n0")
    assert [each["name"] for each in spec["devices"]] == [f"gpu-{n}" for n in range(DEVICES)]
    assert spec["devices"][3]["attributes"]["index"] == {"int": 3}
    assert spec["devices"][0]["capacity"] == {"memory": {"value": "80Gi"}}
    uuids = {each["attributes"]["uuid"]["string"] for each in spec["devices"]}
    assert len(uuids) == DEVICES


def test_a_node_that_comes_later_has_devices_and_one_without_a_driver_loses_them() -> None:
    stage = with_nodes(1)
    driver = set_up(stage)
    stage.apply([make_node("late", cpu="8")])
    stage.run("10s")
    assert {each["spec"]["nodeName"] for each in stage.store.list(SLICE).items} == {"n0", "late"}
    stage.store.patch(("v1", "Node"), "n0", {"metadata": {"labels": {"no": "driver"}}})
    terms = [{"matchExpressions": [{"key": "no", "operator": "DoesNotExist"}]}]
    required = {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}
    patch = {"spec": {"template": {"spec": {"affinity": {"nodeAffinity": required}}}}}
    stage.store.patch(("apps/v1", "DaemonSet"), PLUGIN, patch, NAMESPACE)
    stage.run("2m")
    assert {each["spec"]["nodeName"] for each in stage.store.list(SLICE).items} == {"late"}
    problems: list[str] = []
    driver.take_down(driver.requests, problems.append)
    stage.run("1m")
    assert problems == [""]
    assert stage.store.list(SLICE).items == []


def test_devices_that_somebody_deletes_are_published_again() -> None:
    stage = with_nodes(1)
    set_up(stage)
    (found,) = stage.store.list(SLICE).items
    stage.store.delete(SLICE, found["metadata"]["name"])
    stage.run("1s")
    (again,) = stage.store.list(SLICE).items
    assert again["metadata"]["uid"] != found["metadata"]["uid"]
    assert again["spec"]["devices"] == found["spec"]["devices"]


def test_devices_stay_if_the_driver_comes_back_soon() -> None:
    stage = with_nodes(1)
    set_up(stage)
    (found,) = stage.store.list(SLICE).items
    (plugin,) = stage.store.list(("v1", "Pod"), NAMESPACE).items
    stage.store.delete(("v1", "Pod"), plugin["metadata"]["name"], NAMESPACE)
    stage.run("2m")
    (other,) = stage.store.list(("v1", "Pod"), NAMESPACE).items
    assert other["metadata"]["uid"] != plugin["metadata"]["uid"]
    assert stage.store.list(SLICE).items == [found]
