"""Discovery one request at a time: ``/api``, ``/apis``, a group, the resources of a version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kubestage.server.discovery import groups, resources

if TYPE_CHECKING:
    from kubestage.aliases import Json
    from kubestage.objects.kinds import KindTable
    from kubestage.server.discovery.resources import ApiResource, Subresource


def legacy_api(server_address: str) -> Json:
    """The body of ``/api``: the versions of the core group; `server_address` is ``host:port``."""
    return {
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [
            {"clientCIDR": "0.0.0.0/0", "serverAddress": server_address}
        ],
    }


def api_group_list(kinds: KindTable) -> Json:
    """The body of ``/apis``."""
    return {
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": [_group(kinds, name) for name in groups.names(kinds)],
    }


def api_group(kinds: KindTable, group: str) -> Json | None:
    """The body of ``/apis/GROUP``; None if there is no such group."""
    if not group or not groups.versions(kinds, group):
        return None
    return {"kind": "APIGroup", "apiVersion": "v1", **_group(kinds, group)}


def _group(kinds: KindTable, group: str) -> Json:
    versions = [
        {"groupVersion": f"{group}/{version}", "version": version}
        for version in groups.versions(kinds, group)
    ]
    return {"name": group, "versions": versions, "preferredVersion": versions[0]}


def api_resource_list(kinds: KindTable, group: str, version: str) -> Json | None:
    """The body of ``/api/v1`` or ``/apis/GROUP/VERSION``; None if that is not served."""
    found = resources.served_resources(kinds, group, version)
    if not found:
        return None
    rows: list[Json] = []
    for resource in found:
        rows.append(_row(resource))
        rows += [_subrow(resource, each) for each in resource.subresources]
    # The core group is older than the rule that a document names its version.
    head = {"apiVersion": "v1"} if group else {}
    group_version = f"{group}/{version}" if group else version
    return {"kind": "APIResourceList", **head, "groupVersion": group_version, "resources": rows}


def _row(resource: ApiResource) -> Json:
    row: Json = {
        "name": resource.name,
        "singularName": resource.singular,
        "namespaced": resource.namespaced,
        "kind": resource.kind,
        "verbs": list(resource.verbs),
    }
    if resource.short_names:
        row["shortNames"] = list(resource.short_names)
    if resource.categories:
        row["categories"] = list(resource.categories)
    if resource.storage_version_hash:
        row["storageVersionHash"] = resource.storage_version_hash
    return row


def _subrow(resource: ApiResource, subresource: Subresource) -> Json:
    row: Json = {
        "name": f"{resource.name}/{subresource.name}",
        "singularName": "",
        "namespaced": resource.namespaced,
    }
    if subresource.group:
        row["group"], row["version"] = subresource.group, subresource.version
    return {**row, "kind": subresource.kind, "verbs": list(subresource.verbs)}
