"""Endpoints of Services without a selector, mirrored as slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from kubestage.controllers.endpointslice.loop import SLICE
from kubestage.controllers.endpointslice.mirroring import (
    ENDPOINTS,
    EndpointSliceMirroringController,
)
from kubestage.testing import make_service
from tests.controllers.stages import events, stage_with

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.stage import Stage

_SKIPPED = {"endpointslice.kubernetes.io/skip-mirror": "true"}


def _stage(*, selects: bool = False) -> Stage:
    stage = stage_with(EndpointSliceMirroringController)
    service = make_service("db")
    if not selects:
        del service["spec"]["selector"]
    stage.store.create(service)
    return stage


def _endpoints(*subsets: Json, **metadata: Any) -> Json:
    return {
        "apiVersion": "v1",
        "kind": "Endpoints",
        "metadata": {"name": "db", "namespace": "default", **metadata},
        "subsets": list(subsets),
    }


def _subset(*addresses: str, port: int = 5432, **parts: Any) -> Json:
    listed = [{"ip": each} for each in addresses]
    return {"addresses": listed, "ports": [{"name": "sql", "port": port}], **parts}


def _slices(stage: Stage) -> list[Json]:
    stage.run("1s")
    return list(stage.store.list(SLICE).items)


def test_a_slice_says_what_its_endpoints_say() -> None:
    stage = _stage()
    notes = {"team": "a", "kubectl.kubernetes.io/last-applied-configuration": "{}"}
    not_ready = [{"ip": "10.1.2.5", "hostname": "b", "nodeName": "n1"}]
    subset = _subset("10.1.2.4", notReadyAddresses=not_ready)
    stage.store.create(_endpoints(subset, labels={"app": "db"}, annotations=notes))
    (found,) = _slices(stage)
    metadata = found["metadata"]
    assert metadata["name"].startswith("db-")
    assert metadata["labels"] == {
        "app": "db",
        "kubernetes.io/service-name": "db",
        "endpointslice.kubernetes.io/managed-by": "endpointslicemirroring-controller.k8s.io",
    }
    assert metadata["annotations"] == {"team": "a"}
    assert metadata["ownerReferences"][0]["kind"] == "Endpoints"
    assert found["ports"] == [{"name": "sql", "port": 5432, "protocol": "TCP"}]
    assert found["endpoints"] == [
        {"addresses": ["10.1.2.4"], "conditions": {"ready": True}},
        {
            "addresses": ["10.1.2.5"],
            "conditions": {"ready": False},
            "hostname": "b",
            "nodeName": "n1",
        },
    ]


def test_a_change_is_mirrored_in_the_same_slice_and_the_end_too() -> None:
    stage = _stage()
    stage.store.create(_endpoints(_subset("10.1.2.4")))
    (before,) = _slices(stage)
    stage.store.update(_endpoints(_subset("10.1.2.9", port=99)))
    (after,) = _slices(stage)
    assert after["metadata"]["name"] == before["metadata"]["name"]
    assert after["ports"][0]["port"] == 99
    assert after["endpoints"][0]["addresses"] == ["10.1.2.9"]
    stage.store.delete(ENDPOINTS, "db", "default")
    assert not _slices(stage)


def test_there_is_a_slice_for_each_kind_of_address_and_set_of_ports() -> None:
    stage = _stage()
    subsets = (_subset("10.1.2.4", "fd00::1"), _subset("10.1.2.4", port=80))
    stage.store.create(_endpoints(*subsets))
    found = sorted(
        (each["addressType"], tuple(port["port"] for port in each["ports"]))
        for each in _slices(stage)
    )
    assert found == [("IPv4", (80,)), ("IPv4", (5432,)), ("IPv6", (5432,))]


def test_ports_of_the_same_addresses_go_together() -> None:
    stage = _stage()
    other = {**_subset("10.1.2.4"), "ports": [{"name": "admin", "port": 80}]}
    stage.store.create(_endpoints(_subset("10.1.2.4"), other))
    (found,) = _slices(stage)
    assert [port["port"] for port in found["ports"]] == [5432, 80]


def test_a_slice_that_somebody_changes_or_deletes_is_made_good() -> None:
    stage = _stage()
    stage.store.create(_endpoints(_subset("10.1.2.4")))
    (found,) = _slices(stage)
    stage.store.patch(SLICE, found["metadata"]["name"], {"endpoints": []}, "default")
    (mended,) = _slices(stage)
    assert mended["endpoints"] == found["endpoints"]
    stage.store.delete(SLICE, found["metadata"]["name"], "default")
    assert len(_slices(stage)) == 1


def test_what_is_not_mirrored() -> None:
    stage = _stage(selects=True)
    stage.store.create(_endpoints(_subset("10.1.2.4")))
    assert not _slices(stage)
    stage = _stage()
    stage.store.create(_endpoints(_subset("10.1.2.4"), labels=_SKIPPED))
    assert not _slices(stage)
    stage.store.update(_endpoints(_subset("10.1.2.4")))
    assert len(_slices(stage)) == 1
    stage.store.update(_endpoints(_subset("10.1.2.4"), labels=_SKIPPED))
    assert not _slices(stage)


def test_addresses_beyond_the_limit_are_reported() -> None:
    stage = _stage()
    many = [f"10.2.{number // 250}.{number % 250 + 1}" for number in range(1002)]
    stage.store.create(_endpoints(_subset(*many)))
    (found,) = _slices(stage)
    assert len(found["endpoints"]) == 1000
    text = (
        "A max of 1000 addresses can be mirrored to EndpointSlices per Endpoints subset. "
        "2 addresses were skipped"
    )
    assert events(stage) == [("TooManyAddressesToMirror", text, 1)]
