"""Refusals as the API server words them: message, reason and details of a Status."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage import errors
from kubestage.objects.validation import field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.validation.field import FieldError

OBJECT_MODIFIED = (
    "the object has been modified; please apply your changes to the latest version and try again"
)


def invalid(obj: Json, problems: Sequence[FieldError]) -> errors.Invalid:
    """The object breaks rules: 422, each broken rule a cause, in the message each once."""
    group = (obj.get("apiVersion") or "").rpartition("/")[0]
    kind = obj.get("kind") or ""
    name = (obj.get("metadata") or {}).get("name") or ""
    texts = list(dict.fromkeys(str(problem) for problem in problems))
    shown = texts[0] if len(texts) == 1 else f"[{', '.join(texts)}]"
    subject = f"{kind}.{group}" if group else kind
    details = _details(name, group, kind)
    if problems:
        details["causes"] = [problem.cause for problem in problems]
    return errors.Invalid(f"{subject} {field.quote(name)} is invalid: {shown}", details)


def _details(name: str, group: str, kind: str) -> Json:
    entries = (("name", name), ("group", group), ("kind", kind))
    return {key: value for key, value in entries if value}


def _subject(kind: Kind, name: str) -> tuple[str, Json]:
    return f"{kind.resource} {field.quote(name)}", _details(name, kind.group, kind.plural)


def not_found(kind: Kind, name: str) -> errors.NotFound:
    """No object of that name."""
    subject, details = _subject(kind, name)
    return errors.NotFound(f"{subject} not found", details)


def already_exists(kind: Kind, name: str) -> errors.AlreadyExists:
    """An object of that name is there."""
    subject, details = _subject(kind, name)
    return errors.AlreadyExists(f"{subject} already exists", details)


def generate_name_conflict(kind: Kind, name: str) -> errors.AlreadyExists:
    """The name that the server generated is taken."""
    subject, details = _subject(kind, name)
    return errors.AlreadyExists(
        f"{subject} already exists, the server was not able to generate a unique name "
        "for the object",
        {**details, "retryAfterSeconds": 1},
    )


def conflict(kind: Kind, name: str, why: str = OBJECT_MODIFIED) -> errors.Conflict:
    """The object is not what the caller expects."""
    subject, details = _subject(kind, name)
    return errors.Conflict(f"Operation cannot be fulfilled on {subject}: {why}", details)


def forbidden(kind: Kind, name: str, why: str) -> errors.Forbidden:
    """Understood, and not allowed."""
    subject, details = _subject(kind, name)
    return errors.Forbidden(f"{subject if name else kind.resource} is forbidden: {why}", details)


def method_not_supported(kind: Kind, action: str) -> errors.MethodNotAllowed:
    """The kind does not have the verb."""
    message = f"{action} is not supported on resources of kind {field.quote(kind.resource)}"
    return errors.MethodNotAllowed(message, _details("", kind.group, kind.plural))


def namespace_mismatch() -> errors.BadRequest:
    """The object names another namespace than the request."""
    return errors.BadRequest(
        "the namespace of the provided object does not match the namespace sent on the request"
    )
