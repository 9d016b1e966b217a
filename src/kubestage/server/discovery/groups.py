"""Which groups and versions there are, and in which order clients see them.

The real server orders groups by the priority of their APIServices: first the built-in ones, each
with its own, then those of custom resources by name, at last the metrics API.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.server.discovery import priorities, unstored

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind, KindTable

_VERSION: Final = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_STAGES: Final = {None: 3, "beta": 2, "alpha": 1}


def is_built_in(group: str) -> bool:
    """Whether Kubernetes itself has this group."""
    return group in priorities.GROUPS


def is_custom(row: Kind) -> bool:
    """Whether a kind is served as custom resources are: by a definition, or one of ours."""
    return row.definition is not None or not is_built_in(row.group)


def names(kinds: KindTable) -> list[str]:
    """All groups but the core one, in order."""
    found = {row.group for row in kinds} | {row.group for row in unstored.ALL}
    found.discard("")
    return sorted(found, key=_place)


def _place(group: str) -> tuple[int, str]:
    return -priorities.of_group(group), group


def versions(kinds: KindTable, group: str) -> list[str]:
    """The versions of a group, the preferred one first; none if the group is not served."""
    found = {row.version for row in kinds if row.group == group}
    found |= {row.version for row in unstored.ALL if row.group == group}
    return sorted(found, key=rank)


def rank(version: str) -> tuple[int, int, int, int, str]:
    """Stable before beta before alpha, newest first; names of other forms follow by letter."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return 1, 0, 0, 0, version
    major, stage, minor = match.groups()
    return 0, -_STAGES[stage], -int(major), -int(minor or 0), ""
