"""Asking webhooks: which are for a request, and what they answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import AdmissionDenied, ApiError, BadRequest
from kubestage.objects.admission import review as reviews
from kubestage.objects.admission import variables
from kubestage.objects.admission.evaluation import Evaluation, match
from kubestage.objects.cel import authorizer_functions
from kubestage.objects.validation import field
from kubestage.store.admission import attributes as admission_attributes
from kubestage.store.admission import caller as callers
from kubestage.store.admission import matching
from kubestage.store.admission.policy import configuration
from kubestage.store.admission.webhook.call_failed import CallFailed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from kubestage.aliases import Json
    from kubestage.objects.admission.review import Answer
    from kubestage.objects.kinds import Kind
    from kubestage.store.admission.attributes import Attributes
    from kubestage.store.core import Core

_VERSION: Final = f"{admission_attributes.EXEMPT_GROUP}/v1"
_NO_SIDE_EFFECTS: Final = ("None", "NoneOnDryRun")
# Reviews differ by their content; the server that sends one gives it a uid of its own.
_UID: Final = ""


class Invocation(NamedTuple):
    """A webhook that is for a request, by the resource that its rules name."""

    configuration: str
    hook: Json
    row: Kind

    @property
    def name(self) -> str:
        """The name of the webhook."""
        return str(self.hook.get("name") or "")

    @property
    def key(self) -> tuple[str, str]:
        """What identifies it among all others."""
        return self.configuration, self.name


def hooks(core: Core, kind: str) -> Iterator[tuple[str, Json]]:
    """All webhooks of a kind of configuration, in the order in which they are called."""
    found = core.read((_VERSION, kind))
    for name in sorted(found):
        for hook in found[name].get("webhooks") or ():
            yield name, hook


def invocation(core: Core, name: str, hook: Json, attributes: Attributes) -> Invocation | None:
    """A webhook that is to be called for a request; None if it is not."""
    row = matching.hooked(core, attributes, hook)
    if row is None:
        return None
    conditions = hook.get("matchConditions")
    if conditions:
        request = attributes.request(row)
        data = {
            "object": attributes.versioned(row, attributes.obj),
            "oldObject": attributes.versioned(row, attributes.old),
            "namespaceObject": None,
            **variables.bound(request),
            **configuration.authorizer(attributes, request),
        }
        with authorizer_functions.answering(configuration.authorize):
            fails = hook.get("failurePolicy") != "Ignore"
            found = match(lambda left: Evaluation(data, left), conditions, fails=fails)
        if found.error:
            raise attributes.forbidden(found.error)
        if not found.matches:
            return None
    return Invocation(name, hook, row)


def answer_of(attributes: Attributes, called: Invocation, *, is_mutating: bool) -> Answer | None:
    """What a webhook answers; None if it cannot be called and that does not matter.

    A refusal, and a failure that does matter, is raised.
    """
    caller = callers.current()
    assert caller is not None
    assert caller.calls is not None
    try:
        found = _answer_of(attributes, called, caller.calls, is_mutating=is_mutating)
    except CallFailed as error:
        if called.hook.get("failurePolicy") == "Ignore":
            return None
        message = f"failed calling webhook {field.quote(called.name)}: {error}"
        causes = {"causes": [{"message": message}]}
        raise ApiError(f"Internal error occurred: {message}", causes) from None
    for key, value in found.annotations.items():
        caller.audit.setdefault(f"{called.name}/{key}", value)
    for warning in found.warnings:
        attributes.warn(warning)
    if not found.allowed:
        raise _denied(called.name, found.result)
    return found


def _answer_of(
    attributes: Attributes,
    called: Invocation,
    calls: callers.WebhookCalls,
    *,
    is_mutating: bool,
) -> Answer:
    hook = called.hook
    if attributes.dry_run and hook.get("sideEffects") not in _NO_SIDE_EFFECTS:
        quoted = field.quote(called.name)
        raise BadRequest(f"admission webhook {quoted} does not support dry run")
    known = [each for each in hook.get("admissionReviewVersions") or () if each in reviews.VERSIONS]
    if not known:
        raise CallFailed(f"could not create admission objects: {reviews.NO_VERSION}")
    sent = reviews.request(
        known[0],
        _UID,
        attributes.request(called.row),
        attributes.versioned(called.row, attributes.obj),
        attributes.versioned(called.row, attributes.old),
    )
    try:
        received = calls.answer(called.configuration, hook, sent)
    except CallFailed as error:
        raise CallFailed(f"failed to call webhook: {error}") from None
    try:
        return reviews.answer(sent, received, is_mutating=is_mutating)
    except reviews.ReviewError as error:
        prefix = "" if str(error).startswith("received") else "received invalid webhook response: "
        raise CallFailed(f"{prefix}{error}") from None


def _denied(name: str, result: Json | None) -> AdmissionDenied:
    status = reviews.denial(name, result)
    return AdmissionDenied(
        status["message"], status["code"], status.get("reason") or "", status.get("details")
    )
