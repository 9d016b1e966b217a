"""A request as policies and webhooks see it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects import conversion
from kubestage.objects.validation import status
from kubestage.store.admission import caller as callers

if TYPE_CHECKING:
    from collections.abc import MutableSequence

    from kubestage.aliases import Json
    from kubestage.errors import Forbidden
    from kubestage.objects.kinds import Kind
    from kubestage.store.core import Core

CREATE, UPDATE, DELETE, CONNECT = "CREATE", "UPDATE", "DELETE", "CONNECT"
EXEMPT_GROUP: Final = "admissionregistration.k8s.io"
"""Policies and webhooks are not about these: else one could lock itself out."""
_HIDDEN: Final = ("uid", "creationTimestamp")
_NAMESPACE_FIELDS: Final = frozenset(
    {
        "name", "generateName", "namespace", "uid", "resourceVersion", "generation",
        "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds", "labels",
        "annotations", "finalizers",
    }
)  # fmt: skip


class Attributes(NamedTuple):
    """One request. Objects are as they are stored; `part` is what a subresource shows instead.

    `kind` is the kind that the path names. What a subresource has of another kind (a Scale, the
    options of an exec) is in `obj` and `old` already, and `part` is that kind.
    """

    kind: Kind
    operation: str
    obj: Json | None
    old: Json | None
    name: str
    namespace: str
    subresource: str = ""
    dry_run: bool = False
    part: tuple[str, str] | None = None
    warnings: MutableSequence[str] | None = None

    def warn(self, text: str) -> None:
        """Add a warning to the response, if there is one."""
        if self.warnings is not None:
            self.warnings.append(text)

    def versioned(self, row: Kind, obj: Json | None) -> Json | None:
        """An object in the version of a rule that matches the request."""
        if obj is None or self.part is not None:
            return obj
        return conversion.to_served(row, obj)

    def request(self, row: Kind) -> Json:
        """The request as an AdmissionRequest, but for its uid and objects."""
        caller = callers.current()
        kind = self._type(row)
        own = self._type(self.kind)
        found: Json = {
            "kind": kind,
            "resource": _resource(row),
            "requestKind": own,
            "requestResource": _resource(self.kind),
            "name": self.name,
            "operation": self.operation,
            "userInfo": callers.COMPONENT if caller is None else caller.user,
            "dryRun": self.dry_run,
            "options": self._options(caller),
        }
        if self.subresource:
            found |= {"subResource": self.subresource, "requestSubResource": self.subresource}
        if self.namespace:
            found["namespace"] = self.namespace
        return found

    def _type(self, row: Kind) -> Json:
        if self.part is None:
            return {"group": row.group, "version": row.version, "kind": row.kind}
        group, _, version = self.part[0].rpartition("/")
        return {"group": group, "version": version, "kind": self.part[1]}

    def _options(self, caller: callers.Caller | None) -> Json | None:
        if self.operation == CONNECT:
            return None
        kind = f"{self.operation.title()}Options"
        own = {} if caller is None else caller.options
        return {"kind": kind, "apiVersion": "meta.k8s.io/v1", **own}

    def forbidden(self, why: str) -> Forbidden:
        """The refusal of the request, under the name that it has by then."""
        name = self.name
        if not name:
            metadata = (self.obj or {}).get("metadata") or {}
            name = metadata.get("name") or metadata.get("generateName") or "Unknown"
        return status.forbidden(self.kind, name, why)


def _resource(row: Kind) -> Json:
    return {"group": row.group, "version": row.version, "resource": row.plural}


def of_object(
    kind: Kind,
    obj: Json | None,
    old: Json | None,
    subresource: str = "",
    *,
    operation: str = "",
    dry_run: bool = False,
    warnings: MutableSequence[str] | None = None,
) -> Attributes:
    """The attributes of a write of an object."""
    shown = obj if obj is not None else old
    metadata = (shown or {}).get("metadata") or {}
    is_namespace = kind.plural == "namespaces" and not kind.group
    name = metadata.get("name") or ""
    namespace = name if is_namespace else metadata.get("namespace") or ""
    if not operation:
        operation = CREATE if old is None else UPDATE
    return Attributes(
        kind, operation, obj, old, name, namespace, subresource, dry_run, None, warnings
    )


def without_identity(obj: Json) -> Json:
    """A new object as it is before the server gives it a uid and a time."""
    metadata = {key: part for key, part in obj["metadata"].items() if key not in _HIDDEN}
    return {**obj, "metadata": metadata}


def with_identity(obj: Json, from_obj: Json) -> Json:
    """A changed object with the uid, time and managedFields of the one that was changed."""
    metadata = dict(obj.get("metadata") or {})
    for key in (*_HIDDEN, "managedFields"):
        metadata.pop(key, None)
        if key in from_obj["metadata"]:
            metadata[key] = from_obj["metadata"][key]
    return {**obj, "metadata": metadata}


def namespace_object(core: Core, attributes: Attributes) -> Json | None:
    """The namespace of a request, without who manages it; none for what has no namespace."""
    is_namespace = attributes.kind.plural == "namespaces" and not attributes.kind.group
    found = None if is_namespace else core.namespaces.objects.get(attributes.namespace)
    if found is None:
        return None
    metadata: dict[str, Any] = {
        key: part for key, part in found["metadata"].items() if key in _NAMESPACE_FIELDS
    }
    return {**found, "metadata": metadata}
