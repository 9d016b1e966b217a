"""How services, slices and the API server's own kinds are prepared and completed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from kubestage.objects import defaulting, strategy
from kubestage.objects.kinds import loader

if TYPE_CHECKING:
    from kubestage.aliases import Json

NOW = "2026-01-01T00:00:00Z"
ADMISSION = "admissionregistration.k8s.io/v1"
FLOWS = "flowcontrol.apiserver.k8s.io/v1"
REQUEST = ("certificates.k8s.io/v1", "CertificateSigningRequest")
SLICE = ("discovery.k8s.io/v1", "EndpointSlice")


def made(api_version: str, kind: str, meta: Json | None = None, **parts: Any) -> Json:
    metadata = {"name": "x", "resourceVersion": "1", **(meta or {})}
    obj = {"apiVersion": api_version, "kind": kind, "metadata": metadata, **parts}
    return defaulting.stored(obj, now=NOW)


def test_what_this_server_serves_is_available_at_once() -> None:
    local = made("apiregistration.k8s.io/v1", "APIService", spec={"version": "v1"})
    (condition,) = strategy.prepare_for_create(local, now=NOW)["status"]["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == (
        "Available",
        "True",
        "Local",
    )
    remote = made("apiregistration.k8s.io/v1", "APIService", spec={"service": {"name": "s"}})
    assert strategy.prepare_for_create(remote, now=NOW)["status"] == {}
    assert remote["spec"]["service"]["port"] == 443


def request(*conditions: Json, meta: Json | None = None, **status: Any) -> Json:
    spec = {"request": "eA==", "signerName": "a.b/c"}
    return made(*REQUEST, meta, spec=spec, status={"conditions": list(conditions), **status})


def test_what_was_asked_for_stays() -> None:
    new = request()
    new["spec"]["signerName"] = "a.b/d"
    assert strategy.prepare_for_update(new, request(), now=NOW)["spec"]["signerName"] == "a.b/c"


def test_a_decision_is_dated_and_touches_nothing_else() -> None:
    new = request({"type": "Approved", "status": "True"}, certificate="eA==")
    decided = strategy.prepare_for_update(new, request(), "approval", now=NOW)
    assert decided["status"] == {
        "conditions": [
            {
                "type": "Approved",
                "status": "True",
                "lastUpdateTime": NOW,
                "lastTransitionTime": NOW,
            }
        ]
    }


def test_a_signer_keeps_decisions_as_they_are() -> None:
    approved = {"type": "Approved", "status": "True", "reason": "yes", "lastUpdateTime": NOW}
    approved["lastTransitionTime"] = "2025-01-01T00:00:00Z"
    failed = {"type": "Failed", "status": "True"}
    new = request({**approved, "reason": "no"}, failed, certificate="eA==")
    signed = strategy.prepare_for_update(new, request(approved), "status", now=NOW)["status"]
    assert signed["conditions"][0] == approved
    assert signed["conditions"][1]["lastTransitionTime"] == NOW
    assert signed["certificate"] == "eA=="


@pytest.mark.parametrize(
    ("api_version", "kind"),
    [
        (FLOWS, "FlowSchema"),
        (FLOWS, "PriorityLevelConfiguration"),
        (ADMISSION, "ValidatingAdmissionPolicy"),
        ("networking.k8s.io/v1", "ServiceCIDR"),
        ("apiregistration.k8s.io/v1", "APIService"),
    ],
)
def test_who_reports_a_status_cannot_relabel(api_version: str, kind: str) -> None:
    old = made(api_version, kind, {"labels": {"a": "1"}})
    new = made(api_version, kind, {"labels": {"a": "2"}})
    prepared = strategy.prepare_for_update(new, old, "status", now=NOW)
    assert prepared["metadata"]["labels"] == {"a": "1"}


def test_changed_webhooks_are_a_new_generation() -> None:
    kind = (ADMISSION, "MutatingWebhookConfiguration")
    old = strategy.prepare_for_create(made(*kind, webhooks=[{"name": "a.b.c"}]), now=NOW)
    (hook,) = old["webhooks"]
    assert (hook["failurePolicy"], hook["matchPolicy"], hook["timeoutSeconds"]) == (
        "Fail",
        "Equivalent",
        10,
    )
    assert (hook["reinvocationPolicy"], hook["objectSelector"]) == ("Never", {})
    new = made(*kind, webhooks=[{"name": "a.b.d"}])
    assert strategy.prepare_for_update(new, old, now=NOW)["metadata"]["generation"] == 2
    assert not loader.behavior(*kind).unconditional_update


def test_a_priority_level_has_queues_of_a_usual_size() -> None:
    limited = {"limitResponse": {"type": "Queue", "queuing": {"queues": 16}}}
    level = made(FLOWS, "PriorityLevelConfiguration", spec={"type": "Limited", "limited": limited})
    spec = level["spec"]["limited"]
    assert spec["limitResponse"]["queuing"] == {
        "queues": 16,
        "handSize": 8,
        "queueLengthLimit": 50,
    }
    assert (spec["nominalConcurrencyShares"], spec["lendablePercent"]) == (30, 0)
    assert made(FLOWS, "FlowSchema")["spec"]["matchingPrecedence"] == 1000


def slice_of(*endpoints: Json) -> Json:
    return made(*SLICE, addressType="IPv4", endpoints=list(endpoints))


def test_topology_is_not_written_the_old_way() -> None:
    old = {"addresses": ["10.0.0.1"], "deprecatedTopology": {"kubernetes.io/hostname": "n1"}}
    created = strategy.prepare_for_create(slice_of(old), now=NOW)
    assert created["endpoints"] == [{"addresses": ["10.0.0.1"], "conditions": {}}]
    kept = strategy.prepare_for_update(slice_of(old), slice_of(old), now=NOW)
    assert kept["endpoints"][0]["deprecatedTopology"]
    more = slice_of(old, {"addresses": ["10.0.0.2"]})
    changed = strategy.prepare_for_update(more, slice_of(old), now=NOW)
    assert changed["endpoints"][0]["nodeName"] == "n1"
    assert "deprecatedTopology" not in changed["endpoints"][0]


def test_an_empty_list_is_stored_as_none() -> None:
    stored = strategy.stored(slice_of())
    assert (stored["endpoints"], stored["ports"]) == (None, None)
    role = made("rbac.authorization.k8s.io/v1", "Role", rules=[])
    assert strategy.stored(role)["rules"] is None


def test_a_name_for_something_outside_directs_no_traffic() -> None:
    spec = {"type": "ExternalName", "externalName": "a.b", "internalTrafficPolicy": "Local"}
    service = made("v1", "Service", spec=spec)
    assert "internalTrafficPolicy" not in strategy.stored(service)["spec"]
    assert service["spec"]["internalTrafficPolicy"] == "Local"
