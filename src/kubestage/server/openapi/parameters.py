"""The query and path parameters of the API's operations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from kubestage.aliases import Json

# Name, type, what it does.
_QUERY: Final = (
    ("allowWatchBookmarks", "boolean", "Whether a watch may send bookmarks."),
    ("container", "string", "The container whose log is read."),
    ("continue", "string", "Where an earlier list with a limit broke off."),
    ("dryRun", "string", "`All`: do everything but keep nothing."),
    ("fieldManager", "string", "Who makes this change, as managedFields will name it."),
    ("fieldSelector", "string", "Only objects with these fields."),
    ("fieldValidation", "string", "Unknown and repeated fields: `Ignore`, `Warn` or `Strict`."),
    ("follow", "boolean", "Whether to go on reading the log."),
    ("force", "boolean", "Whether an apply takes over fields of others."),
    ("gracePeriodSeconds", "integer", "How long the object may take to end."),
    ("labelSelector", "string", "Only objects with these labels."),
    ("limit", "integer", "How many objects to return at most."),
    ("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
    ("path", "string", "The path behind the proxy."),
    ("pretty", "string", "Whether the answer is indented."),
    ("previous", "boolean", "Whether to read the log of the container before."),
    ("propagationPolicy", "string", "What becomes of dependents."),
    ("resourceVersion", "string", "The version from which to read or watch."),
    ("resourceVersionMatch", "string", "How resourceVersion is to be taken."),
    ("sendInitialEvents", "boolean", "Whether a watch begins with the present state."),
    ("sinceSeconds", "integer", "How much of the log to read, in seconds."),
    ("tailLines", "integer", "How many last lines of the log to read."),
    ("timeoutSeconds", "integer", "When the list or watch ends."),
    ("timestamps", "boolean", "Whether each line of the log begins with its time."),
    ("watch", "boolean", "Whether to watch changes rather than list."),
)


def _parameter(name: str, place: str, type_name: str, text: str) -> Json:
    made: Json = {"name": name, "in": place, "description": text}
    if place == "path":
        made["required"] = True
    return {**made, "schema": {"type": type_name}}


QUERY: Final[dict[str, Json]] = {
    name: _parameter(name, "query", type_name, text) for name, type_name, text in _QUERY
}
NAMESPACE: Final = _parameter("namespace", "path", "string", "The namespace of the objects.")
PRETTY: Final = QUERY["pretty"]

_LIST: Final = (
    "allowWatchBookmarks", "continue", "fieldSelector", "labelSelector", "limit",
    "resourceVersion", "resourceVersionMatch", "sendInitialEvents", "timeoutSeconds", "watch",
)  # fmt: skip
_WRITE: Final = ("dryRun", "fieldManager", "fieldValidation")
_DELETE: Final = ("dryRun", "gracePeriodSeconds", "orphanDependents", "propagationPolicy")

# By verb, as discovery names them.
BY_VERB: Final[dict[str, tuple[str, ...]]] = {
    "list": _LIST,
    "create": _WRITE,
    "update": _WRITE,
    "patch": (*_WRITE, "force"),
    "delete": _DELETE,
    "deletecollection": (
        *_DELETE, "continue", "fieldSelector", "labelSelector", "limit", "resourceVersion",
        "resourceVersionMatch", "timeoutSeconds",
    ),
    "get": (),
}  # fmt: skip

# By subresource: what its reading takes.
BY_SUBRESOURCE: Final[dict[str, tuple[str, ...]]] = {
    "log": (
        "container", "follow", "previous", "sinceSeconds", "tailLines", "timestamps",
    ),
    "proxy": ("path",),
}  # fmt: skip


def name_of(kind: str) -> Json:
    """The path parameter that names one object."""
    return _parameter("name", "path", "string", f"The name of the {kind}.")


def query(*names: str) -> list[Json]:
    """Query parameters by name, in order of the alphabet."""
    return [QUERY[name] for name in sorted(names)]
