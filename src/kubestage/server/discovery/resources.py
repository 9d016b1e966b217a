"""The resources of one group and version, with verbs and subresources, before any wording."""

from __future__ import annotations

import base64
import hashlib
from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.server.discovery import groups, unstored

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind, KindTable


class Subresource(NamedTuple):
    """A part of an object that has verbs of its own, and the kind that they take."""

    name: str
    kind: str
    verbs: tuple[str, ...]
    group: str = ""
    version: str = ""


class ApiResource(NamedTuple):
    """One resource as discovery lists it."""

    name: str
    singular: str
    kind: str
    namespaced: bool
    verbs: tuple[str, ...]
    short_names: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    storage_version_hash: str = ""
    subresources: tuple[Subresource, ...] = ()


_ALL_VERBS: Final = (
    "create",
    "delete",
    "deletecollection",
    "get",
    "list",
    "patch",
    "update",
    "watch",
)
_CUSTOM_VERBS: Final = (
    "delete", "deletecollection", "get", "list", "patch", "create", "update", "watch",
)  # fmt: skip
_EDIT: Final = ("get", "patch", "update")
_PROXY: Final = ("create", "delete", "get", "patch", "update")
_STREAM: Final = ("create", "get")

# Verbs of a built-in kind that lacks some.
_VERBS: Final = {"namespaces": tuple(verb for verb in _ALL_VERBS if verb != "deletecollection")}

_SCALE: Final = Subresource("scale", "Scale", _EDIT, "autoscaling", "v1")
# Subresources that are not the object itself, read and edited in part.
_SPECIAL: Final = {
    "namespaces/finalize": Subresource("finalize", "Namespace", ("update",)),
    "nodes/proxy": Subresource("proxy", "NodeProxyOptions", _PROXY),
    "pods/attach": Subresource("attach", "PodAttachOptions", _STREAM),
    "pods/binding": Subresource("binding", "Binding", ("create",)),
    "pods/eviction": Subresource("eviction", "Eviction", ("create",), "policy", "v1"),
    "pods/exec": Subresource("exec", "PodExecOptions", _STREAM),
    "pods/log": Subresource("log", "Pod", ("get",)),
    "pods/portforward": Subresource("portforward", "PodPortForwardOptions", _STREAM),
    "pods/proxy": Subresource("proxy", "PodProxyOptions", _PROXY),
    "serviceaccounts/token": Subresource(
        "token", "TokenRequest", ("create",), "authentication.k8s.io", "v1"
    ),
    "services/proxy": Subresource("proxy", "ServiceProxyOptions", _PROXY),
}

# The version in which a kind lies in the storage of the real server, where it is not the newest.
_STORED: Final = {
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicy"): "v1beta1",
    ("admissionregistration.k8s.io", "MutatingAdmissionPolicyBinding"): "v1beta1",
    ("apiextensions.k8s.io", "CustomResourceDefinition"): "v1beta1",
}


def served_resources(kinds: KindTable, group: str, version: str) -> tuple[ApiResource, ...]:
    """The resources of a group and version by name; none if it is not served."""
    found = {
        row.plural: _stored(kinds, row)
        for row in kinds
        if (row.group, row.version) == (group, version)
    }
    for row in unstored.ALL:
        if (row.group, row.version) == (group, version):
            found[row.name] = _unstored(row)
    return tuple(found[name] for name in sorted(found))


def _stored(kinds: KindTable, row: Kind) -> ApiResource:
    custom = groups.is_custom(row)
    return ApiResource(
        name=row.plural,
        singular=row.singular,
        kind=row.kind,
        namespaced=row.namespaced,
        verbs=_CUSTOM_VERBS if custom else _verbs(row),
        short_names=row.short_names,
        categories=row.categories,
        storage_version_hash=_storage_version_hash(kinds, row),
        # A custom resource names its status first.
        subresources=tuple(
            _subresource(row, name) for name in sorted(row.subresources, reverse=custom)
        ),
    )


def _verbs(row: Kind) -> tuple[str, ...]:
    return _VERBS.get(row.resource, _ALL_VERBS)


def _subresource(row: Kind, name: str) -> Subresource:
    if name == "scale":
        return _SCALE
    special = _SPECIAL.get(f"{row.resource}/{name}")
    return special if special is not None else Subresource(name, row.kind, _EDIT)


def _unstored(row: unstored.Unstored) -> ApiResource:
    return ApiResource(
        name=row.name,
        # The metrics API has no singular names.
        singular=row.kind.lower() if groups.is_built_in(row.group) else "",
        kind=row.kind,
        namespaced=row.namespaced,
        verbs=row.verbs,
        short_names=row.short_names,
    )


def _storage_version_hash(kinds: KindTable, row: Kind) -> str:
    """A short name for the version in which objects are kept; empty if that one is not served."""
    if row.stored_as is not None:
        stored = row.stored_as[0]
    elif row.definition is not None:
        versions = [
            each.api_version
            for each in kinds
            if (each.group, each.kind) == (row.group, row.kind)
            and (each.definition or {}).get("storage")
        ]
        if not versions:
            return ""
        stored = versions[0]
    else:
        version = _STORED.get((row.group, row.kind), row.version)
        stored = f"{row.group}/{version}"
    group, _, version = stored.rpartition("/")
    digest = hashlib.sha256(f"{group}/{version}/{row.kind}".encode()).digest()
    return base64.b64encode(digest[:8]).decode()
