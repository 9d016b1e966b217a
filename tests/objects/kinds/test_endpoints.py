"""Endpoints and endpoint slices."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects.validation import rules
from tests.objects.validation import verdicts
from tests.objects.validation.verdicts import changed, problems

if TYPE_CHECKING:
    from kubestage.aliases import Json


def endpoints(**subset: Any) -> Json:
    return verdicts.make("v1", "Endpoints", subsets=[subset])


def endpoint_slice(kind: str = "IPv4", ports: list[Json] | None = None, **endpoint: Any) -> Json:
    return verdicts.make(
        "discovery.k8s.io/v1",
        "EndpointSlice",
        addressType=kind,
        endpoints=[{"addresses": ["10.0.0.1"], **endpoint}],
        ports=ports or [],
    )


@pytest.mark.parametrize(
    ("subset", "told"),
    [
        ({}, ["subsets[0]: Required value: must specify `addresses` or `notReadyAddresses`"]),
        (
            {"addresses": [{"ip": "0.0.0.0"}]},
            [
                (
                    "subsets[0].addresses[0].ip: Invalid value: "
                    '"0.0.0.0": may not be unspecified (0.0.0.0)'
                )
            ],
        ),
        (
            {"notReadyAddresses": [{"ip": "169.254.1.1"}]},
            [
                (
                    'subsets[0].notReadyAddresses[0].ip: Invalid value: "169.254.1.1": '
                    "may not be in "
                    "the link-local range (169.254.0.0/16, fe80::/10)"
                )
            ],
        ),
        (
            {"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 1}, {"port": 2}]},
            [f"subsets[0].ports[{index}].name: Required value" for index in (0, 1)],
        ),
        (
            {"addresses": [{"ip": "10.0.0.1"}], "ports": [{"port": 0, "protocol": "X"}]},
            [
                (
                    "subsets[0].ports[0].port: Invalid value: 0: must be between 1 and 65535, "
                    "inclusive"
                ),
                (
                    'subsets[0].ports[0].protocol: Unsupported value: "X": supported '
                    'values: "SCTP", '
                    '"TCP", "UDP"'
                ),
            ],
        ),
    ],
)
def test_a_subset_names_addresses_that_can_be_reached(subset: Json, told: list[str]) -> None:
    assert problems(endpoints(**subset)) == told


def test_subsets_that_stay_are_not_judged_again() -> None:
    odd = endpoints(addresses=[{"ip": "127.0.0.1"}])
    labelled = {**odd, "metadata": {**odd["metadata"], "labels": {"a": "b"}}}
    assert changed(labelled, odd) == []
    assert changed(endpoints(addresses=[{"ip": "127.0.0.2"}]), odd) != []


@pytest.mark.parametrize(
    ("kind", "address", "told"),
    [
        ("IPv4", "10.0.0.1", None),
        ("IPv4", "fd00::1", 'endpoints[0].addresses: Invalid value: "fd00::1": must be an IPv4'),
        ("IPv6", "10.0.0.1", 'endpoints[0].addresses: Invalid value: "10.0.0.1": must be an IPv6'),
        ("IPv6", "FD00::1", 'endpoints[0].addresses[0]: Invalid value: "FD00::1": must be in'),
        ("FQDN", "example.com.", None),
        ("FQDN", "example", 'endpoints[0].addresses[0]: Invalid value: "example": should be a dom'),
        ("FQDN", "", "endpoints[0].addresses[0]: Required value"),
        ("FQDN", f"{'a' * 64}.b", "must be no more than 63 characters"),
    ],
)
def test_addresses_are_of_the_slices_type(kind: str, address: str, told: str | None) -> None:
    found = problems(endpoint_slice(kind, addresses=[address]))
    assert (told is None) == (not found), found
    assert told is None or told in found[0]


def test_hints_are_few_and_distinct() -> None:
    zones = [{"name": "a"}, {"name": "a"}]
    assert problems(endpoint_slice(hints={"forZones": zones})) == [
        'endpoints[0].hints.forZones[1].name: Duplicate value: "a"'
    ]
    many = [{"name": f"n{index}"} for index in range(9)]
    assert problems(endpoint_slice(hints={"forNodes": many})) == [
        "endpoints[0].hints.forNodes: Too many: 9: must have at most 8 items"
    ]


def test_ports_have_distinct_names() -> None:
    ports = [{"name": "a", "port": 1}, {"name": "a", "port": 2}]
    assert problems(endpoint_slice(ports=ports)) == ['ports[1].name: Duplicate value: "a"']


def test_the_type_stays() -> None:
    assert changed(endpoint_slice("FQDN", addresses=["a.b"]), endpoint_slice()) == [
        'addressType: Invalid value: "FQDN": field is immutable'
    ]


def test_there_are_limits() -> None:
    found = problems(endpoint_slice(addresses=[f"10.0.{n // 200}.{n % 200}" for n in range(101)]))
    assert found == ["endpoints[0].addresses: Too many: 101: must have at most 100 items"]
    full = {**endpoint_slice(), "endpoints": [{"addresses": ["10.0.0.1"]}] * 1001}
    assert problems(full) == ["endpoints: Too many: 1001: must have at most 1000 items"]


def test_names_beside_an_address_are_names() -> None:
    odd = {"ip": "224.0.0.1", "hostname": "A", "nodeName": "B"}
    found = problems(endpoints(addresses=[odd]))
    assert [text.partition(": ")[0] for text in found] == [
        f"subsets[0].addresses[0].{key}" for key in ("hostname", "nodeName", "ip")
    ]
    assert found[-1].endswith(
        "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"
    )
    found = problems(endpoint_slice(hostname="A", nodeName="B"))
    assert [text.partition(": ")[0] for text in found] == [
        f"endpoints[0].{key}" for key in ("nodeName", "hostname")
    ]


def test_what_was_told_the_old_way_is_judged_where_it_stays() -> None:
    def told(count: int, **more: str) -> Json:
        topology = {**{f"k{index}": "v" for index in range(count)}, **more}
        return endpoint_slice(deprecatedTopology=topology)

    path = "endpoints[0].deprecatedTopology"
    found = rules.validate_create(told(16))
    assert found == []
    (error,) = rules.validate_create(told(17))
    assert str(error) == f"{path}: Too many: 17: must have at most 16 items"
    (error,) = rules.validate_create(told(1, **{"topology.kubernetes.io/zone": "a"}))
    assert str(error) == (
        f"{path}[topology.kubernetes.io/zone]: Internal error: reserved key was not removed in "
        "conversion"
    )
