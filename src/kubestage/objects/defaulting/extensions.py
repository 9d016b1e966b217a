"""Defaults of what extends the API server: webhooks, policies, API services, flow control."""

from __future__ import annotations

from typing import Any, Final

_HTTPS: Final = 443
_TIMEOUT_SECONDS: Final = 10
_PRECEDENCE: Final = 1000
_SHARES: Final = 30
_QUEUING: Final = {"handSize": 8, "queues": 64, "queueLengthLimit": 50}


def validating_webhooks(obj: dict[str, Any]) -> None:
    """Complete a ValidatingWebhookConfiguration."""
    for hook in obj.get("webhooks", ()):
        hook.setdefault("failurePolicy", "Fail")
        _match(hook)
        hook.setdefault("timeoutSeconds", _TIMEOUT_SECONDS)
        service = hook["clientConfig"].get("service")
        if service is not None:
            service.setdefault("port", _HTTPS)
        _scopes(hook.get("rules", ()))


def mutating_webhooks(obj: dict[str, Any]) -> None:
    """Complete a MutatingWebhookConfiguration."""
    validating_webhooks(obj)
    for hook in obj.get("webhooks", ()):
        hook.setdefault("reinvocationPolicy", "Never")


def policy(obj: dict[str, Any]) -> None:
    """Complete an admission policy."""
    spec = obj["spec"]
    spec.setdefault("failurePolicy", "Fail")
    _resources(spec.get("matchConstraints"))


def policy_binding(obj: dict[str, Any]) -> None:
    """Complete the binding of a policy."""
    _resources(obj["spec"].get("matchResources"))


def _resources(match: dict[str, Any] | None) -> None:
    if match is not None:
        _match(match)
        _scopes((*match.get("resourceRules", ()), *match.get("excludeResourceRules", ())))


def _match(holder: dict[str, Any]) -> None:
    holder.setdefault("matchPolicy", "Equivalent")
    holder.setdefault("namespaceSelector", {})
    holder.setdefault("objectSelector", {})


def _scopes(rules: Any) -> None:
    for rule in rules:
        rule.setdefault("scope", "*")


def api_service(obj: dict[str, Any]) -> None:
    """Complete an APIService."""
    service = obj["spec"].get("service")
    if service is not None:
        service.setdefault("port", _HTTPS)


def flow_schema(obj: dict[str, Any]) -> None:
    """Complete a FlowSchema."""
    spec = obj["spec"]
    spec["matchingPrecedence"] = spec.get("matchingPrecedence") or _PRECEDENCE


def priority_level(obj: dict[str, Any]) -> None:
    """Complete a PriorityLevelConfiguration."""
    spec = obj["spec"]
    for key, shares in (("exempt", 0), ("limited", _SHARES)):
        part = spec.get(key)
        if part is not None:
            if part.get("nominalConcurrencyShares") is None:
                part["nominalConcurrencyShares"] = shares
            part.setdefault("lendablePercent", 0)
    response = (spec.get("limited") or {}).get("limitResponse") or {}
    queuing = response.get("queuing")
    if queuing is not None:
        for key, value in _QUEUING.items():
            queuing[key] = queuing.get(key) or value
