"""Kinds that extend the API server or are its own business."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.objects.tables import cells
from kubestage.units import SECOND_NS

if TYPE_CHECKING:
    from kubestage.objects.tables.cells import Cell, Object


def ip_address(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of an IPAddress; its age has no column of its own."""
    parent = cells.part(obj, "spec", "parentRef")
    group, namespace = cells.text(parent, "group"), cells.text(parent, "namespace")
    kind = cells.text(parent, "resource") + (f".{group}" if group else "")
    words = [kind.lower(), *([namespace] if namespace else []), cells.text(parent, "name")]
    return [cells.name(obj), "/".join(words) if parent else cells.NONE, cells.age(obj, now_ns)]


def service_cidr(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a ServiceCIDR."""
    return [cells.name(obj), ",".join(cells.items(obj, "spec", "cidrs")), cells.age(obj, now_ns)]


def certificate_request(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a CertificateSigningRequest."""
    spec = cells.part(obj, "spec")
    seconds = spec.get("expirationSeconds")
    return [
        cells.name(obj),
        cells.age(obj, now_ns),
        cells.text(spec, "signerName") or cells.NONE,
        cells.text(spec, "username"),
        cells.NONE if seconds is None else cells.span(seconds * SECOND_NS),
        _request_state(obj),
    ]


def _request_state(obj: Object) -> str:
    kinds = {cells.text(each, "type") for each in cells.items(obj, "status", "conditions")}
    decided = "Denied" if "Denied" in kinds else "Approved" if "Approved" in kinds else "Pending"
    failed = ",Failed" if "Failed" in kinds else ""
    issued = ",Issued" if cells.text(obj, "status", "certificate") else ""
    return f"{decided}{failed}{issued}"


def webhooks(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a configuration of webhooks."""
    return [cells.name(obj), len(cells.items(obj, "webhooks")), cells.age(obj, now_ns)]


def validating_policy(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a ValidatingAdmissionPolicy."""
    return _policy(obj, "validations", now_ns)


def mutating_policy(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a MutatingAdmissionPolicy."""
    return _policy(obj, "mutations", now_ns)


def _policy(obj: Object, what: str, now_ns: int) -> list[Cell]:
    kind = cells.part(obj, "spec").get("paramKind")
    shown = cells.UNSET
    if kind is not None:
        shown = f"{cells.text(kind, 'apiVersion')}/{cells.text(kind, 'kind')}"
    return [cells.name(obj), len(cells.items(obj, "spec", what)), shown, cells.age(obj, now_ns)]


def policy_binding(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of the binding of a policy."""
    reference = cells.part(obj, "spec", "paramRef")
    name, shown = cells.text(reference, "name"), cells.UNSET
    if name:
        shown = f"{cells.text(reference, 'namespace') or '*'}/{name}"
    elif reference.get("selector") is not None:
        shown = _selector(reference["selector"])
    policy = cells.text(obj, "spec", "policyName")
    return [cells.name(obj), policy, shown, cells.age(obj, now_ns)]


def _selector(selector: Object) -> str:
    """A label selector as Go prints it."""
    labels = cells.part(selector, "matchLabels")
    pairs = "".join(f"{key}: {labels[key]}," for key in sorted(labels))
    requirements = "".join(
        f"LabelSelectorRequirement{{Key:{cells.text(each, 'key')},"
        f"Operator:{cells.text(each, 'operator')},"
        f"Values:[{' '.join(cells.items(each, 'values'))}],}},"
        for each in cells.items(selector, "matchExpressions")
    )
    return (
        f"&LabelSelector{{MatchLabels:map[string]string{{{pairs}}},"
        f"MatchExpressions:[]LabelSelectorRequirement{{{requirements}}},}}"
    )


def flow_schema(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a FlowSchema."""
    spec = cells.part(obj, "spec")
    dangling = [
        cells.text(each, "status")
        for each in cells.items(obj, "status", "conditions")
        if cells.text(each, "type") == "Dangling"
    ]
    return [
        cells.name(obj),
        cells.text(spec, "priorityLevelConfiguration", "name"),
        cells.number(spec, "matchingPrecedence"),
        cells.text(spec, "distinguisherMethod", "type") or cells.NONE,
        cells.age(obj, now_ns),
        dangling[0] if dangling else "?",
    ]


def priority_level(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of a PriorityLevelConfiguration."""
    limited = cells.part(obj, "spec").get("limited")
    queuing = cells.part(limited or {}, "limitResponse").get("queuing")
    queues: list[Cell] = [
        cells.NONE if queuing is None else cells.number(queuing, key)
        for key in ("queues", "handSize", "queueLengthLimit")
    ]
    return [
        cells.name(obj),
        cells.text(obj, "spec", "type"),
        cells.NONE if limited is None else cells.number(limited, "nominalConcurrencyShares"),
        *queues,
        cells.age(obj, now_ns),
    ]


def api_service(obj: Object, now_ns: int) -> list[Cell]:
    """The cells of an APIService."""
    service = cells.part(obj, "spec").get("service")
    where = "Local"
    if service is not None:
        where = f"{cells.text(service, 'namespace')}/{cells.text(service, 'name')}"
    state = "Unknown"
    for condition in cells.items(obj, "status", "conditions"):
        if cells.text(condition, "type") == "Available":
            state, reason = cells.text(condition, "status"), cells.text(condition, "reason")
            if state != "True" and reason:
                state = f"{state} ({reason})"
            break
    return [cells.name(obj), where, state, cells.age(obj, now_ns)]
