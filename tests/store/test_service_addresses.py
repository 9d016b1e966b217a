from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.errors import Invalid
from tests.store.samples import make_store

if TYPE_CHECKING:
    from kubestage.store.store import Store

SERVICE = ("v1", "Service")


def service(name: str, **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"selector": {"app": name}, "ports": [{"port": 80}], **spec},
    }


@pytest.fixture
def store() -> Store:
    return make_store()


def test_services_get_addresses_in_order(store: Store) -> None:
    specs = [store.create(service(name))["spec"] for name in ("a", "b")]
    assert [spec["clusterIP"] for spec in specs] == ["10.96.1.1", "10.96.1.2"]
    assert specs[0]["clusterIPs"] == ["10.96.1.1"]
    assert (specs[0]["ipFamilyPolicy"], specs[0]["ipFamilies"]) == ("SingleStack", ["IPv4"])


@pytest.mark.parametrize(
    ("selector", "policy", "families"),
    [
        ({"app": "a"}, "SingleStack", ["IPv4"]),
        (None, "RequireDualStack", ["IPv4", "IPv6"]),
    ],
)
def test_headless_services_have_none(
    store: Store, selector: dict[str, str] | None, policy: str, families: list[str]
) -> None:
    spec = store.create(service("a", clusterIP="None", selector=selector))["spec"]
    assert (spec["clusterIP"], spec["clusterIPs"]) == ("None", ["None"])
    assert (spec["ipFamilyPolicy"], spec["ipFamilies"]) == (policy, families)


def test_a_name_for_something_outside_needs_no_address(store: Store) -> None:
    spec = store.create(service("a", type="ExternalName", externalName="example.com"))["spec"]
    assert "clusterIP" not in spec
    changed = store.patch(SERVICE, "a", {"spec": {"type": "ClusterIP", "externalName": None}})
    assert changed["spec"]["clusterIP"] == "10.96.1.1"


def test_an_address_may_be_asked_for_once(store: Store) -> None:
    store.create(service("dns", clusterIP="10.96.0.10"))
    with pytest.raises(Invalid) as refusal:
        store.create(service("other", clusterIP="10.96.0.10"))
    assert refusal.value.message == (
        'Service "other" is invalid: spec.clusterIPs: Invalid value: ["10.96.0.10"]: failed to '
        "allocate IP 10.96.0.10: provided IP is already allocated"
    )
    store.delete(SERVICE, "dns")
    assert store.create(service("other", clusterIP="10.96.0.10"))


def test_an_address_elsewhere_is_refused(store: Store) -> None:
    with pytest.raises(Invalid, match="the provided network does not match the current range"):
        store.create(service("a", clusterIP="192.168.0.1"))


def test_addresses_that_are_taken_are_passed_over(store: Store) -> None:
    store.create(service("a", clusterIP="10.96.1.1"))
    assert store.create(service("b"))["spec"]["clusterIP"] == "10.96.1.2"


def test_a_put_that_leaves_the_address_out_keeps_it(store: Store) -> None:
    created = store.create(service("a"))
    assert store.update(service("a")) is created
    patched = store.patch(SERVICE, "a", {"spec": {"ports": [{"port": 81}]}})
    assert patched["spec"]["clusterIP"] == "10.96.1.1"
