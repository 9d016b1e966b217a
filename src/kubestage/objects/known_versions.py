"""Kinds that the API server's decoder knows beyond those it serves here.

A manifest of an old API version is refused in other words than one of an unknown kind.
"""

from __future__ import annotations

import functools

from kubestage.objects import kinds, schema


@functools.cache
def _known() -> frozenset[tuple[str, str]]:
    served = {
        (row.api_version, kind)
        for row in kinds.BUILT_IN
        if schema.kind_struct(row.api_version, row.kind) is not None
        for kind in (row.kind, row.list_kind)
    }
    served |= {(version, row.kind) for row in kinds.BUILT_IN for version in row.old_versions}
    return frozenset(served)


def is_known(api_version: str, kind: str) -> bool:
    """Whether the decoder has a type for that kind and version."""
    return (api_version, kind) in _known()


@functools.cache
def _moved() -> dict[tuple[str, str], str]:
    """The group that holds the working type of a kind, by version and kind."""
    return {
        (version, row.kind): kinds.stored(row).group
        for row in kinds.BUILT_IN
        for version in (row.api_version, *row.old_versions)
    }


def _home(api_version: str, kind: str) -> str:
    return _moved().get((api_version, kind), api_version.rpartition("/")[0])


def converts(api_version: str, kind: str, to_version: str, to_kind: str) -> bool:
    """Whether both are versions of one working type."""
    return kind == to_kind and _home(api_version, kind) == _home(to_version, to_kind)


def go_package(api_version: str) -> str:
    """The name of the Go package that holds the working types of a group."""
    group = api_version.rpartition("/")[0]
    return group.partition(".")[0] or "core"
