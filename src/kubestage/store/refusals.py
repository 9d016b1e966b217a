"""Refusals that only a store makes; `objects.validation.status` words the others."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

from kubestage.errors import AlreadyExists, ApiError, Conflict, Forbidden, Invalid, NotFound
from kubestage.golang import quote
from kubestage.objects.validation import status

if TYPE_CHECKING:
    from collections.abc import Sequence

    from kubestage.aliases import Json
    from kubestage.objects.kinds import Kind
    from kubestage.objects.validation.field import FieldError


def no_such_resource() -> NotFound:
    """The kind, or the subresource, is not served."""
    return NotFound("the server could not find the requested resource")


def bad_options(kind: str, problems: Sequence[FieldError]) -> Invalid:
    """A request's own options, such as ``ListOptions`` or ``DeleteOptions``, are wrong."""
    return status.invalid({"apiVersion": "meta.k8s.io/v1", "kind": kind}, problems)


def already_exists(kind: Kind, taken: Json) -> AlreadyExists:
    """The name is taken, perhaps by an object that is about to go."""
    metadata = taken["metadata"]
    refusal = status.already_exists(kind, metadata["name"])
    if "deletionTimestamp" in metadata:
        return AlreadyExists(f"object is being deleted: {refusal.message}", refusal.details)
    return refusal


def conflict_on(called: str, kind: Kind, name: str, why: str) -> Conflict:
    """A conflict that the API reports under another name than the kind's plural."""
    return status.conflict(dataclasses.replace(kind, plural=called), name, why)


def failed_precondition(storage_key: str, what: str, expected: str, actual: str) -> str:
    """Why a write was refused: it was for another object, or another version."""
    return (
        f"StorageError: invalid object, Code: 4, Key: {storage_key}, ResourceVersion: 0, "
        f"AdditionalErrorMsg: Precondition failed: {what} in precondition: {expected}, "
        f"{what} in object meta: {actual}"
    )


def no_service_address(name: str) -> ApiError:
    """No range has an address for another service."""
    why = f"failed to allocate a serviceIP for Service {quote.quote(name)}: range is full"
    return ApiError(f"Internal error occurred: {why}", {"causes": [{"message": why}]})


def too_many_objects(limit: int) -> Forbidden:
    """The store holds as much as it may."""
    return Forbidden(
        f"the server holds {limit} objects, and takes no more; delete some, or start kubestage "
        "serve with --max-objects"
    )


def namespace_ending(kind: Kind, name: str, namespace: str) -> Forbidden:
    """Nothing new is let into a namespace that is being deleted."""
    why = f"unable to create new content in namespace {namespace} because it is being terminated"
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    refusal = status.forbidden(kind, name, why)
    return Forbidden(refusal.message, {**refusal.details, "causes": [cause]})
