"""Which kind, object and subresource a path means; the kind table is the only map."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from kubestage.errors import NotFound
from kubestage.objects.kinds import BUILT_IN
from kubestage.objects.validation import status

if TYPE_CHECKING:
    from kubestage.objects.kinds import Kind, KindTable

UNSTORED: Final = ("authentication.k8s.io", "authorization.k8s.io", "metrics.k8s.io")
"""Groups whose objects are computed for each request, and not stored."""

_GROUPS: Final = frozenset((*UNSTORED, *(row.group for row in BUILT_IN)))
_BINDINGS_DEPTH: Final = 3


class Target(NamedTuple):
    """What a path addresses: a collection if there is no name."""

    kind: Kind
    namespace: str | None
    name: str
    subresource: str = ""
    # The rest of the path behind the subresource, as a proxy has it.
    rest: str = ""
    is_watch: bool = False


class NoSuchPage(NotFound):
    """Nothing is served there, not even by an API that could say so: answered in plain text."""


def no_such_page() -> NoSuchPage:
    """Nothing that we serve begins like this path."""
    return NoSuchPage("404 page not found", {})


def no_such_path(group: str = "") -> NotFound:
    """A group of the API does not serve this; those of definitions answer in plain text."""
    if is_built_in(group):
        return NotFound("the server could not find the requested resource", {})
    return no_such_page()


def is_built_in(group: str) -> bool:
    """Whether a group is there without any definition."""
    return group in _GROUPS


def find(kinds: KindTable, path: str) -> Target:
    """The target of a path below ``/api/v1`` or ``/apis/<group>/<version>``."""
    parts = path.split("/")
    # The first part is empty: paths begin with a slash.
    if parts[1] == "api":
        group, version, rest = "", parts[2], parts[3:]
    else:
        group, version, rest = parts[2], parts[3], parts[4:]
    is_watch = bool(rest) and rest[0] == "watch"
    if is_watch:
        rest = rest[1:]
    if rest and not rest[-1]:
        rest.pop()
    namespace: str | None = None
    if len(rest) > 2 and rest[0] == "namespaces":
        row = kinds.by_plural(group, version, rest[2])
        if row is not None and row.namespaced:
            namespace, rest = rest[1], rest[2:]
    if not group and rest[-1:] == ["bindings"]:
        return _bindings(kinds, version, rest)
    row = kinds.by_plural(group, version, rest[0]) if rest else None
    if row is None or (row.namespaced and namespace is None and len(rest) > 1):
        raise no_such_path(group)
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > 2 else ""
    if len(rest) > 1 and not name:
        raise no_such_path()
    if subresource and subresource not in row.subresources:
        raise no_such_path() if row.definition is None else status.not_found(row, name)
    return Target(row, namespace, name, subresource, "/".join(rest[3:]), is_watch)


def _bindings(kinds: KindTable, version: str, rest: list[str]) -> Target:
    """Bindings have a path of their own, besides that of the pod which they name."""
    pods = kinds.by_plural("", version, "pods")
    if pods is None or len(rest) != _BINDINGS_DEPTH or rest[0] != "namespaces":
        raise no_such_path()
    return Target(pods, rest[1], "", "binding")
