"""Kinds of the API server itself: cells worked out by hand from the rules."""

from __future__ import annotations

from typing import Any

import pytest

from kubestage.objects import tables, timestamps

NOW_NS = timestamps.parse_time("2026-01-01T00:05:00Z")
ADMISSION = "admissionregistration.k8s.io/v1"
FLOWS = "flowcontrol.apiserver.k8s.io/v1"
NETWORKING = "networking.k8s.io/v1"


def cells(api_version: str, kind: str, **parts: Any) -> list[Any]:
    metadata = {"name": "x", "creationTimestamp": "2026-01-01T00:00:00Z"}
    obj = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}
    return list(tables.row(obj, NOW_NS).cells)


@pytest.mark.parametrize(
    ("parent", "shown"),
    [
        (None, "<none>"),
        ({"resource": "services", "namespace": "n", "name": "a"}, "services/n/a"),
        ({"group": "G.io", "resource": "Things", "name": "a"}, "things.g.io/a"),
    ],
)
def test_an_address_shows_whose_it_is(parent: Any, shown: str) -> None:
    assert cells(NETWORKING, "IPAddress", spec={"parentRef": parent}) == ["x", shown, "5m"]


def test_ranges_are_joined() -> None:
    spec = {"cidrs": ["10.0.0.0/8", "fd00::/64"]}
    assert cells(NETWORKING, "ServiceCIDR", spec=spec) == ["x", "10.0.0.0/8,fd00::/64", "5m"]


@pytest.mark.parametrize(
    ("kinds", "certificate", "shown"),
    [
        ([], "", "Pending"),
        (["Approved"], "eA==", "Approved,Issued"),
        (["Approved", "Denied", "Failed"], "", "Denied,Failed"),
    ],
)
def test_a_request_shows_what_became_of_it(kinds: list[str], certificate: str, shown: str) -> None:
    status = {"conditions": [{"type": kind} for kind in kinds], "certificate": certificate}
    spec = {"signerName": "a.b/c", "username": "u", "expirationSeconds": 3600}
    found = cells("certificates.k8s.io/v1", "CertificateSigningRequest", spec=spec, status=status)
    assert found == ["x", "5m", "a.b/c", "u", "60m", shown]


def test_webhooks_are_counted() -> None:
    for kind in ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"):
        assert cells(ADMISSION, kind, webhooks=[{}, {}]) == ["x", 2, "5m"]


def test_policies_show_their_size_and_parameters() -> None:
    spec = {"validations": [{}], "paramKind": {"apiVersion": "v1", "kind": "ConfigMap"}}
    assert cells(ADMISSION, "ValidatingAdmissionPolicy", spec=spec) == [
        "x",
        1,
        "v1/ConfigMap",
        "5m",
    ]
    spec = {"mutations": [{}, {}]}
    assert cells(ADMISSION, "MutatingAdmissionPolicy", spec=spec) == ["x", 2, "<unset>", "5m"]


@pytest.mark.parametrize(
    ("reference", "shown"),
    [
        (None, "<unset>"),
        ({"name": "a"}, "*/a"),
        ({"name": "a", "namespace": "n"}, "n/a"),
        (
            {
                "selector": {
                    "matchLabels": {"b": "2", "a": "1"},
                    "matchExpressions": [{"key": "k", "operator": "In", "values": ["x", "y"]}],
                }
            },
            (
                "&LabelSelector{MatchLabels:map[string]string{a: 1,b: 2,},"
                "MatchExpressions:[]LabelSelectorRequirement{LabelSelectorRequirement{Key:k,"
                "Operator:In,Values:[x y],},},}"
            ),
        ),
    ],
)
def test_bindings_show_their_parameters(reference: Any, shown: str) -> None:
    for kind in ("MutatingAdmissionPolicyBinding", "ValidatingAdmissionPolicyBinding"):
        spec = {"policyName": "p", "paramRef": reference}
        assert cells(ADMISSION, kind, spec=spec) == ["x", "p", shown, "5m"]


def test_a_flow_schema_shows_its_level_and_whether_that_is_there() -> None:
    spec = {"priorityLevelConfiguration": {"name": "p"}, "matchingPrecedence": 7}
    assert cells(FLOWS, "FlowSchema", spec=spec) == ["x", "p", 7, "<none>", "5m", "?"]
    status = {"conditions": [{"type": "Dangling", "status": "False"}]}
    assert cells(FLOWS, "FlowSchema", spec=spec, status=status)[-1] == "False"


def test_a_priority_level_shows_its_queues() -> None:
    kind = "PriorityLevelConfiguration"
    queuing = {"queues": 64, "handSize": 8, "queueLengthLimit": 50}
    limited = {"nominalConcurrencyShares": 30, "limitResponse": {"queuing": queuing}}
    spec = {"type": "Limited", "limited": limited}
    assert cells(FLOWS, kind, spec=spec) == ["x", "Limited", 30, 64, 8, 50, "5m"]
    none = ["<none>"] * 4
    assert cells(FLOWS, kind, spec={"type": "Exempt"}) == ["x", "Exempt", *none, "5m"]


@pytest.mark.parametrize(
    ("condition", "shown"),
    [
        ({"type": "Available", "status": "True", "reason": "Passed"}, "True"),
        ({"type": "Available", "status": "False", "reason": "Gone"}, "False (Gone)"),
        ({"type": "Other", "status": "True"}, "Unknown"),
    ],
)
def test_an_api_service_shows_whether_it_answers(condition: Any, shown: str) -> None:
    spec = {"service": {"namespace": "n", "name": "s"}}
    kind = ("apiregistration.k8s.io/v1", "APIService")
    found = cells(*kind, spec=spec, status={"conditions": [condition]})
    assert found == ["x", "n/s", shown, "5m"]
    assert cells(*kind, spec={})[1] == "Local"
