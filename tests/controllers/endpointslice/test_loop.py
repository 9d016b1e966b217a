from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers import pods
from kubestage.controllers.endpointslice.loop import SLICE, EndpointSliceController
from kubestage.controllers.garbage_collector import GarbageCollectorController
from kubestage.controllers.settings import Settings
from kubestage.testing import make_container, make_node, make_service
from tests.controllers.living import NODE, running, set_ready
from tests.controllers.stages import events, stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage


_SERVICE = ("v1", "Service")
_TRIGGER = "endpoints.kubernetes.io/last-change-trigger-time"


def _stage(most: int = 100, zone: str | None = None) -> Stage:
    settings = Settings(max_endpoints_per_slice=most)
    stage = stage_with(EndpointSliceController, GarbageCollectorController, settings=settings)
    stage.store.load(make_node("n1", zone=zone))
    return stage


def _serve(stage: Stage, number: int, **spec: Any) -> None:
    service = make_service("web")
    service["spec"] |= spec
    stage.store.create(service)
    for each in range(number):
        stage.store.load(running(f"p{each}", each))
    stage.run("1s")


def _slices(stage: Stage) -> list[Json]:
    return sorted(
        stage.store.list(SLICE).items, key=lambda each: int(each["metadata"]["resourceVersion"])
    )


def _names(slice_: Json) -> list[str]:
    return [each["targetRef"]["name"] for each in slice_["endpoints"] or ()]


def test_a_slice_says_all_that_there_is_to_say() -> None:
    stage = _stage(zone="east")
    _serve(stage, 1)
    (found,) = _slices(stage)
    metadata = found["metadata"]
    assert metadata["name"].startswith("web-")
    assert metadata["labels"] == {
        "kubernetes.io/service-name": "web",
        "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io",
    }
    assert metadata["annotations"] == {_TRIGGER: "2026-01-01T00:00:00Z"}
    assert metadata["ownerReferences"][0]["controller"] is True
    assert found["addressType"] == "IPv4"
    assert found["ports"] == [{"name": "", "protocol": "TCP", "port": 80}]
    (endpoint,) = found["endpoints"]
    assert endpoint["targetRef"].pop("uid")
    assert endpoint == {
        "addresses": ["10.0.0.1"],
        "conditions": {"ready": True, "serving": True, "terminating": False},
        "targetRef": {"kind": "Pod", "namespace": "default", "name": "p0"},
        "nodeName": "n1",
        "zone": "east",
    }


def test_a_service_without_pods_has_an_empty_slice_that_is_used_later() -> None:
    stage = _stage()
    _serve(stage, 0)
    (empty,) = _slices(stage)
    assert (empty["ports"], empty["endpoints"]) == (None, None)
    stage.store.load(running("p"))
    stage.run("1s")
    (found,) = _slices(stage)
    assert found["metadata"]["name"] == empty["metadata"]["name"]
    assert found["metadata"]["generation"] == 2
    stage.store.patch(pods.POD, "p", {"metadata": {"labels": {"app": "other"}}})
    stage.run("1s")
    (found,) = _slices(stage)
    assert (found["ports"], found["endpoints"]) == (None, None)


def test_conditions_follow_the_pod() -> None:
    stage = _stage()
    _serve(stage, 1)
    seen = []
    for ready, ends in ((False, False), (True, False), (True, True)):
        set_ready(stage, "p0", ready=ready)
        if ends:
            stage.store.delete(pods.POD, "p0")
        stage.run("1s")
        conditions = _slices(stage)[0]["endpoints"][0]["conditions"]
        seen.append(tuple(conditions[name] for name in ("ready", "serving", "terminating")))
    assert seen == [(False, False, False), (True, True, False), (False, True, True)]


def test_addresses_that_are_not_ready_can_be_published() -> None:
    stage = _stage()
    _serve(stage, 1, publishNotReadyAddresses=True)
    set_ready(stage, "p0", ready=False)
    stage.run("1s")
    conditions = _slices(stage)[0]["endpoints"][0]["conditions"]
    assert conditions == {"ready": True, "serving": False, "terminating": False}


def test_pods_that_ended_are_not_listed() -> None:
    stage = _stage()
    _serve(stage, 2)
    status = stage.store.read(pods.POD)["default/p0"]["status"]
    ended = {**status, "phase": "Succeeded", "conditions": []}
    stage.store.record_status(pods.POD, "default/p0", ended)
    stage.run("1s")
    assert _names(_slices(stage)[0]) == ["p1"]


def test_slices_are_filled_one_after_the_other_and_emptied_ones_go() -> None:
    stage = _stage(most=3)
    _serve(stage, 7)
    assert [len(_names(each)) for each in _slices(stage)] == [3, 3, 1]
    first = _names(_slices(stage)[0])
    for name in first:
        stage.store.patch(pods.POD, name, {"metadata": {"labels": {"app": "other"}}})
    stage.run("1s")
    assert sorted(len(_names(each)) for each in _slices(stage)) == [1, 3]
    stage.store.load(running("new", 20))
    stage.run("1s")
    assert sorted(len(_names(each)) for each in _slices(stage)) == [2, 3]


def test_a_change_of_one_pod_writes_one_slice() -> None:
    stage = _stage(most=3)
    _serve(stage, 9)
    before = {each["metadata"]["name"]: each for each in _slices(stage)}
    set_ready(stage, "p4", ready=False)
    stage.run("1s")
    after = {each["metadata"]["name"]: each for each in _slices(stage)}
    changed = [name for name in before if before[name] is not after[name]]
    assert len(changed) == 1
    assert "p4" in _names(after[changed[0]])


def test_the_trigger_is_the_earliest_change_that_was_not_yet_seen() -> None:
    stage = _stage()
    _serve(stage, 2)
    stage.run("10s")
    set_ready(stage, "p0", ready=False)
    stage.run("1s")
    assert _slices(stage)[0]["metadata"]["annotations"] == {_TRIGGER: "2026-01-01T00:00:11Z"}
    stage.store.patch(_SERVICE, "web", {"metadata": {"labels": {"a": "b"}}})
    stage.run("1s")
    metadata = _slices(stage)[0]["metadata"]
    assert "annotations" not in metadata
    assert metadata["labels"]["a"] == "b"


def test_ports_are_looked_up_in_the_pod_and_make_slices_of_their_own() -> None:
    stage = _stage()
    _serve(stage, 0, ports=[{"name": "http", "port": 80, "targetPort": "web"}])
    for number, port in enumerate((8080, 9090, 8080)):
        container = {**make_container("app"), "ports": [{"name": "web", "containerPort": port}]}
        stage.store.load(running(f"p{number}", number, containers=[container]))
    stage.run("1s")
    found = {each["ports"][0]["port"]: _names(each) for each in _slices(stage)}
    assert found == {8080: ["p0", "p2"], 9090: ["p1"]}


def test_ports_come_in_the_order_of_their_hashes() -> None:
    stage = _stage()
    ports = [{"name": "a", "port": 1}, {"name": "b", "port": 2, "protocol": "UDP"}]
    _serve(stage, 1, ports=ports)
    assert [each["name"] for each in _slices(stage)[0]["ports"]] == ["b", "a"]


def test_headless_services_are_marked_and_name_their_pods() -> None:
    stage = _stage()
    _serve(stage, 0, clusterIP="None", ports=None)
    pod = running("p")
    pod["spec"] |= {"hostname": "first", "subdomain": "web"}
    stage.store.load(pod)
    stage.run("1s")
    (found,) = _slices(stage)
    assert found["metadata"]["labels"]["service.kubernetes.io/headless"] == ""
    assert found["endpoints"][0]["hostname"] == "first"


def test_hints_keep_traffic_close() -> None:
    stage = _stage(zone="east")
    _serve(stage, 1, trafficDistribution="PreferSameNode")
    hints = _slices(stage)[0]["endpoints"][0]["hints"]
    assert hints == {"forZones": [{"name": "east"}], "forNodes": [{"name": "n1"}]}
    stage.store.patch(_SERVICE, "web", {"spec": {"trafficDistribution": "PreferClose"}})
    stage.run("1s")
    hints = _slices(stage)[0]["endpoints"][0]["hints"]
    assert hints == {"forZones": [{"name": "east"}]}
    set_ready(stage, "p0", ready=False)
    stage.run("1s")
    assert "hints" not in _slices(stage)[0]["endpoints"][0]


def test_a_selector_that_changes_changes_all() -> None:
    stage = _stage()
    _serve(stage, 2)
    stage.store.load(running("other", 9, labels={"app": "other"}))
    stage.store.patch(_SERVICE, "web", {"spec": {"selector": {"app": "other"}}})
    stage.run("1s")
    assert [_names(each) for each in _slices(stage)] == [["other"]]


def test_services_without_a_selector_or_of_another_place_have_no_slices() -> None:
    stage = _stage()
    _serve(stage, 1, selector=None)
    assert _slices(stage) == []
    external = make_service("far", selector={"app": "web"}, service_type="ExternalName")
    external["spec"] = {**external["spec"], "externalName": "example.com"}
    stage.store.create(external)
    stage.run("1s")
    assert _slices(stage) == []


def test_slices_that_others_spoil_are_mended_after_a_second() -> None:
    stage = _stage()
    _serve(stage, 1)
    (found,) = _slices(stage)
    stage.store.patch(SLICE, found["metadata"]["name"], {"endpoints": []})
    stage.run("500ms")
    assert _names(_slices(stage)[0]) == []
    stage.run("1s")
    assert _names(_slices(stage)[0]) == ["p0"]
    stage.store.delete(SLICE, found["metadata"]["name"])
    stage.run("2s")
    assert _names(_slices(stage)[0]) == ["p0"]


def test_a_pod_on_a_node_that_is_not_there_is_left_out_and_told() -> None:
    stage = _stage()
    _serve(stage, 1)
    stage.store.load(running("lost", 5, node_name="gone"))
    stage.run("1s")
    assert _names(_slices(stage)[0]) == ["p0"]
    text = (
        "Error updating Endpoint Slices for Service default/web: skipping Pod lost for Service "
        "default/web: Node gone Not Found"
    )
    assert events(stage, "FailedToUpdateEndpointSlices")[0][1] == text
    stage.store.load(make_node("gone"))
    stage.run("1m")
    assert _names(_slices(stage)[0]) == ["p0", "lost"]


def test_slices_go_with_their_service() -> None:
    stage = _stage()
    _serve(stage, 1)
    stage.store.delete(_SERVICE, "web")
    stage.run("5s")
    assert _slices(stage) == []


def test_a_zone_that_changes_shows_at_the_next_look() -> None:
    stage = _stage(zone="east")
    _serve(stage, 2)
    stage.store.patch(NODE, "n1", {"metadata": {"labels": {"topology.kubernetes.io/zone": "west"}}})
    set_ready(stage, "p0", ready=False)
    stage.run("1s")
    assert [each["zone"] for each in _slices(stage)[0]["endpoints"]] == ["west", "west"]


def test_a_fork_goes_on_as_the_original() -> None:
    stage = _stage(most=2)
    _serve(stage, 5)
    copy = stage.fork()
    for each in (stage, copy):
        set_ready(each, "p3", ready=False)
        each.store.load(running("new", 30))
        each.run("1s")
    assert _slices(stage) == _slices(copy)
