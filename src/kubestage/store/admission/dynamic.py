"""Dynamic admission: policies and webhooks that are objects of the API themselves.

First those that change the object, in upstream's order, and once more where they ask for it; when
the object is valid, those that may refuse it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kubestage import lazy
from kubestage.store.admission import attributes as admission_attributes
from kubestage.store.admission import caller as callers
from kubestage.store.admission.reinvocation import Reinvocation

# NOTE: they need the library of expressions, and most clusters have none.
with lazy.imports():
    from kubestage.store.admission.policy import mutating as mutating_policy
    from kubestage.store.admission.policy import validating as validating_policy
    from kubestage.store.admission.webhook import mutating as mutating_webhook
    from kubestage.store.admission.webhook import validating as validating_webhook

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.store.admission.admission_request import AdmissionRequest
    from kubestage.store.admission.attributes import Attributes
    from kubestage.store.core import Core

_VERSION: Final = f"{admission_attributes.EXEMPT_GROUP}/v1"
KINDS: Final = tuple(
    (_VERSION, kind)
    for kind in (
        "MutatingAdmissionPolicyBinding",
        "ValidatingAdmissionPolicyBinding",
        "MutatingWebhookConfiguration",
        "ValidatingWebhookConfiguration",
    )
)
"""The kinds whose objects have an effect on requests."""
_WEBHOOKS: Final = ("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration")


def applies(core: Core, kind: Kind) -> bool:
    """Whether anything may be for requests about a kind."""
    return (
        any(each.objects for each in core.dynamic_admission)
        and kind.group != admission_attributes.EXEMPT_GROUP
    )


def has_webhooks(core: Core, kind: Kind) -> bool:
    """Whether any webhook may be for requests about a kind."""
    return (
        any(each.objects for each in core.dynamic_admission if each.kind.kind in _WEBHOOKS)
        and kind.group != admission_attributes.EXEMPT_GROUP
    )


def mutated(
    core: Core,
    kind: Kind,
    obj: Json,
    old: Json | None,
    subresource: str = "",
    *,
    dry_run: bool,
    warnings: MutableSequence[str] | None = None,
) -> Json:
    """An object as policies and webhooks would have it, before it is validated."""
    if not applies(core, kind):
        return obj
    shown = admission_attributes.without_identity(obj) if old is None else obj
    attributes = admission_attributes.of_object(
        kind, shown, old, subresource, dry_run=dry_run, warnings=warnings
    )
    changed = _admitted(core, attributes).obj
    assert changed is not None
    return obj if changed is shown else admission_attributes.with_identity(changed, obj)


def _admitted(core: Core, attributes: Attributes) -> Attributes:
    policies, webhooks = Reinvocation(), Reinvocation()
    attributes = _round(core, attributes, policies, webhooks)
    if not policies.is_changed and not webhooks.is_changed:
        return attributes
    policies.is_second = webhooks.is_second = True
    return _round(core, _built_in(core, attributes), policies, webhooks)


def _round(
    core: Core, attributes: Attributes, policies: Reinvocation, webhooks: Reinvocation
) -> Attributes:
    attributes = mutating_policy.admit(core, attributes, policies)
    return mutating_webhook.admit(core, attributes, webhooks) if _calls() else attributes


def _calls() -> bool:
    """Whether webhooks can be called for this write."""
    caller = callers.current()
    return caller is not None and caller.calls is not None


def _built_in(core: Core, attributes: Attributes) -> Attributes:
    """The built-in steps once more, on what was changed after them."""
    obj = attributes.obj
    if attributes.subresource or obj is None:
        return attributes
    for step in core.repeated_steps:
        obj = step(core, attributes.kind, obj, attributes.old)
    return attributes._replace(obj=obj)


def check(core: Core, request: AdmissionRequest) -> None:
    """Refuse what a policy or a webhook is against."""
    if not applies(core, request.kind):
        return
    attributes = admission_attributes.of_object(
        request.kind,
        request.obj,
        request.old,
        request.subresource,
        dry_run=request.dry_run,
        warnings=request.warnings,
    )
    _validated(core, attributes)


def check_deletion(core: Core, kind: Kind, existing: Json, *, dry_run: bool) -> None:
    """Refuse a client's deletion that a policy or a webhook is against."""
    if callers.current() is None or not applies(core, kind):
        return
    attributes = admission_attributes.of_object(
        kind, None, existing, operation=admission_attributes.DELETE, dry_run=dry_run
    )
    _validated(core, _admitted(core, attributes))


def check_part(
    core: Core,
    kind: Kind,
    subresource: str,
    part: tuple[str, str],
    body: Json,
    name: str,
    namespace: str,
    *,
    operation: str = admission_attributes.CREATE,
    dry_run: bool = False,
) -> None:
    """Refuse an action on an object: a binding, an eviction, an exec; `part` is what is sent."""
    if not applies(core, kind):
        return
    attributes = admission_attributes.Attributes(
        kind, operation, body, None, name, namespace, subresource, dry_run, part
    )
    _validated(core, _admitted(core, attributes))


def _validated(core: Core, attributes: Attributes) -> None:
    validating_policy.check(core, attributes)
    if _calls():
        validating_webhook.check(core, attributes)
