"""Which groups and versions there are, and in which order clients see them.

The real server orders groups by the priority of their APIServices: first the built-in ones, each
with its own, then those of custom resources by name, at last the metrics API.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from kubestage.server.discovery import unstored

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind, KindTable

_ORDER: Final = (
    "apiregistration.k8s.io", "apps", "events.k8s.io", "authentication.k8s.io",
    "authorization.k8s.io", "autoscaling", "batch", "certificates.k8s.io", "networking.k8s.io",
    "policy", "rbac.authorization.k8s.io", "storage.k8s.io", "admissionregistration.k8s.io",
    "apiextensions.k8s.io", "scheduling.k8s.io", "coordination.k8s.io", "node.k8s.io",
    "discovery.k8s.io", "resource.k8s.io", "flowcontrol.apiserver.k8s.io",
    "internal.apiserver.k8s.io", "storagemigration.k8s.io",
)  # fmt: skip
_PLACES: Final = {name: place for place, name in enumerate(_ORDER)}
_METRICS: Final = "metrics.k8s.io"
_VERSION: Final = re.compile(r"v(\d+)(?:(alpha|beta)(\d+))?")
_STAGES: Final = {None: 3, "beta": 2, "alpha": 1}


def is_built_in(group: str) -> bool:
    """Whether Kubernetes itself has this group."""
    return not group or group in _PLACES


def is_custom(row: Kind) -> bool:
    """Whether a kind is served as custom resources are: by a definition, or one of ours."""
    return row.definition is not None or not is_built_in(row.group)


def names(kinds: KindTable) -> list[str]:
    """All groups but the core one, in order."""
    found = {row.group for row in kinds} | {row.group for row in unstored.ALL}
    found.discard("")
    return sorted(found, key=_place)


def _place(group: str) -> tuple[int, bool, str]:
    return _PLACES.get(group, len(_ORDER)), group == _METRICS, group


def versions(kinds: KindTable, group: str) -> list[str]:
    """The versions of a group, the preferred one first; none if the group is not served."""
    found = {row.version for row in kinds if row.group == group}
    found |= {row.version for row in unstored.ALL if row.group == group}
    return sorted(found, key=_rank)


def _rank(version: str) -> tuple[int, int, int, int, str]:
    """Stable before beta before alpha, newest first; names of other forms follow by letter."""
    match = _VERSION.fullmatch(version)
    if match is None:
        return 1, 0, 0, 0, version
    major, stage, minor = match.groups()
    return 0, -_STAGES[stage], -int(major), -int(minor or 0), ""
