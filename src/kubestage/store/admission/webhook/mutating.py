"""MutatingWebhookConfiguration: webhooks that may change an object, one after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from kubestage.errors import ApiError, InputError
from kubestage.objects import conversion, patches, timestamps
from kubestage.objects.patches import PatchType
from kubestage.objects.validation import field
from kubestage.store import custom_resources
from kubestage.store.admission import attributes as admission_attributes
from kubestage.store.admission.webhook import calls

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.store.admission.attributes import Attributes
    from kubestage.store.admission.reinvocation import Reinvocation
    from kubestage.store.admission.webhook.calls import Invocation
    from kubestage.store.core import Core

KIND: Final = "MutatingWebhookConfiguration"


def admit(core: Core, attributes: Attributes, rounds: Reinvocation) -> Attributes:
    """The request with its object as the webhooks that match would have it."""
    rounds.begin(attributes.obj)
    for name, hook in calls.hooks(core, KIND):
        called = calls.invocation(core, name, hook, attributes)
        if called is None or not rounds.is_due(called.key):
            continue
        answer = calls.answer_of(attributes, called, is_mutating=True)
        before = attributes.obj
        if answer is not None and answer.patch:
            attributes = _patched(core, attributes, called, answer.patch)
        rounds.called(
            called.key,
            changed=attributes.obj != before,
            again=hook.get("reinvocationPolicy") == "IfNeeded",
        )
    rounds.end(attributes.obj)
    return attributes


def _patched(
    core: Core, attributes: Attributes, called: Invocation, patch: list[Any]
) -> Attributes:
    obj = attributes.versioned(called.row, attributes.obj)
    if obj is None:
        quoted = field.quote(called.name)
        why = (
            f"admission webhook {quoted} attempted to modify the object, which is not supported "
            "for this operation"
        )
        raise _internal(why)
    try:
        changed: Json = patches.apply(PatchType.JSON, obj, patch)
    except patches.PatchError as error:
        raise _internal(str(error)) from None
    if attributes.part is not None:
        return attributes._replace(obj=changed)
    now = timestamps.format_time(core.clock.unix_ns)
    try:
        complete = custom_resources.defaulted(called.row, changed, now)
    except InputError as error:
        raise _internal(str(error)) from None
    stored = conversion.back(called.row, attributes.kind, complete)
    return attributes._replace(obj=admission_attributes.with_identity(stored, obj))


def _internal(why: str) -> ApiError:
    return ApiError(f"Internal error occurred: {why}", {"causes": [{"message": why}]})
