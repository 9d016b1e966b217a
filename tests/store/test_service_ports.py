from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Invalid
from tests.store.samples import make_store

if TYPE_CHECKING:
    from kubestage.store.store import Store

SERVICE = ("v1", "Service")
TAKEN = "provided port is already allocated"
OUTSIDE = "provided port is not in the valid range. The range of valid ports is 30000-32767"


def service(
    name: str, *ports: dict[str, Any], kind: str = "NodePort", **spec: Any
) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"type": kind, "ports": list(ports) or [{"port": 80}], **spec},
    }


def node_ports(obj: dict[str, Any]) -> list[int | None]:
    return [port.get("nodePort") for port in obj["spec"]["ports"]]


def refusal(store: Store, obj: dict[str, Any]) -> str:
    with pytest.raises(Invalid) as error:
        store.create(obj)
    return error.value.message


@pytest.fixture
def store() -> Store:
    return make_store()


def test_ports_are_given_out_in_order_above_those_for_the_asking(store: Store) -> None:
    assert node_ports(store.create(service("a"))) == [30086]
    assert node_ports(store.create(service("b", kind="LoadBalancer"))) == [30087]
    assert node_ports(store.create(service("c", kind="ClusterIP"))) == [None]


def test_a_port_may_be_asked_for_once(store: Store) -> None:
    store.create(service("a", {"port": 80, "nodePort": 30001}))
    text = refusal(store, service("b", {"port": 80, "nodePort": 30001}))
    assert text.endswith(f"spec.ports[0].nodePort: Invalid value: 30001: {TAKEN}")
    store.delete(SERVICE, "a")
    assert node_ports(store.create(service("b", {"port": 80, "nodePort": 30001}))) == [30001]


@pytest.mark.parametrize("port", [80, 29999, 32768])
def test_a_port_is_of_the_range(store: Store, port: int) -> None:
    text = refusal(store, service("a", {"port": 80, "nodePort": port}))
    assert text.endswith(f"spec.ports[0].nodePort: Invalid value: {port}: {OUTSIDE}")


def test_one_number_of_two_protocols_is_one_port(store: Store) -> None:
    ports = [{"name": name, "port": 53, "protocol": name.upper()} for name in ("tcp", "udp")]
    assert node_ports(store.create(service("dns", *ports))) == [30086, 30086]


def test_a_load_balancer_may_do_without(store: Store) -> None:
    given = store.create(service("a", kind="LoadBalancer", allocateLoadBalancerNodePorts=False))
    assert node_ports(given) == [None]


def test_a_put_that_leaves_ports_out_keeps_them(store: Store) -> None:
    created = store.create(service("a"))
    assert store.update(service("a")) is created
    two = service("a", {"name": "x", "port": 80}, {"name": "y", "port": 81})
    assert node_ports(store.update(two)) == [30087, 30088]


def test_a_changed_type_gives_ports_and_takes_them(store: Store) -> None:
    store.create(service("a", kind="ClusterIP"))
    assert node_ports(store.patch(SERVICE, "a", {"spec": {"type": "NodePort"}})) == [30086]
    assert node_ports(store.patch(SERVICE, "a", {"spec": {"type": "ClusterIP"}})) == [None]
    assert node_ports(store.create(service("b"))) == [30086]


def local(name: str, **spec: Any) -> dict[str, Any]:
    return service(name, kind="LoadBalancer", externalTrafficPolicy="Local", **spec)


def test_health_checks_have_a_port_of_their_own(store: Store) -> None:
    created = store.create(local("a"))
    assert (node_ports(created), created["spec"]["healthCheckNodePort"]) == ([30086], 30087)
    assert store.update(local("a")) is created


def test_the_port_of_health_checks_may_be_asked_for_once(store: Store) -> None:
    store.create(local("a", healthCheckNodePort=30500))
    assert refusal(store, local("b", healthCheckNodePort=30500)).endswith(
        "spec.healthCheckNodePort: Invalid value: 30500: failed to allocate requested HealthCheck "
        f"NodePort 30500: {TAKEN}"
    )
    cluster = store.patch(SERVICE, "a", {"spec": {"externalTrafficPolicy": "Cluster"}})
    assert "healthCheckNodePort" not in cluster["spec"]
    given = store.create(local("b", healthCheckNodePort=30500))
    assert given["spec"]["healthCheckNodePort"] == 30500


def test_when_all_ports_are_taken_nobody_gets_one(store: Store) -> None:
    ports = [{"name": f"p{n}", "port": n + 1, "nodePort": 30000 + n} for n in range(2768)]
    store.create(service("all", *ports))
    assert "failed to allocate a nodePort: range is full" in refusal(store, service("one"))


def test_who_wants_no_ports_any_more_keeps_those_it_names(store: Store) -> None:
    store.create(service("a", kind="LoadBalancer"))
    none = service("a", kind="LoadBalancer", allocateLoadBalancerNodePorts=False)
    assert node_ports(store.update(none)) == [None]
    named = service("b", {"port": 80, "nodePort": 30002}, kind="LoadBalancer")
    named["spec"]["allocateLoadBalancerNodePorts"] = False
    assert node_ports(store.create(named)) == [30002]
