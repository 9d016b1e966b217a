"""A webhook that fails, as its configuration in the cluster describes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage.errors import InputError
from kubestage.store.admission.failing_webhook import FailingWebhook, MatchedRequests
from kubestage.testing.clusters import naming

if TYPE_CHECKING:
    from collections.abc import Iterable

    from kubestage.aliases import Json
    from kubestage.store.store import Store

_CONFIGURATIONS: Final = (
    ("admissionregistration.k8s.io/v1", "ValidatingWebhookConfiguration"),
    ("admissionregistration.k8s.io/v1", "MutatingWebhookConfiguration"),
)
_OPERATIONS: Final = ("CREATE", "UPDATE", "*")


def failing(
    store: Store, name: str, kinds: Iterable[str], operations: Iterable[str], cause: str
) -> FailingWebhook | None:
    """What refuses requests while a webhook fails; None if its policy is to ignore that."""
    chosen = list(kinds)
    required = tuple(each.upper() for each in operations)
    for each in required:
        if each not in _OPERATIONS:
            fix = f"use {', '.join(_OPERATIONS)}"
            raise InputError(f'"{each}" is no operation', path="operations", fix=fix)
    configured = _configured(store, name)
    if configured is None and not chosen:
        fix = 'apply a ValidatingWebhookConfiguration that has it, or say kinds=["pods"]'
        raise InputError(f'there is no webhook "{name}"', path="fail_webhook", fix=fix)
    if configured is not None and not chosen:
        return _of_configuration(configured, cause)
    rows = [naming.kind_of(store, each) for each in chosen]
    rules = tuple(MatchedRequests(required, (row.group,), (row.plural,)) for row in rows)
    return FailingWebhook(name, rules, f"https://{name}.default.svc:443/?timeout=10s", cause)


def _configured(store: Store, name: str) -> Json | None:
    for kind in _CONFIGURATIONS:
        for configuration in store.read(kind).values():
            for hook in configuration.get("webhooks") or ():
                if hook["name"] == name:
                    found: Json = hook
                    return found
    return None


def _of_configuration(hook: Json, cause: str) -> FailingWebhook | None:
    if hook.get("failurePolicy") == "Ignore":
        return None
    rules = tuple(
        MatchedRequests(
            tuple(rule.get("operations") or ()),
            tuple(rule.get("apiGroups") or ()),
            tuple(rule.get("resources") or ()),
        )
        for rule in hook.get("rules") or ()
    )
    return FailingWebhook(
        hook["name"],
        rules,
        _address(hook),
        cause,
        hook.get("objectSelector"),
        hook.get("namespaceSelector"),
    )


def _address(hook: Json) -> str:
    """Where the API server would call it."""
    timeout = f"timeout={hook.get('timeoutSeconds', 10)}s"
    config = hook["clientConfig"]
    if config.get("url"):
        return f"{config['url']}?{timeout}"
    service = config["service"]
    where = f"{service['name']}.{service['namespace']}.svc:{service.get('port', 443)}"
    return f"https://{where}{service.get('path') or '/'}?{timeout}"
