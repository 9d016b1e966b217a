"""What expressions of policies and match conditions can refer to, and of which types it is."""

from __future__ import annotations

import functools
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from kubestage.objects.cel import authorizer_functions, environments, list_functions
from kubestage.objects.custom.nodes import Node

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_PATH: Final = re.compile(r"(?<![\w.])(\w+)((?:\s*\.\s*\w+)+)")
_QUESTION: Final = re.compile(r"\bhas\(\s*(?P<owner>[\w.\s]+?)\s*\.\s*(?P<name>\w+)\s*\)")
_NAME: Final = re.compile(r"\w+")
_STRING: Final = {"type": "string"}
_STRINGS: Final = {"type": "array", "items": _STRING}


def _object(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def _texts(*names: str) -> dict[str, Any]:
    return dict.fromkeys(names, _STRING)


_UNKNOWN: Final = {"x-kubernetes-int-or-string": True}
_KIND: Final = _object(**_texts("group", "version", "kind"))
_RESOURCE: Final = _object(**_texts("group", "version", "resource"))
REQUEST: Final = Node(
    _object(
        kind=_KIND,
        resource=_RESOURCE,
        requestKind=_KIND,
        requestResource=_RESOURCE,
        userInfo=_object(
            **_texts("username", "uid"),
            groups=_STRINGS,
            extra={"type": "object", "additionalProperties": _STRINGS},
        ),
        dryRun={"type": "boolean"},
        options=_UNKNOWN,
        **_texts("subResource", "requestSubResource", "name", "namespace", "operation"),
    )
)
"""The schema of ``request``."""
_LABELS: Final = {"type": "object", "additionalProperties": _STRING}
NAMESPACE: Final = Node(
    _object(
        metadata=_object(
            **_texts("name", "generateName", "namespace", "UID", "resourceVersion"),
            labels=_LABELS,
            annotations=_LABELS,
            finalizers=_STRINGS,
            creationTimestamp=_UNKNOWN,
            deletionTimestamp=_UNKNOWN,
            deletionGracePeriodSeconds={"type": "integer"},
            generation={"type": "integer"},
        ),
        spec=_object(finalizers=_STRINGS),
        status=_object(
            phase=_STRING,
            conditions={
                "type": "array",
                "items": _object(
                    **_texts("status", "type", "message", "reason"), lastTransitionTime=_UNKNOWN
                ),
            },
        ),
    )
)
"""The schema of ``namespaceObject``."""


class Declarations(NamedTuple):
    """What an expression has besides the object, the request and the namespace.

    `variables` are those of a policy, with their types; `typed` are fields of known types, by path.
    """

    has_params: bool = False
    has_authorizer: bool = True
    variables: tuple[tuple[str, str], ...] = ()
    typed: tuple[tuple[str, str], ...] = ()


def typed(text: str, scope: Mapping[str, Node]) -> dict[str, str]:
    """The types of the fields of variables that an expression refers to, by path."""
    found: dict[str, str] = {}
    for match in _PATH.finditer(text):
        node, path = scope.get(match[1]), match[1]
        for name in _NAME.findall(match[2]):
            node = None if node is None else node.field(name)
            path = f"{path}.{name}"
            if node is None or not node.properties:
                break
        if node is not None and type_name(node) != "DYN":
            found[path] = type_name(node)
    return found


def without_questions(text: str) -> str:
    """An expression that asks whether a map has a key where it named a field.

    The library would take the path of a field whose type is known for its value.
    """
    return _QUESTION.sub(r'("\g<name>" in \g<owner>)', text)


def type_name(node: Node) -> str:
    """The type of values of a schema, as the library names it."""
    if node.int_or_string:
        return "DYN"
    if node.type == "array":
        return "LIST" if node.items is None else f"LIST<{type_name(node.items)}>"
    if node.type == "object" and node.additional is not None:
        return f"MAP<STRING, {type_name(node.additional)}>"
    names = {"string": "STRING", "boolean": "BOOL", "number": "DOUBLE", "integer": "INT"}
    return names.get(node.type, "DYN")


def _type(name: str) -> Any:
    types = environments.library().Type
    if name.startswith("LIST<"):
        return types.List(_type(name[5:-1]))
    if name.startswith("MAP<STRING, "):
        return types.Map(types.STRING, _type(name[12:-1]))
    plain = ("BOOL", "STRING", "INT", "UINT", "DOUBLE", "BYTES", "DURATION", "TIMESTAMP", "NULL")
    if name in plain:
        return getattr(types, name)
    return {"LIST": types.LIST, "MAP": types.MAP}.get(name.partition("<")[0], types.DYN)


@functools.lru_cache(maxsize=256)
def environment(declared: Declarations) -> Any:
    """The environment in which expressions are compiled."""
    library = environments.library()
    unknown = library.Type.DYN
    types = dict.fromkeys(("object", "oldObject", "request", "namespaceObject"), unknown)
    if declared.has_params:
        types["params"] = unknown
    if declared.has_authorizer:
        types["authorizer"] = library.Type.MAP
        types["authorizer.requestResource"] = library.Type.MAP
    for name, kind in declared.variables:
        types[f"variables.{name}"] = _type(kind)
    for path, kind in declared.typed:
        types[path] = _type(kind)
    functions = environments.calls(authorizer_functions.FUNCTIONS)
    escape = library.Overload(
        "string_jsonpatch_escapekey", library.Type.STRING, [library.Type.STRING], False, _escape_key
    )
    functions.append(library.FunctionDecl("jsonpatch.escapeKey", [escape]))
    return environments.environment(types, functions + list_functions.declared())


def _escape_key(text: str) -> str:
    return text.replace("~", "~0").replace("/", "~1")


@functools.cache
def _request_paths() -> tuple[str, ...]:
    return tuple(_paths(REQUEST, "request"))


def _paths(node: Node, path: str) -> Iterator[str]:
    for name, child in node.properties.items():
        if child.properties:
            yield from _paths(child, f"{path}.{name}")
        else:
            yield f"{path}.{name}"


def bound(request: dict[str, Any]) -> dict[str, Any]:
    """The values of ``request`` and of its fields, as the environment declares them."""
    found: dict[str, Any] = {"request": request}
    for path in _request_paths():
        at: Any = request
        for name in path.split(".")[1:]:
            at = at.get(name) if isinstance(at, dict) else None
        if at is not None:
            found[path] = at
    return found
