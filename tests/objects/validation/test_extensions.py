"""Kinds that extend the API server: ranges, certificates, API services."""

from __future__ import annotations

import base64
from typing import TYPE_CHECKING, Any

import pytest

from tests.objects.validation import verdicts
from tests.objects.validation.verdicts import changed, problems

if TYPE_CHECKING:
    from kubestage.aliases import Json

NETWORKING = "networking.k8s.io/v1"
PARENT: Json = {"resource": "services", "name": "a", "namespace": "n"}


def address(at: str = "10.96.0.1", **parent: Any) -> Json:
    return verdicts.make(NETWORKING, "IPAddress", at, spec={"parentRef": {**PARENT, **parent}})


def ranges(*cidrs: str) -> Json:
    return verdicts.make(NETWORKING, "ServiceCIDR", spec={"cidrs": list(cidrs)})


def test_the_name_of_an_address_is_the_address() -> None:
    assert problems(address()) == []
    assert problems(address("FD00::1")) == [
        'metadata.name: Invalid value: "FD00::1": must be in canonical form ("fd00::1")'
    ]


def test_an_address_tells_whose_it_is_for_good() -> None:
    assert problems(address(resource="", name="a/b")) == [
        "spec.parentRef.resource: Required value",
        "spec.parentRef.name: Invalid value: \"a/b\": may not contain '/'",
    ]
    (text,) = changed(address(name="b"), address())
    assert text == (
        'spec.parentRef: Invalid value: {"Group":"","Resource":"services","Namespace":"n",'
        '"Name":"b"}: field is immutable'
    )


@pytest.mark.parametrize(
    ("cidrs", "told"),
    [
        (("10.0.0.0/24",), None),
        (("10.0.0.0/24", "fd00::/64"), None),
        ((), "spec.cidrs: Required value: at least one CIDR required"),
        (("10.0.0.1/24",), 'spec.cidrs[0]: Invalid value: "10.0.0.1/24": must not have bits set'),
        (("10.0.0.0/24", "10.1.0.0/24"), "may specify no more than one IP for each IP family"),
        (("10.0.0.0/24",) * 3, 'spec.cidrs: Invalid value: {"CIDRs":["10.0.0.0/24","10.0.0.0/24",'),
    ],
)
def test_ranges_are_one_of_each_family(cidrs: tuple[str, ...], told: str | None) -> None:
    found = problems(ranges(*cidrs))
    assert (told is None) == (not found)
    assert told is None or told in found[0]


def test_ranges_grow_by_the_other_family_only() -> None:
    old = ranges("10.0.0.0/24")
    assert changed(ranges("10.0.0.0/24", "fd00::/64"), old) == []
    assert changed(ranges("10.1.0.0/24"), old) == [
        'spec.cidrs[0]: Invalid value: "10.1.0.0/24": field is immutable'
    ]
    assert changed(ranges(), old) == ["spec.cidrs: Invalid value: null: field is immutable"]
    (text,) = changed(ranges("10.0.0.0/24", "10.1.0.0/24"), old)
    assert "may specify no more than one IP for each IP family" in text


PEM = base64.b64encode(b"-----BEGIN CERTIFICATE REQUEST-----\nMAA=\n").decode()
CERTIFICATE = base64.b64encode(b"-----BEGIN CERTIFICATE-----\nMAA=\n").decode()


def request(status: Json | None = None, **spec: Any) -> Json:
    spec = {"request": PEM, "signerName": "a.b/c", "usages": ["client auth"], **spec}
    kind = ("certificates.k8s.io/v1", "CertificateSigningRequest")
    return verdicts.make(*kind, spec=spec, status=status or {})


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({}, None),
        ({"request": "eA=="}, 'spec.request: Invalid value: "eA==": PEM block type must be CERT'),
        ({"usages": []}, "spec.usages: Required value"),
        ({"usages": ["any", "any"]}, 'spec.usages[1]: Duplicate value: "any"'),
        ({"usages": ["fun"]}, 'spec.usages[0]: Unsupported value: "fun": supported values: "any"'),
        ({"signerName": "kubernetes.io/legacy-unknown"}, "the legacy signerName is not allowed"),
        ({"signerName": "x"}, "spec.signerName: Invalid value"),
        ({"expirationSeconds": 599}, "may not specify a duration less than 600 seconds"),
    ],
)
def test_a_certificate_is_asked_for_in_full(spec: Json, told: str | None) -> None:
    found = problems(request(**spec))
    assert (told is None) == (not found), found
    assert told is None or told in found[0]


def condition(kind: str, state: str = "True") -> Json:
    return {"type": kind, "status": state}


def test_who_decides_writes_conditions_and_they_stay() -> None:
    approved = {"conditions": [condition("Approved")]}
    assert changed(request(approved), request(), "approval") == []
    assert changed(request(), request(approved), "approval") == [
        'status.conditions: Forbidden: updates may not remove a condition of type "Approved"'
    ]
    assert changed(request(approved), request(), "status") == [
        'status.conditions: Forbidden: updates may not add a condition of type "Approved"'
    ]
    both = {"conditions": [condition("Approved"), condition("Denied")]}
    (text,) = changed(request(both), request(approved), "approval")
    assert text.endswith("Approved and Denied conditions are mutually exclusive")


def test_a_certificate_is_issued_once_by_its_signer() -> None:
    issued = request({"certificate": CERTIFICATE})
    assert changed(issued, request(), "status") == []
    assert changed(request({"certificate": PEM}), issued, "status") == [
        "status.certificate: Forbidden: updates may not modify existing certificate content"
    ]
    assert changed(request({"certificate": PEM}), request(), "status") == [
        (
            'status.certificate: Invalid value: "<certificate data>": only CERTIFICATE '
            "PEM blocks are "
            'allowed, found "CERTIFICATE REQUEST"'
        )
    ]
    assert changed(issued, request(), "approval") == []


def api_service(name: str = "v1.a.b", **spec: Any) -> Json:
    spec = {
        "group": "a.b",
        "version": "v1",
        "groupPriorityMinimum": 100,
        "versionPriority": 10,
        "service": {"name": "s", "namespace": "n"},
        **spec,
    }
    return verdicts.make("apiregistration.k8s.io/v1", "APIService", name, spec=spec)


@pytest.mark.parametrize(
    ("name", "spec", "told"),
    [
        ("v1.a.b", {}, []),
        ("x", {}, ['metadata.name: Invalid value: "x": must be `spec.version+"."+spec.group`: ']),
        ("v1.a.b", {"groupPriorityMinimum": 20001},
         ["spec.groupPriorityMinimum: Invalid value: 20001: must be positive and less than 20000"]),
        ("v1.a.b", {"service": {"name": "s"}}, ["spec.service.namespace: Required value"]),
        ("v1.a.b", {"service": None, "caBundle": "eA=="},
         ['spec.caBundle: Invalid value: "1 bytes": local APIServices may not have a caBundle']),
        ("v1.a.b", {"caBundle": "eA==", "insecureSkipTLSVerify": True},
         ["spec.insecureSkipTLSVerify: Invalid value: true: may not be true if caBundle is pres"]),
        ("v1.", {"group": ""}, []),
        ("v2.a.b", {"version": "v2"}, []),
        ("v2.", {"group": "", "version": "v2"},
         ["spec.group: Required value: only v1 may have an empty group"]),
    ],
)  # fmt: skip
def test_an_api_service_is_named_after_its_group(name: str, spec: Json, told: list[str]) -> None:
    found = problems(api_service(name, **spec))
    assert len(found) == len(told), found
    assert all(text.startswith(part) for text, part in zip(found, told, strict=True))


def test_what_an_older_request_got_wrong_is_let_pass() -> None:
    legacy: Json = {"signerName": "kubernetes.io/legacy-unknown", "usages": ["fun", "fun"]}
    old = request(**legacy)
    labelled = {**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}
    assert changed(labelled, old) == []
    twice = {"conditions": [condition("A"), condition("A"), condition("")]}
    assert changed(request(twice), request(twice), "status") == []
    assert len(changed(request(twice), request(), "status")) == 2


def test_decisions_are_true() -> None:
    odd = {"conditions": [condition("Approved", "False"), condition("Odd", "")]}
    assert changed(request(odd), request(), "approval") == [
        'status.conditions[0].status: Unsupported value: "False": supported values: "True"',
        "status.conditions[1].status: Required value",
    ]
