"""Discovery and OpenAPI of all servers as one: documents of this one, with the APIs of others."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

from kubestage.server.discovery import groups, priorities

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from kubestage.aliases import Json
    from kubestage.server.aggregation.remote_api import RemoteApi
    from kubestage.server.live import Live


def remotes_of(live: Live) -> Sequence[RemoteApi]:
    """The APIs that other servers serve."""
    if live.aggregator is None:
        return ()
    return [each for each in live.aggregator.remotes.values() if not each.is_modelled]


def with_groups(found: list[Json], remotes: Sequence[RemoteApi]) -> list[Json]:
    """APIGroups with those of other servers, in order."""
    if not remotes:
        return found
    local = {each["name"]: each["versions"] for each in found}
    merged = _merged(local, remotes, _legacy)
    out = []
    for name, versions in merged.items():
        listed = list(versions.values())
        out.append({"name": name, "versions": listed, "preferredVersion": listed[0]})
    return out


def with_group(found: Json | None, name: str, remotes: Sequence[RemoteApi]) -> Json | None:
    """An APIGroup with the versions of other servers; None if no server has the group."""
    own = [each for each in remotes if each.group == name]
    if not own:
        return found
    (merged,) = with_groups([] if found is None else [found], own)
    return {"kind": "APIGroup", "apiVersion": "v1", **merged}


def with_discovery(document: Json, remotes: Sequence[RemoteApi]) -> Json:
    """An APIGroupDiscoveryList with the resources of other servers."""
    if not remotes:
        return document
    local = {each["metadata"]["name"]: each["versions"] for each in document["items"]}
    merged = _merged(local, remotes, _aggregated)
    return {
        **document,
        "items": [
            {"metadata": {"name": name}, "versions": list(versions.values())}
            for name, versions in merged.items()
        ],
    }


def with_openapi(index: Json, remotes: Sequence[RemoteApi]) -> Json:
    """The index of OpenAPI documents with those of other servers."""
    paths = dict(index["paths"])
    for each in remotes:
        paths.pop(each.path.strip("/"), None)
        if each.openapi:
            paths[each.path.strip("/")] = {"serverRelativeURL": each.openapi}
    return {**index, "paths": paths}


def _legacy(remote: RemoteApi) -> Json:
    return {"groupVersion": f"{remote.group}/{remote.version}", "version": remote.version}


def _aggregated(remote: RemoteApi) -> Json:
    known = remote.discovery if remote.discovery is not None else {"version": remote.version}
    return {**known, "freshness": "Current" if remote.is_fresh else "Stale"}


def _merged(
    local: dict[str, list[Json]],
    remotes: Sequence[RemoteApi],
    entry: Callable[[RemoteApi], Json],
) -> dict[str, dict[str, Json]]:
    """Entries by version by group, both in the order of priority."""
    versions = {
        group: {each["version"]: each for each in listed} for group, listed in local.items()
    }
    of_group = {group: priorities.of_group(group) for group in versions}
    of_version: dict[tuple[str, str], int] = {}
    for remote in remotes:
        group, version = remote.group, remote.version
        versions.setdefault(group, {})[version] = entry(remote)
        of_group[group] = max(of_group.get(group, 0), remote.spec["groupPriorityMinimum"])
        of_version[group, version] = remote.spec["versionPriority"]

    def place(group: str, version: str) -> tuple[int, tuple[int, int, int, int, str]]:
        known = of_version.get((group, version))
        priority = priorities.of_version(group, version) if known is None else known
        return -priority, groups.rank(version)

    ordered = {}
    for group in sorted(versions, key=lambda each: (-of_group[each], each)):
        listed = sorted(versions[group], key=functools.partial(place, group))
        ordered[group] = {version: versions[group][version] for version in listed}
    return ordered
