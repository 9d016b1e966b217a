"""Rules of services that the recording meets seldom or never."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.objects.validation import verdicts
from tests.objects.validation.verdicts import changed, problems

if TYPE_CHECKING:
    from kubestage.aliases import Json


def service(status: Json | None = None, meta: Json | None = None, **spec: Any) -> Json:
    spec = {"ports": [{"port": 80}], **spec}
    return verdicts.make("v1", "Service", meta=meta, spec=spec, status=status or {})


def served(**spec: Any) -> Json:
    """A service that has its address."""
    address = {
        "clusterIP": "10.96.1.1",
        "clusterIPs": ["10.96.1.1"],
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
    }
    return service(**{**address, **spec})


DUAL: Json = {
    "clusterIPs": ["10.96.1.1", "fd00::1"],
    "ipFamilies": ["IPv4", "IPv6"],
    "ipFamilyPolicy": "RequireDualStack",
}


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"clusterIP": "None", "clusterIPs": ["None", "10.96.1.1"]}, "'None' must be the first"),
        ({"clusterIPs": ["10.96.1.1"]}, "must be empty when `clusterIP` is not specified"),
        ({"clusterIP": "10.96.1.1"}, "spec.clusterIPs: Required value"),
        (
            {"clusterIP": "10.96.1.1", "clusterIPs": ["10.96.1.2"]},
            'Invalid value: ["10.96.1.2"]: first value must match `clusterIP`',
        ),
        (
            {"clusterIP": "10.96.1.1", "clusterIPs": ["10.96.1.1", "10.96.1.2"]},
            "may specify no more than one IP for each IP family",
        ),
        (
            {"clusterIP": "fd00::1", "clusterIPs": ["fd00::1"], "ipFamilies": ["IPv4"]},
            "expected an IPv4 value as indicated by `ipFamilies[0]`",
        ),
        ({"ipFamilies": ["IPv4", "IPv4"]}, 'spec.ipFamilies[1]: Duplicate value: "IPv4"'),
        ({"ipFamilyPolicy": "Triple"}, '"PreferDualStack", "RequireDualStack", "SingleStack"'),
        ({"externalIPs": ["127.0.0.1"]}, "may not be in the loopback range"),
        ({"loadBalancerSourceRanges": ["10.0.0.0/8"]}, "may only be used when `type` is"),
        ({"loadBalancerClass": "a/b"}, "may only be used when `type` is 'LoadBalancer'"),
        ({"healthCheckNodePort": 30000}, "may only be set when `type` is 'LoadBalancer' and"),
        ({"trafficDistribution": "Far"}, '"PreferClose", "PreferSameZone", "PreferSameNode"'),
    ],
)
def test_what_does_not_fit_together_is_told(spec: Json, told: str) -> None:
    found = problems(service(**spec))
    assert any(told in text for text in found), found


def test_the_annotations_of_topology_agree() -> None:
    key = "service.kubernetes.io/topology-"
    meta = {"annotations": {f"{key}aware-hints": "Auto", f"{key}mode": "Disabled"}}
    assert problems(service(meta=meta)) == [
        (
            f'metadata.annotations[{key}mode]: Invalid value: "Disabled": must match '
            f"annotations[{key}aware-hints] when both are specified"
        )
    ]


def test_source_ranges_may_stand_in_an_annotation() -> None:
    key = "service.beta.kubernetes.io/load-balancer-source-ranges"
    meta = {"annotations": {key: "10.0.0.0/8, nonsense"}}
    (text,) = problems(service(meta=meta, type="LoadBalancer"))
    assert text.startswith(f'metadata.annotations[{key}]: Invalid value: "nonsense": must be a')
    assert changed(service(meta=meta, type="LoadBalancer"), service(meta=meta)) == []


def test_the_first_address_stays() -> None:
    assert changed(served(ports=[{"port": 81}]), served()) == []
    other = served(clusterIP="10.96.1.2", clusterIPs=["10.96.1.2"])
    assert changed(other, served()) == [
        'spec.clusterIPs[0]: Invalid value: ["10.96.1.2"]: may not change once set'
    ]


def test_a_second_address_comes_freely_and_goes_by_policy() -> None:
    assert changed(served(**DUAL), served()) == []
    assert changed(served(), served(**DUAL)) == []
    kept = served(ipFamilyPolicy="PreferDualStack")
    assert changed(kept, served(**DUAL)) == [
        'spec.ipFamilyPolicy: Invalid value: "PreferDualStack": must be set to '
        f"'SingleStack' when releasing the secondary {what}"
        for what in ("clusterIP", "ipFamily")
    ]


def test_families_change_as_little_as_addresses() -> None:
    assert changed(served(ipFamilies=["IPv6"]), served()) == [
        'spec.ipFamilies[0]: Invalid value: ["IPv6"]: may not change once set',
        (
            'spec.clusterIPs[0]: Invalid value: "10.96.1.1": expected an IPv6 value as '
            "indicated by "
            "`ipFamilies[0]`"
        ),
    ]


def test_a_name_for_something_outside_frees_everything() -> None:
    outside = served(type="ExternalName", externalName="example.com")
    assert changed(outside, served()) == []


def test_the_class_of_a_load_balancer_stays() -> None:
    old = served(type="LoadBalancer", loadBalancerClass="a/b")
    (text,) = changed(served(type="LoadBalancer", loadBalancerClass="a/c"), old)
    assert text == 'spec.loadBalancerClass: Invalid value: "a/c": may not change once set'


def test_the_port_of_health_checks_stays() -> None:
    local = {"type": "LoadBalancer", "externalTrafficPolicy": "Local"}
    old = served(**local, healthCheckNodePort=30001)
    assert changed(served(**local, healthCheckNodePort=30002), old) == [
        "spec.healthCheckNodePort: Forbidden: field is immutable"
    ]


@pytest.mark.parametrize(
    ("point", "told"),
    [
        ({"ip": "1.2.3.4", "ipMode": "VIP"}, []),
        ({"ip": "x", "ipMode": "VIP"}, ["ip: Invalid value"]),
        ({"ipMode": "VIP"}, ["ipMode: Forbidden: may not be specified when `ip` is not set"]),
        ({"ip": "1.2.3.4", "ipMode": "Odd"}, ['ipMode: Unsupported value: "Odd"']),
        ({"hostname": "1.2.3.4"}, ['hostname: Invalid value: "1.2.3.4": must be a DNS name']),
    ],
)
def test_what_a_load_balancer_reports_is_checked(point: Json, told: list[str]) -> None:
    old = served(type="LoadBalancer")
    new = {**old, "status": {"loadBalancer": {"ingress": [point]}}}
    found = changed(new, old, "status")
    assert len(found) == len(told)
    for text, part in zip(found, told, strict=True):
        assert text.startswith(f"status.loadBalancer.ingress[0].{part}")


def test_only_load_balancers_report() -> None:
    new = {**served(), "status": {"loadBalancer": {"ingress": [{"hostname": "a.b"}]}}}
    assert changed(new, served(), "status") == [
        (
            "status.loadBalancer.ingress: Forbidden: may only be used when `spec.type` is "
            "'LoadBalancer'"
        )
    ]


def test_a_name_for_something_outside_has_no_address() -> None:
    given: Json = {"clusterIPs": ["10.96.1.1"], "ipFamilies": ["IPv4"], "ipFamilyPolicy": ""}
    assert problems(service(type="ExternalName", externalName="a.b.", **given)) == [
        f"spec.{key}: Forbidden: may not be set for ExternalName services" for key in given
    ]


def test_who_remembers_no_clients_needs_no_time_for_it() -> None:
    odd = service()
    odd["spec"]["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 1}}
    assert problems(odd) == [
        "spec.sessionAffinityConfig: Forbidden: must not be set when session affinity is None"
    ]
