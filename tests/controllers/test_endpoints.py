from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers import pods
from kubestage.controllers.endpoints import ENDPOINTS, EndpointController
from kubestage.testing import make_container, make_service
from tests.controllers.living import running, set_ready
from tests.controllers.stages import stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


_SERVICE = ("v1", "Service")


def _stage(number: int, **spec: Any) -> Stage:
    stage = stage_with(EndpointController)
    service = make_service("web")
    service["spec"] |= spec
    stage.store.create(service)
    for each in range(number):
        stage.store.load(running(f"p{each}", each))
    stage.run("1s")
    return stage


def _endpoints(stage: Stage) -> Json:
    return stage.store.get(ENDPOINTS, "web")


def _addresses(subset: Json, ready: bool = True) -> list[str]:
    field = "addresses" if ready else "notReadyAddresses"
    return [each["ip"] for each in subset.get(field) or ()]


def test_an_object_lists_all_addresses() -> None:
    found = _endpoints(_stage(2))
    assert found["metadata"]["labels"] == {
        "endpoints.kubernetes.io/managed-by": "endpoint-controller"
    }
    assert found["metadata"]["annotations"] == {
        "endpoints.kubernetes.io/last-change-trigger-time": "2026-01-01T00:00:00Z"
    }
    (subset,) = found["subsets"]
    assert subset["ports"] == [{"port": 80, "protocol": "TCP"}]
    first = subset["addresses"][0]
    assert first["targetRef"].pop("uid")
    assert first == {
        "ip": "10.0.0.1",
        "nodeName": "n1",
        "targetRef": {"kind": "Pod", "namespace": "default", "name": "p0"},
    }
    assert _addresses(subset) == ["10.0.0.1", "10.0.0.2"]


def test_addresses_move_as_pods_become_ready_or_go() -> None:
    stage = _stage(3)
    set_ready(stage, "p1", ready=False)
    stage.store.delete(pods.POD, "p2")
    stage.run("1s")
    (subset,) = _endpoints(stage)["subsets"]
    assert (_addresses(subset), _addresses(subset, ready=False)) == (["10.0.0.1"], ["10.0.0.2"])
    set_ready(stage, "p1", ready=True)
    stage.run("1s")
    (subset,) = _endpoints(stage)["subsets"]
    assert _addresses(subset) == ["10.0.0.1", "10.0.0.2"]


def test_a_service_without_pods_has_an_object_without_subsets() -> None:
    stage = _stage(1)
    stage.store.patch(_SERVICE, "web", {"spec": {"selector": {"app": "none"}}})
    stage.run("1s")
    assert "subsets" not in _endpoints(stage)


def test_pods_with_other_ports_are_other_subsets() -> None:
    ports = [{"name": "http", "port": 80, "targetPort": "web"}, {"name": "x", "port": 1}]
    stage = _stage(0, ports=ports)
    for number, port in enumerate((8080, 9090, 8080)):
        container = {**make_container("app"), "ports": [{"name": "web", "containerPort": port}]}
        stage.store.load(running(f"p{number}", number, containers=[container]))
    stage.run("1s")
    found = {
        tuple(sorted(port["port"] for port in subset["ports"])): _addresses(subset)
        for subset in _endpoints(stage)["subsets"]
    }
    assert found == {
        (1,): ["10.0.0.1", "10.0.0.2", "10.0.0.3"],
        (8080,): ["10.0.0.1", "10.0.0.3"],
        (9090,): ["10.0.0.2"],
    }


def test_more_than_a_thousand_addresses_are_cut_and_that_is_told() -> None:
    stage = _stage(1003)
    for number in range(4):
        set_ready(stage, f"p{number}", ready=False)
    stage.run("1s")
    found = _endpoints(stage)
    (subset,) = found["subsets"]
    assert len(_addresses(subset)) == 999
    assert len(_addresses(subset, ready=False)) == 1
    assert found["metadata"]["annotations"]["endpoints.kubernetes.io/over-capacity"] == "truncated"
    set_ready(stage, "p0", ready=True)
    set_ready(stage, "p1", ready=True)
    stage.run("1s")
    (subset,) = _endpoints(stage)["subsets"]
    assert (len(_addresses(subset)), len(_addresses(subset, ready=False))) == (1000, 0)
    for number in range(10):
        stage.store.delete(pods.POD, f"p{number}")
    stage.run("1s")
    found = _endpoints(stage)
    assert len(_addresses(found["subsets"][0])) == 993
    assert "endpoints.kubernetes.io/over-capacity" not in (
        found["metadata"].get("annotations") or {}
    )


def test_an_object_that_is_deleted_comes_back_and_one_without_a_service_goes() -> None:
    stage = _stage(1)
    stage.store.delete(ENDPOINTS, "web")
    stage.run("1s")
    assert _endpoints(stage)["subsets"]
    stage.store.delete(_SERVICE, "web")
    stage.run("1s")
    assert not stage.store.read(ENDPOINTS)


def test_at_the_start_objects_of_services_that_are_gone_go() -> None:
    left = {"apiVersion": "v1", "kind": "Endpoints", "metadata": {"name": "left"}}
    leader = {"control-plane.alpha.kubernetes.io/leader": "{}"}
    kept = {**left, "metadata": {"name": "kept", "annotations": leader}}
    stage = stage_with(EndpointController, objects=[left, kept])
    stage.run("1s")
    assert list(stage.store.read(ENDPOINTS)) == ["default/kept"]


def test_headless_services_are_marked_and_lend_their_labels() -> None:
    stage = _stage(1, clusterIP="None", ports=None)
    stage.store.patch(_SERVICE, "web", {"metadata": {"labels": {"a": "b"}}})
    stage.run("1s")
    found = _endpoints(stage)
    assert found["metadata"]["labels"] == {
        "a": "b",
        "service.kubernetes.io/headless": "",
        "endpoints.kubernetes.io/managed-by": "endpoint-controller",
    }
    assert _addresses(found["subsets"][0]) == ["10.0.0.1"]
