"""Ingresses, their classes, and network policies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.objects.validation import verdicts
from tests.objects.validation.verdicts import changed, problems

if TYPE_CHECKING:
    from kubestage.aliases import Json

NETWORKING = "networking.k8s.io/v1"
BACKEND: Json = {"service": {"name": "s", "port": {"number": 80}}}


def ingress(meta: Json | None = None, **spec: Any) -> Json:
    spec = spec or {"defaultBackend": BACKEND}
    return verdicts.make(NETWORKING, "Ingress", meta=meta, spec=spec)


def routed(path: Json, host: str = "a.b") -> Json:
    entry = {"path": "/", "pathType": "Prefix", "backend": BACKEND, **path}
    return ingress(rules=[{"host": host, "http": {"paths": [entry]}}])


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ({}, []),
        ({"pathType": None}, ["pathType: Required value: pathType must be specified"]),
        ({"pathType": "Odd"}, ['pathType: Unsupported value: "Odd": supported values: "Exact"']),
        ({"path": ""}, ['path: Invalid value: "": must be an absolute path']),
        ({"path": "", "pathType": "ImplementationSpecific"}, []),
        ({"path": "/a//b/.."}, ["path: Invalid value: \"/a//b/..\": must not contain '//'",
                                "path: Invalid value: \"/a//b/..\": cannot end with '/..'"]),
        ({"backend": {}}, ['backend: Invalid value: "": resource or service backend is required']),
        ({"backend": {**BACKEND, "resource": {"kind": "k", "name": "n"}}},
         ['backend: Invalid value: "": cannot set both resource and service backends']),
        ({"backend": {"service": {"name": "s"}}},
         ["backend: Required value: port name or number is required"]),
        ({"backend": {"service": {"name": "S", "port": {"name": "http"}}}},
         ['backend.service.name: Invalid value: "S": a lowercase RFC 1123 label']),
        ({"backend": {"service": {"name": "s", "port": {"name": "p", "number": 1}}}},
         ['backend: Invalid value: "": cannot set both port name & port number']),
        ({"backend": {"resource": {"name": "a/b"}}},
         ["backend.resource.kind: Required value",
          "backend.resource.name: Invalid value: \"a/b\": may not contain '/'"]),
    ],
)  # fmt: skip
def test_a_path_leads_somewhere(path: Json, told: list[str]) -> None:
    found = problems(routed(path))
    assert len(found) == len(told), found
    for text, part in zip(found, told, strict=True):
        assert text.startswith(f"spec.rules[0].http.paths[0].{part}")


@pytest.mark.parametrize(
    ("host", "told"),
    [
        ("*.a.b", None),
        ("1.2.3.4", "must be a DNS name, not an IP address"),
        ("a.*.b", "a wildcard DNS-1123 subdomain must start with '*.'"),
        ("A", "a lowercase RFC 1123 subdomain"),
    ],
)
def test_a_host_is_a_name(host: str, told: str | None) -> None:
    found = problems(routed({}, host))
    assert (told is None) == (not found)
    assert told is None or told in found[0]


def test_an_ingress_leads_somewhere() -> None:
    assert problems(ingress(tls=[{"secretName": "A", "hosts": ["*.x"]}])) == [
        "spec: Invalid value: null: either `defaultBackend` or `rules` must be specified",
        (
            'spec.tls[0].secretName: Invalid value: "A": a lowercase RFC 1123 subdomain '
            "must consist "
            "of lower case alphanumeric characters, '-' or '.', and must start and end with an "
            "alphanumeric character (e.g. 'example.com', regex used for validation is "
            "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')"
        ),
    ]


def test_what_an_older_ingress_got_wrong_is_let_pass() -> None:
    old = ingress(defaultBackend=BACKEND, tls=[{"secretName": "A"}])
    assert changed(ingress(defaultBackend=BACKEND, tls=[{"secretName": "B"}]), old) == []
    assert changed(ingress(defaultBackend=BACKEND, tls=[{"secretName": "B"}]), ingress()) != []
    wild = routed({"backend": {}}, "*.a.b")
    assert changed({**wild, "metadata": {**wild["metadata"], "labels": {"a": "b"}}}, wild) == []


def test_annotation_and_field_name_one_class() -> None:
    meta = {"annotations": {"kubernetes.io/ingress.class": "a"}}
    assert problems(ingress(meta, defaultBackend=BACKEND, ingressClassName="b")) == [
        (
            'annotations.kubernetes.io/ingress.class: Invalid value: "a": must match '
            "`ingressClassName` when both are specified"
        )
    ]


def ingress_class(**spec: Any) -> Json:
    return verdicts.make(NETWORKING, "IngressClass", spec=spec)


@pytest.mark.parametrize(
    ("spec", "told"),
    [
        ({"controller": "a.b/c"}, []),
        ({}, ["spec.controller: Required value"]),
        ({"controller": "a"}, ['spec.controller: Invalid value: "a": must be a domain-prefixed']),
        ({"controller": "a.b/ "}, ['spec.controller: Invalid value: " ": Invalid path (regex']),
        ({"controller": f"a.b/{'c' * 250}"}, ["spec.controller: Too long: may not be more than 2"]),
        ({"controller": "a.b/c", "parameters": {"scope": "Namespace", "kind": "k", "name": "n"}},
         ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"]),
        ({"controller": "a.b/c", "parameters": {"namespace": "n", "kind": "k", "name": "n"}},
         ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"]),
        ({"controller": "a.b/c", "parameters": {"scope": "World", "kind": "k"}},
         ["spec.parameters.name: Required value",
          'spec.parameters.scope: Unsupported value: "World": supported values: "Cluster", "Name']),
    ],
)  # fmt: skip
def test_a_class_names_its_controller(spec: Json, told: list[str]) -> None:
    found = problems(ingress_class(**spec))
    assert len(found) == len(told), found
    assert all(text.startswith(part) for text, part in zip(found, told, strict=True))


def test_the_controller_of_a_class_stays() -> None:
    assert changed(ingress_class(controller="a.b/d"), ingress_class(controller="a.b/c")) == [
        'spec.controller: Invalid value: "a.b/d": field is immutable'
    ]


def policy(peer: Json | None = None, port: Json | None = None, **spec: Any) -> Json:
    rule = {"from": [peer] if peer is not None else [], "ports": [port] if port else []}
    return verdicts.make(NETWORKING, "NetworkPolicy", spec={"ingress": [rule], **spec})


@pytest.mark.parametrize(
    ("peer", "told"),
    [
        ({"podSelector": {}}, []),
        ({}, [": Required value: must specify a peer"]),
        ({"ipBlock": {"cidr": "10.0.0.0/8"}, "podSelector": {}},
         [": Forbidden: may not specify both ipBlock and another peer"]),
        ({"ipBlock": {}}, [".ipBlock.cidr: Required value"]),
        ({"ipBlock": {"cidr": "10.0.0.1/8"}},
         ['.ipBlock.cidr: Invalid value: "10.0.0.1/8": must not have bits set beyond the prefix']),
        ({"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.0.0.0/8", "11.0.0.0/24", "fd00::/64"]}},
         [f".ipBlock.except[{index}]: Invalid value" for index in range(3)]),
        ({"ipBlock": {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}}, []),
    ],
)  # fmt: skip
def test_a_peer_is_chosen_in_one_way(peer: Json, told: list[str]) -> None:
    found = problems(policy(peer))
    assert len(found) == len(told), found
    for text, part in zip(found, told, strict=True):
        assert text.startswith(f"spec.ingress[0].from[0]{part}")


@pytest.mark.parametrize(
    ("port", "told"),
    [
        ({"port": 80, "endPort": 90}, []),
        ({"port": 80, "endPort": 70},
         ["endPort: Invalid value: 80: must be greater than or equal to `port`"]),
        ({"port": "http", "endPort": 70},
         ["endPort: Invalid value: 70: may not be specified when `port` is non-numeric"]),
        ({"endPort": 70},
         ["endPort: Invalid value: 70: may not be specified when `port` is not specified"]),
        ({"port": 0}, ["port: Invalid value: 0: must be between 1 and 65535, inclusive"]),
        ({"protocol": "X"}, ['protocol: Unsupported value: "X": supported values: "TCP", "UDP"']),
    ],
)  # fmt: skip
def test_ports_of_a_policy_are_numbers_names_or_ranges(port: Json, told: list[str]) -> None:
    found = problems(policy(port=port))
    assert len(found) == len(told), found
    for text, part in zip(found, told, strict=True):
        assert text.startswith(f"spec.ingress[0].ports[0].{part}")


def test_a_policy_is_of_two_types_at_most() -> None:
    (text,) = problems(policy(policyTypes=["Ingress", "Egress", "Ingress"]))
    assert text == (
        'spec.policyTypes: Invalid value: ["Ingress","Egress","Ingress"]: may not specify more '
        "than two policyTypes"
    )
    assert problems(policy(policyTypes=["Up"])) == [
        'spec.policyTypes[0]: Unsupported value: "Up": supported values: "Ingress", "Egress"'
    ]


def test_blocks_that_an_older_policy_holds_are_let_pass() -> None:
    old = policy({"ipBlock": {"cidr": "10.0.0.1/8"}})
    new = policy({"ipBlock": {"cidr": "10.0.0.1/8", "except": ["10.1.0.0/16"]}})
    assert changed(new, old) == []
    assert changed(policy({"ipBlock": {"cidr": "10.0.0.2/8"}}), old) != []


def test_only_wildcard_rules_are_forgiven_and_only_for_others() -> None:
    wild, plain = routed({"backend": {}}, "*.a.b"), routed({"backend": {}})
    assert changed(routed({"backend": {}}, "*.c.d"), wild) == []
    assert changed(plain, wild) != []
    assert changed(wild, plain) != []


def test_one_way_to_name_a_class_is_enough() -> None:
    meta = {"annotations": {"kubernetes.io/ingress.class": "a"}}
    assert problems(ingress(meta)) == []
    assert problems(ingress(defaultBackend=BACKEND, ingressClassName="a")) == []
    assert problems(ingress(meta, defaultBackend=BACKEND, ingressClassName="a")) == []


def test_a_named_port_of_a_policy_is_a_name() -> None:
    (text,) = problems(policy(port={"port": "Http"}))
    assert text.startswith(
        'spec.ingress[0].ports[0].port: Invalid value: "Http": must contain only'
    )


def test_what_an_ingress_reports_is_checked() -> None:
    point = {"ip": "x", "hostname": "A"}
    new = {**ingress(), "status": {"loadBalancer": {"ingress": [point]}}}
    path = "status.loadBalancer.ingress[0]"
    found = changed(new, ingress(), "status")
    assert [text.partition(": ")[0] for text in found] == [f"{path}.ip", f"{path}.hostname"]
    (text,) = changed(new, new, "status")
    assert text.startswith(f"{path}.hostname")


def test_parameters_of_a_class_are_in_a_namespace() -> None:
    parameters = {"scope": "Namespace", "kind": "k", "name": "n", "namespace": "N"}
    (text,) = problems(ingress_class(controller="a.b/c", parameters=parameters))
    assert text.startswith('spec.parameters.namespace: Invalid value: "N": a lowercase RFC 1123')
