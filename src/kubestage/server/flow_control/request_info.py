"""What a request is about, in the words that rules of the API use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from kubestage.server.request import Request

_VERBS: Final = {
    "POST": "create", "GET": "get", "HEAD": "get", "PUT": "update", "PATCH": "patch",
    "DELETE": "delete",
}  # fmt: skip
_BY_PATH: Final = ("proxy", "watch")
_OF_NAMESPACES: Final = ("status", "finalize")
_NO_WATCH: Final = ("false", "0")
_CONNECTED: Final = frozenset({"attach", "exec", "log", "portforward", "proxy"})


class RequestInfo(NamedTuple):
    """The verb of a request, and its resource (``pods/status``), if it is about one."""

    verb: str
    path: str
    is_resource: bool = False
    group: str = ""
    resource: str = ""
    namespace: str = ""
    name: str = ""

    @property
    def is_connection(self) -> bool:
        """Whether it stays open without being a watch."""
        return self.resource.partition("/")[2] in _CONNECTED


def of(request: Request) -> RequestInfo:
    """What a request is about."""
    path = request.path
    parts = path.strip("/").split("/")
    groups = {"api": 0, "apis": 1}.get(parts[0])
    if groups is None or len(parts) < 3 + groups:
        return RequestInfo(request.method.lower(), path)
    group = parts[1] if groups else ""
    rest = parts[2 + groups :]
    verb = _VERBS.get(request.method, "")
    if rest[0] in _BY_PATH and len(rest) > 1:
        verb, rest = rest[0], rest[1:]
    namespace = ""
    if rest[0] == "namespaces" and len(rest) > 1:
        namespace = rest[1]
        if len(rest) > 2 and rest[2] not in _OF_NAMESPACES:
            rest = rest[2:]
    resource = rest[0]
    if len(rest) > 2 and verb not in _BY_PATH:
        resource = f"{resource}/{rest[2]}"
    if len(rest) < 2:
        verb = _verb_of_many(verb, request)
    name = rest[1] if len(rest) > 1 else ""
    return RequestInfo(verb, path, True, group, resource, namespace, name)


def _verb_of_many(verb: str, request: Request) -> str:
    """The verb of a request that names no object."""
    if verb == "delete":
        return "deletecollection"
    if verb != "get":
        return verb
    watch = request.query.get("watch")
    return "list" if watch is None or watch[0].lower() in _NO_WATCH else "watch"
