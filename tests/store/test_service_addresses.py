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


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"ipFamilyPolicy": "RequireDualStack"}, "not configured for dual-stack services"),
        ({"ipFamilies": ["IPv6"]}, 'spec.ipFamilies[0]: Invalid value: "IPv6": not configured on'),
        ({"clusterIP": "fd00::1"}, 'spec.clusterIPs[0]: Invalid value: ["fd00::1"]: IPv6 is not'),
        ({"clusterIP": "nonsense"}, "must be a valid IP address"),
        ({"clusterIP": "10.96.0.0"}, "The range of valid IPs is 10.96.0.0/12"),
        (
            {"ipFamilyPolicy": "SingleStack", "ipFamilies": ["IPv4", "IPv6"]},
            "must be 'RequireDualStack' or 'PreferDualStack' when multiple IP families are",
        ),
    ],
)
def test_a_cluster_of_one_family_says_so(store: Store, spec: dict[str, Any], told: str) -> None:
    with pytest.raises(Invalid) as refusal:
        store.create(service("a", **spec))
    assert told in refusal.value.message


def test_who_prefers_two_families_takes_one(store: Store) -> None:
    spec = store.create(service("a", ipFamilyPolicy="PreferDualStack"))["spec"]
    assert (spec["ipFamilyPolicy"], spec["ipFamilies"]) == ("PreferDualStack", ["IPv4"])
    changed = store.patch(SERVICE, "a", {"spec": {"ipFamilyPolicy": "SingleStack"}})["spec"]
    assert changed["clusterIP"] == spec["clusterIP"]


def test_an_open_headless_service_may_be_of_any_family(store: Store) -> None:
    spec = store.create(service("a", clusterIP="None", selector=None, ipFamilies=["IPv6"]))["spec"]
    assert spec["ipFamilies"] == ["IPv6", "IPv4"]


def test_an_address_is_recorded_under_a_name(store: Store) -> None:
    nameless = service("")
    with pytest.raises(Invalid) as refusal:
        store.create(nameless)
    assert refusal.value.message == (
        'Service "" is invalid: spec.clusterIPs: Invalid value: [""]: failed to allocate IP: '
        'IPAddress.networking.k8s.io "10.96.1.1" is invalid: spec.parentRef.name: Required value'
    )


def test_an_address_is_given_up_with_the_type(store: Store) -> None:
    store.create(service("a", clusterIP="10.96.9.9"))
    patch = {"spec": {"type": "ExternalName", "externalName": "example.com"}}
    changed = store.patch(SERVICE, "a", patch)["spec"]
    assert not {"clusterIP", "clusterIPs", "ipFamilies", "internalTrafficPolicy"} & changed.keys()
    assert store.create(service("b", clusterIP="10.96.9.9"))


def test_a_loaded_service_of_two_families_gives_up_the_second(store: Store) -> None:
    dual = {"clusterIP": "10.96.1.1", "clusterIPs": ["10.96.1.1", "fd00::1"]}
    policy = {"ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "RequireDualStack"}
    store.load(service("a", **dual, **policy))
    kept = store.patch(SERVICE, "a", {"spec": {"ipFamilyPolicy": "SingleStack"}})["spec"]
    assert (kept["clusterIPs"], kept["ipFamilies"]) == (["10.96.1.1"], ["IPv4"])


def test_a_second_address_is_not_dropped_in_passing(store: Store) -> None:
    dual = {"clusterIP": "10.96.1.1", "clusterIPs": ["10.96.1.1", "fd00::1"]}
    policy = {"ipFamilies": ["IPv4", "IPv6"], "ipFamilyPolicy": "PreferDualStack"}
    store.load(service("a", **dual, **policy))
    with pytest.raises(Invalid, match="must be 'SingleStack' to release the secondary cluster IP"):
        store.patch(SERVICE, "a", {"spec": {"clusterIPs": ["10.96.1.1"]}})
    other = {"clusterIPs": ["10.96.1.1", "fd00::2"], "ipFamilyPolicy": "SingleStack"}
    with pytest.raises(Invalid, match="when multiple cluster IPs are specified"):
        store.patch(SERVICE, "a", {"spec": other})


def test_who_changes_only_the_first_address_means_all(store: Store) -> None:
    store.create(service("a"))
    with pytest.raises(Invalid) as refusal:
        store.patch(SERVICE, "a", {"spec": {"clusterIP": "10.96.5.5"}})
    assert refusal.value.message.endswith(
        'spec.clusterIPs[0]: Invalid value: ["10.96.5.5"]: may not change once set'
    )
    both = {"clusterIP": "10.96.5.5", "clusterIPs": ["10.96.5.6"]}
    with pytest.raises(Invalid, match="first value must match `clusterIP`"):
        store.patch(SERVICE, "a", {"spec": both})


@pytest.mark.parametrize(
    ("spec", "families", "policy"),
    [
        ({"clusterIP": "10.0.0.1"}, ["IPv4"], "SingleStack"),
        ({"clusterIP": "fd00::1"}, ["IPv6"], "SingleStack"),
        ({"clusterIPs": ["10.0.0.1", "fd00::1"], "clusterIP": "10.0.0.1"}, ["IPv4", "IPv6"], None),
        ({"clusterIP": "None"}, ["IPv4"], "SingleStack"),
        ({"clusterIP": "None", "selector": None}, ["IPv4", "IPv6"], None),
    ],
)
def test_what_an_older_recording_lacks_is_read_into_it(
    store: Store, spec: dict[str, Any], families: list[str], policy: str | None
) -> None:
    loaded = store.load(service("a", **spec))["spec"]
    assert loaded["clusterIPs"][0] == spec["clusterIP"]
    assert loaded["ipFamilies"] == families
    assert loaded["ipFamilyPolicy"] == (policy or "RequireDualStack")


def test_a_recording_without_an_address_stays_so(store: Store) -> None:
    loaded = store.load(service("a"))["spec"]
    assert not {"clusterIP", "clusterIPs", "ipFamilies"} & loaded.keys()
