"""Groups of the Kubernetes community: their definitions must name who approved them."""

from __future__ import annotations

import urllib.parse
from typing import Any, Final, NamedTuple

from kubestage.objects.validation import field

ANNOTATION: Final = "api-approved.kubernetes.io"
_SEE: Final = "see https://github.com/kubernetes/enhancements/pull/1111"
_PROTECTED: Final = (".k8s.io", ".kubernetes.io")


class Approval(NamedTuple):
    """What the annotation of a definition comes to: a reason for its condition, and why."""

    status: str
    reason: str
    message: str


def is_protected(group: str) -> bool:
    """Whether a group belongs to the Kubernetes community."""
    return f".{group}".endswith(_PROTECTED)


def approval_of(definition: dict[str, Any]) -> Approval:
    """The state of a definition's approval."""
    annotation = (definition["metadata"].get("annotations") or {}).get(ANNOTATION) or ""
    quoted = field.quote(ANNOTATION)
    if not annotation:
        text = f"protected groups must have approval annotation {quoted}, {_SEE}"
        return Approval("False", "MissingAnnotation", text)
    if annotation.startswith("unapproved"):
        return Approval("False", "UnapprovedAnnotation", f"not approved: {field.quote(annotation)}")
    if _is_url(annotation):
        return Approval("True", "ApprovedAnnotation", f"approved in {annotation}")
    text = (
        f"protected groups must have approval annotation {quoted} with either a URL or a reason "
        f'starting with "unapproved", {_SEE}'
    )
    return Approval("False", "InvalidAnnotation", text)


def _is_url(text: str) -> bool:
    try:
        url = urllib.parse.urlsplit(text)
    except ValueError:
        return False
    return bool(url.scheme and url.netloc) and " " not in text


def validate(
    definition: dict[str, Any], old: dict[str, Any] | None = None
) -> list[field.FieldError]:
    """Refuse a protected group without approval, unless that is how it was before."""
    if not is_protected(definition["spec"]["group"]):
        return []
    state = approval_of(definition)
    if old is not None and approval_of(old).reason == state.reason:
        return []
    path = f"metadata.annotations[{ANNOTATION}]"
    if state.reason == "MissingAnnotation":
        return [field.required(path, state.message)]
    if state.reason == "InvalidAnnotation":
        annotation = definition["metadata"]["annotations"][ANNOTATION]
        return [field.invalid(path, annotation, state.message)]
    return []
