"""Where the clusters of a server and their past lie: ``/clusters/NAME/...``, ``/at/TIME/...``."""

from __future__ import annotations

from typing import Final, NamedTuple

_CLUSTERS: Final = "/clusters/"
_PAST: Final = "/at/"
PREFIXES: Final = (_CLUSTERS, _PAST)


class ClusterPath(NamedTuple):
    """A path in parts: the cluster, empty for the first one; the moment, empty for now; and the
    rest, which begins with a slash.
    """

    cluster: str
    at: str
    path: str


def split(path: str) -> ClusterPath:
    """The parts of a path."""
    cluster = at = ""
    rest = path
    if rest.startswith(_CLUSTERS):
        cluster, slash, rest = rest[len(_CLUSTERS) :].partition("/")
        rest = slash + rest or "/"
    if rest.startswith(_PAST):
        at, slash, rest = rest[len(_PAST) :].partition("/")
        rest = slash + rest or "/"
    return ClusterPath(cluster, at, rest)


def inner(path: str) -> str:
    """The path that a cluster itself serves; most requests have no other."""
    if path.startswith(PREFIXES):
        return split(path).path
    return path


def of(cluster: str) -> str:
    """What the paths of a cluster begin with."""
    return f"{_CLUSTERS}{cluster}" if cluster else ""
