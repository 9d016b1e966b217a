"""Advice about services, endpoints, ingresses, policies and secrets."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import warnings
from kubestage.objects.warnings import addresses

if TYPE_CHECKING:
    from kubestage.aliases import Json


def made(api_version: str, kind: str, meta: Json | None = None, **parts: Any) -> Json:
    metadata = {"name": "x", "generation": 1, **(meta or {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("10.0.0.1", None),
        ("fd00::1", None),
        ("FD00::1", 'IPv6 address "FD00::1" should be in RFC 5952 canonical format ("fd00::1")'),
        ("010.0.0.1", 'non-standard IP address "010.0.0.1" is invalid: use "10.0.0.1"'),
        ("::ffff:1.2.3.4", 'non-standard IP address "::ffff:1.2.3.4" is invalid: use "1.2.3.4"'),
        ("nonsense", None),
    ],
)
def test_an_address_has_one_right_spelling(value: str, told: str | None) -> None:
    assert addresses.address(value, "p") == ([f"p: {told}"] if told else [])


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("10.0.0.0/8", None),
        (
            "FD00::/8",
            'IPv6 CIDR value "FD00::/8" should be in RFC 5952 canonical format ("fd00::/8")',
        ),
        (
            "10.1.2.3/8",
            (
                'CIDR value "10.1.2.3/8" is ambiguous in this context (should be "10.0.0.0/8" or '
                '"10.1.2.3/32"?)'
            ),
        ),
        ("10.0.0.0/08", 'non-standard CIDR value "10.0.0.0/08" is invalid: use "10.0.0.0/8"'),
        ("nonsense", None),
    ],
)
def test_a_block_has_one_right_spelling(value: str, told: str | None) -> None:
    assert addresses.block(value, "p") == ([f"p: {told}"] if told else [])


def service(meta: Json | None = None, **spec: Any) -> Json:
    return made(
        "v1", "Service", meta, spec={"type": "ClusterIP", "sessionAffinity": "None", **spec}
    )


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({}, []),
        ({"externalIPs": ["1.2.3.4"]}, ["spec.externalIPs is deprecated and may no longer be"]),
        ({"clusterIP": "None", "loadBalancerIP": "1.2.3.4", "externalIPs": ["1.2.3.4"],
          "sessionAffinity": "ClientIP"},
         [f"spec.{name} is ignored for headless services"
          for name in ("loadBalancerIP", "externalIPs", "SessionAffinity")]),
        ({"type": "ExternalName", "externalIPs": ["1.2.3.4"]},
         ['spec.externalIPs is ignored when spec.type is "ExternalName"']),
        ({"externalName": "a"}, ['spec.externalName is ignored when spec.type is not "ExternalN']),
        ({"clusterIP": "FD00::1", "clusterIPs": ["FD00::1"]}, ["spec.clusterIPs[0]: IPv6 address"]),
        ({"loadBalancerSourceRanges": ["10.1.1.1/8"]}, ["spec.loadBalancerSourceRanges[0]: CIDR"]),
        ({"trafficDistribution": "PreferClose"}, ['spec.trafficDistribution: "PreferClose" is']),
    ],
)  # fmt: skip
def test_fields_that_do_nothing_are_told(spec: Json, told: list[str]) -> None:
    obj = service(**spec)
    for found in (warnings.on_create(obj), warnings.on_update(obj, service())):
        assert len(found) == len(told), found
        assert all(text.startswith(part) for text, part in zip(found, told, strict=True))


def test_the_old_annotation_of_topology_is_told() -> None:
    key = "service.kubernetes.io/topology-aware-hints"
    (text,) = warnings.on_create(service({"annotations": {key: "Auto"}}))
    assert text == (
        f"annotation {key} is deprecated, please use service.kubernetes.io/topology-mode instead"
    )


def test_addresses_of_a_load_balancer_are_told() -> None:
    report = {"loadBalancer": {"ingress": [{"ip": "FD00::1"}]}}
    for obj in (service(), made("networking.k8s.io/v1", "Ingress", spec={})):
        (text,) = warnings.on_update({**obj, "status": report}, obj, "status")
        assert text.startswith("status.loadBalancer.ingress[0]: IPv6 address")


def test_only_endpoints_written_by_hand_are_looked_at() -> None:
    subsets = [{"addresses": [{"ip": "FD00::1"}], "notReadyAddresses": [{"ip": "FD00::2"}]}]
    found = warnings.on_create(made("v1", "Endpoints", subsets=subsets))
    assert [text.partition(": ")[0] for text in found] == [
        "subsets[0].addresses[0].ip",
        "subsets[0].notReadyAddresses[0].ip",
    ]
    meta = {"labels": {"endpoints.kubernetes.io/managed-by": "endpoint-controller"}}
    assert warnings.on_create(made("v1", "Endpoints", meta, subsets=subsets)) == []


def test_slices_of_domain_names_are_going_away() -> None:
    kind = ("discovery.k8s.io/v1", "EndpointSlice")
    named = made(*kind, addressType="FQDN", endpoints=[{"addresses": ["a.b"]}])
    assert warnings.on_create(named) == ["spec.addressType: FQDN endpoints are deprecated"]
    assert warnings.on_update(named, named) == []
    six = made(*kind, addressType="IPv6", endpoints=[{"addresses": ["FD00::1"]}])
    assert len(warnings.on_update(six, named)) == 1
    label = {"endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"}
    assert warnings.on_create({**six, "metadata": {"name": "x", "labels": label}}) == []


def test_the_old_annotation_of_an_ingress_is_told_once() -> None:
    meta = {"annotations": {"kubernetes.io/ingress.class": "a"}}
    obj = made("networking.k8s.io/v1", "Ingress", meta, spec={})
    assert warnings.on_create(obj) == [
        (
            'annotation "kubernetes.io/ingress.class" is deprecated, please use '
            "'spec.ingressClassName' instead"
        )
    ]
    assert warnings.on_update(obj, obj) == []
    assert warnings.on_create({**obj, "spec": {"ingressClassName": "a"}}) == []


def test_blocks_of_a_policy_are_told() -> None:
    block = {"ipBlock": {"cidr": "FD00::/8", "except": ["FD00::/16"]}}
    spec = {"ingress": [{"from": [block]}], "egress": [{"to": [{"podSelector": {}}, block]}]}
    found = warnings.on_create(made("networking.k8s.io/v1", "NetworkPolicy", spec=spec))
    assert [text.partition(": ")[0] for text in found] == [
        "spec.ingress[0].from[0].ipBlock.cidr",
        "spec.ingress[0].from[0].ipBlock.except[0]",
        "spec.egress[0].to[1].ipBlock.cidr",
        "spec.egress[0].to[1].ipBlock.except[0]",
    ]


def test_an_annotation_of_accounts_is_told_when_it_is_new() -> None:
    meta = {"annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}}
    old, new = made("v1", "ServiceAccount"), made("v1", "ServiceAccount", meta)
    assert len(warnings.on_create(new)) == len(warnings.on_update(new, old)) == 1
    assert warnings.on_update(new, new) == []


def test_names_of_static_configuration_are_reserved() -> None:
    obj = made("admissionregistration.k8s.io/v1", "ValidatingAdmissionPolicy")
    assert warnings.on_create(obj) == []
    (text,) = warnings.on_create({**obj, "metadata": {"name": "a.static.k8s.io"}})
    assert text.startswith('metadata.name: names ending with ".static.k8s.io" are reserved')


def pem(kind: str, content: bytes = b"\x30\x03abc") -> str:
    body = base64.b64encode(content).decode()
    text = f"-----BEGIN {kind}-----\n{body}\n-----END {kind}-----\n"
    return base64.b64encode(text.encode()).decode()


CERTIFICATE, KEY = pem("CERTIFICATE"), pem("RSA PRIVATE KEY")


@pytest.mark.parametrize(
    ("certificate", "key", "told"),
    [
        (CERTIFICATE, KEY, None),
        ("", "", "tls: failed to find any PEM data in certificate input"),
        (KEY, CERTIFICATE, "but did find a private key; PEM inputs may have been switched"),
        (pem("X"), KEY, "after skipping PEM blocks of the following types: [X]"),
        (CERTIFICATE, "", "tls: failed to find any PEM data in key input"),
        (CERTIFICATE, CERTIFICATE, "tls: found a certificate rather than a key in the PEM for the"),
        (CERTIFICATE, pem("X"), 'PEM block with type ending in "PRIVATE KEY" in key input after'),
        (pem("CERTIFICATE", b"x"), KEY, "x509: malformed certificate"),
        (CERTIFICATE, pem("PRIVATE KEY", b"x"), "tls: failed to parse private key"),
    ],
)
def test_a_pair_that_cannot_be_read_is_told(certificate: str, key: str, told: str | None) -> None:
    data = {"tls.crt": certificate, "tls.key": key}
    found = warnings.on_create(made("v1", "Secret", type="kubernetes.io/tls", data=data))
    assert (told is None) == (not found)
    assert told is None or told in found[0]
    assert warnings.on_create(made("v1", "Secret", type="Opaque", data=data)) == []
