"""Ranges of Services, and the addresses that are recorded in a cluster with an API server."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.controllers.service_cidrs import FINALIZER
from kubestage.errors import ApiError, Invalid
from kubestage.server.bootstrap import installing
from kubestage.stage import Stage
from kubestage.store.bootstrap import Bootstrap

IP_ADDRESS = ("networking.k8s.io/v1", "IPAddress")
SERVICE = ("v1", "Service")
SERVICE_CIDR = ("networking.k8s.io/v1", "ServiceCIDR")
TEAM = "203.0.113.0/28"


@pytest.fixture
def stage() -> Stage:
    made = Stage()
    made.add_controllers()
    installing.install(made, Bootstrap(address="172.18.0.1", port=6443, certificate="PEM"))
    made.run("1s")
    return made


def service(stage: Stage, name: str, **spec: Any) -> str:
    spec = {"ports": [{"port": 80}], **spec}
    metadata = {"name": name}
    obj = {"apiVersion": "v1", "kind": "Service", "metadata": metadata, "spec": spec}
    address: str = stage.store.create(obj)["spec"]["clusterIP"]
    return address


def service_range(stage: Stage, name: str, *cidrs: str) -> None:
    version, kind = SERVICE_CIDR
    stage.store.create(
        {
            "apiVersion": version,
            "kind": kind,
            "metadata": {"name": name},
            "spec": {"cidrs": list(cidrs)},
        }
    )
    stage.run("1s")


def ready(stage: Stage, name: str) -> tuple[str, str]:
    (condition,) = stage.store.get(SERVICE_CIDR, name)["status"]["conditions"]
    return condition["status"], condition["reason"]


def test_an_address_is_recorded_as_long_as_its_service_has_it(stage: Stage) -> None:
    address = service(stage, "web")
    record = stage.store.get(IP_ADDRESS, address)
    assert record["spec"]["parentRef"] == {
        "resource": "services",
        "namespace": "default",
        "name": "web",
    }
    assert record["metadata"]["labels"] == {
        "ipaddress.kubernetes.io/ip-family": "IPv4",
        "ipaddress.kubernetes.io/managed-by": "ipallocator.k8s.io",
    }
    stage.store.delete(SERVICE, "web")
    assert address not in stage.store.read(IP_ADDRESS)


def test_a_service_without_address_has_no_record(stage: Stage) -> None:
    before = set(stage.store.read(IP_ADDRESS))
    service(stage, "headless", clusterIP="None")
    assert set(stage.store.read(IP_ADDRESS)) == before
    address = service(stage, "web")
    name = {"type": "ExternalName", "externalName": "a.example"}
    stage.store.patch(SERVICE, "web", {"spec": {**name, "clusterIP": None, "clusterIPs": None}})
    assert address not in stage.store.read(IP_ADDRESS)


def test_an_address_of_another_owner_is_taken(stage: Stage) -> None:
    parent = {"resource": "things", "name": "mine"}
    version, kind = IP_ADDRESS
    metadata = {"name": "10.96.1.99"}
    stage.store.create(
        {
            "apiVersion": version,
            "kind": kind,
            "metadata": metadata,
            "spec": {"parentRef": parent},
        }
    )
    with pytest.raises(Invalid, match="provided IP is already allocated"):
        service(stage, "web", clusterIP="10.96.1.99")


def test_the_default_range_is_ready_and_protected(stage: Stage) -> None:
    assert ready(stage, "kubernetes") == ("True", "")
    assert stage.store.get(SERVICE_CIDR, "kubernetes")["metadata"]["finalizers"] == [FINALIZER]
    stage.store.delete(SERVICE_CIDR, "kubernetes")
    stage.run("1m")
    assert ready(stage, "kubernetes") == ("False", "Terminating")
    with pytest.raises(ApiError, match="range is full"):
        service(stage, "web")
    with pytest.raises(Invalid, match="does not match the current range"):
        service(stage, "web", clusterIP="10.96.0.9")


def test_services_get_addresses_of_a_range_that_is_added(stage: Stage) -> None:
    with pytest.raises(Invalid, match="does not match the current range"):
        service(stage, "web", clusterIP="203.0.113.10")
    service_range(stage, "team", TEAM)
    assert ready(stage, "team") == ("True", "")
    assert service(stage, "web", clusterIP="203.0.113.10") == "203.0.113.10"
    with pytest.raises(Invalid, match=r"The range of valid IPs is 203\.0\.113\.0/28"):
        service(stage, "last", clusterIP="203.0.113.15")
    stage.store.delete(SERVICE_CIDR, "kubernetes")
    found = {service(stage, f"s{number}") for number in range(13)}
    assert found == {f"203.0.113.{number}" for number in range(1, 15)} - {"203.0.113.10"}
    with pytest.raises(ApiError, match="range is full"):
        service(stage, "more")


def test_a_range_goes_when_its_last_address_is_free_and_time_has_passed(stage: Stage) -> None:
    service_range(stage, "team", TEAM)
    service(stage, "web", clusterIP="203.0.113.10")
    stage.store.delete(SERVICE_CIDR, "team")
    stage.run("1m")
    assert ready(stage, "team") == ("False", "Terminating")
    stage.store.delete(SERVICE, "web")
    stage.run("1s")
    assert "team" not in stage.store.read(SERVICE_CIDR)
    service_range(stage, "unused", TEAM)
    stage.store.delete(SERVICE_CIDR, "unused")
    stage.run("5s")
    assert "unused" in stage.store.read(SERVICE_CIDR)
    stage.run("6s")
    assert "unused" not in stage.store.read(SERVICE_CIDR)


def test_a_range_within_another_may_go_while_it_is_used(stage: Stage) -> None:
    service_range(stage, "part", "10.96.0.0/24")
    service(stage, "web", clusterIP="10.96.0.9")
    stage.store.delete(SERVICE_CIDR, "part")
    stage.run("11s")
    assert "part" not in stage.store.read(SERVICE_CIDR)


def test_ranges_of_ipv6_are_ready_and_unused(stage: Stage) -> None:
    service_range(stage, "six", "2001:db8::/64")
    assert ready(stage, "six") == ("True", "")
    assert service(stage, "web").startswith("10.")


def test_a_simulation_records_no_addresses() -> None:
    plain = Stage()
    service(plain, "web")
    assert not plain.store.read(IP_ADDRESS)
