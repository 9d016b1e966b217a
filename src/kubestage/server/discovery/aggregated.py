"""Discovery in one request: every group with its versions, resources and subresources."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING, Literal

from kubestage.server.discovery import groups, resources

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import KindTable
    from kubestage.server.discovery.resources import ApiResource, Subresource

Version = Literal["v2", "v2beta1"]


def content_type(version: Version = "v2") -> str:
    """The exact media type that clients demand of the answer."""
    return f"application/json;g=apidiscovery.k8s.io;v={version};as=APIGroupDiscoveryList"


def etag(body: bytes) -> str:
    """What names this state of the document; in quotes, as the header has it."""
    return f'"{hashlib.sha512(body).hexdigest().upper()}"'


def document(kinds: KindTable, *, core: bool, version: Version = "v2") -> Json:
    """The document of ``/api`` (`core`) or ``/apis``."""
    names = [""] if core else groups.names(kinds)
    return {
        "kind": "APIGroupDiscoveryList",
        "apiVersion": f"apidiscovery.k8s.io/{version}",
        "metadata": {},
        "items": [_group(kinds, name) for name in names],
    }


def _group(kinds: KindTable, group: str) -> Json:
    return {
        "metadata": {"name": group} if group else {},
        "versions": [
            {
                "version": version,
                "resources": [
                    _resource(each, _group_version(kinds, group, version, each.name))
                    for each in resources.served_resources(kinds, group, version)
                ],
                "freshness": "Current",
            }
            for version in groups.versions(kinds, group)
        ],
    }


def _group_version(kinds: KindTable, group: str, version: str, name: str) -> tuple[str, str]:
    """The group and version that a resource states: only custom resources repeat theirs."""
    row = kinds.by_plural(group, version, name)
    return (group, version) if row is not None and groups.is_custom(row) else ("", "")


def _resource(resource: ApiResource, group_version: tuple[str, str]) -> Json:
    out: Json = {
        "resource": resource.name,
        "responseKind": _kind(*group_version, resource.kind),
        "scope": "Namespaced" if resource.namespaced else "Cluster",
        "singularResource": resource.singular,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        out["shortNames"] = list(resource.short_names)
    if resource.categories:
        out["categories"] = list(resource.categories)
    if resource.subresources:
        out["subresources"] = [_subresource(each, group_version) for each in resource.subresources]
    return out


def _subresource(subresource: Subresource, group_version: tuple[str, str]) -> Json:
    group, version = (
        (subresource.group, subresource.version) if subresource.group else group_version
    )
    return {
        "subresource": subresource.name,
        "responseKind": _kind(group, version, subresource.kind),
        "verbs": list(subresource.verbs),
    }


def _kind(group: str, version: str, kind: str) -> Json:
    return {"group": group, "version": version, "kind": kind}
